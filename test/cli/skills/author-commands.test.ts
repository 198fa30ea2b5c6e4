/** `skills new`, saved calls and `skills push --watch`, against a twin. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../../local/start-twin.ts'
import { runLine, type ShellOptions } from '../test-shell.ts'

let home = ''
let twin: Twin
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-author-'))
  twin = await startTwin(
    { ...DEFAULT_OPTIONS, port: 0, data: home, memory: true },
    { call: () => {}, note: () => {} },
  )
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(args: string | readonly string[], options: ShellOptions = {}) {
  return runLine(typeof args === 'string' ? args.split(' ') : args, {
    home,
    cwd: home,
    env: {
      SKILLGATE_URL: twin.origin,
      SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
      NO_COLOR: '1',
    },
    ...options,
  })
}

const readHome = (name: string) => readFileSync(join(home, name), 'utf8')

function echoSkill(more: object = {}) {
  return {
    id: 'sg_say',
    source: 'official',
    meta: {
      name: 'Say',
      description: 'Says it.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
    },
    config: { endpoint: `${twin.origin}/sample/echo`, method: 'POST' },
    credits_per_call: 1,
    ...more,
  }
}

describe('skills new', () => {
  const CURL = `curl '${'https://api.example.com'}/v1/rates?base=EUR' -H 'x-api-key: abc123def456'`

  test('writes a skill of a pasted line that push takes, without the credential', async () => {
    const made = await run('skills new rates.json --from-curl - --credits 2', { stdin: CURL })
    expect([made.code, made.out]).toEqual([0, 'rates.json\n'])
    expect(made.err).toContain('skillgate secrets shared set EXAMPLE_API_KEY --skill example_rates')
    expect(readHome('rates.json') + made.err + made.out).not.toContain('abc123def456')
    const pushed = await run('skills push rates.json')
    expect([pushed.code, pushed.out]).toEqual([0, expect.stringContaining('sg_example_rates')])
  })

  test('replaces no file without --force', async () => {
    writeFileSync(join(home, 'mine.json'), 'mine')
    const line = 'skills new mine.json --from-curl - --credits 0'
    expect(await run(line, { stdin: CURL })).toMatchObject({ code: 2, err: /mine.json exists/ })
    expect(readHome('mine.json')).toBe('mine')
    expect((await run(`${line} --force`, { stdin: CURL })).code).toBe(0)
  })

  test('asks on a terminal for what no option gives', async () => {
    const answers = [
      'https://api.example.com/orders/{order}',
      'GET',
      'Order',
      'Shows an order.',
      'order',
      '0.5',
      'market',
    ]
    const { code, out } = await run('skills new', { columns: 80, answers })
    expect([code, out]).toEqual([0, 'order.json\n'])
    expect(JSON.parse(readHome('order.json'))).toMatchObject({
      id: 'order',
      source: 'market',
      meta: { name: 'Order', parameters: { required: ['order'] } },
      config: { endpoint: 'https://api.example.com/orders/{order}', method: 'GET' },
      credits_per_call: 0.5,
    })
  })

  test('asks nothing in a pipe, and names the options that are missing', async () => {
    const { code, err } = await run('skills new x.json --from-curl -', { stdin: CURL })
    expect([code, err]).toEqual([2, expect.stringContaining('Give --credits.')])
  })
})

describe('a saved call', () => {
  test('is written by --save and run by --saved, where an argument may be replaced', async () => {
    writeFileSync(join(home, 'say.json'), `// the echo\n${JSON.stringify(echoSkill())}`)
    expect((await run('skills test say.json text=hello --as demo --save')).code).toBe(0)
    expect(JSON.parse(readHome('say.call.json'))).toEqual({
      arguments: { text: 'hello' },
      user: 'demo',
    })
    expect((await run('skills test say.json --saved')).out).toContain('{"text":"hello"}')
    expect((await run('skills test say.json text=other --saved')).out).toContain('"other"')
    expect((await run('skills test say.json --call say.call.json')).out).toContain('"hello"')
  })

  test('that is no call is refused with its form', async () => {
    writeFileSync(join(home, 'bad.call.json'), '{"args": {}}')
    expect(await run('skills test say.json --call bad.call.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Write {"arguments": {…}, "user": "UID"}.'),
    })
  })

  test('is no skill of its folder, and neither are files of packages', async () => {
    mkdirSync(join(home, 'folder', 'node_modules', 'a'), { recursive: true })
    writeFileSync(join(home, 'folder', 'say.json'), JSON.stringify(echoSkill()))
    for (const name of ['say.call.json', 'package.json', '.hidden.json', 'node_modules/a/b.json']) {
      writeFileSync(join(home, 'folder', name), '{}')
    }
    const { code, out } = await run('skills push folder --json')
    expect([code, JSON.parse(out).length]).toEqual([0, 1])
  })
})

/** Runs the watch, and gives each line of its NDJSON to the next waiting reader. */
function startWatch(path: string) {
  const ended = new AbortController()
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  const onOut = (text: string) => {
    const next = waiting.shift()
    if (next === undefined) lines.push(text)
    else next(text)
  }
  const end = run(['skills', 'push', path, '--watch', '--json'], { signal: ended.signal, onOut })
  const read = async () => {
    const line = lines.shift() ?? (await new Promise<string>((done) => void waiting.push(done)))
    return JSON.parse(line)
  }
  const stop = () => {
    ended.abort()
    return end
  }
  return { read, stop }
}

describe('skills push --watch', () => {
  test('pushes at each save with the answer of the test call, and tells of a deletion', async () => {
    const folder = join(home, 'watched')
    mkdirSync(folder)
    const path = join(folder, 'say.json')
    writeFileSync(path, JSON.stringify(echoSkill({ id: 'sg_watched' })))
    const watch = startWatch('watched')
    const first = await watch.read()
    expect(first).toMatchObject({ file: 'watched/say.json', outcome: 'created', id: 'sg_watched' })
    expect(first.test.sent).toBeUndefined()

    writeFileSync(join(folder, 'say.call.json'), '{"arguments": {"text": "hello"}, "user": "demo"}')
    const called = await watch.read()
    expect(called).toMatchObject({ outcome: 'stored' })
    expect(JSON.stringify(called.test.sent.result)).toContain('hello')

    // An editor that writes a new file and renames it.
    writeFileSync(`${path}.tmp`, '{"id": "sg_watched",}')
    renameSync(`${path}.tmp`, path)
    expect(await watch.read()).toMatchObject({
      outcome: 'refused',
      errors: [{ line: 1, column: 20, message: expect.stringContaining('comma') }],
    })

    unlinkSync(path)
    expect(await watch.read()).toEqual({ file: 'watched/say.json', outcome: 'deleted' })
    expect((await run('skills show sg_watched')).code).toBe(0)
    expect((await watch.stop()).code).toBe(130)
  })

  test('shows one block for each save to people', async () => {
    writeFileSync(join(home, 'block.json'), JSON.stringify(echoSkill({ id: 'sg_block' })))
    const ended = new AbortController()
    const onOut = (text: string) => {
      if (text === '\n') ended.abort()
    }
    const { code, out } = await run('skills push block.json --watch', {
      signal: ended.signal,
      onOut,
    })
    expect(code).toBe(130)
    expect(out).toMatch(/^block\.json {2}created {2}sg_block\n {2}request {2}POST http/)
    expect(out).toMatch(/\n {2}price {4}1\n\n$/)
  })

  test('is refused for stdin', async () => {
    expect((await run('skills push - --watch')).code).toBe(2)
  })
})
