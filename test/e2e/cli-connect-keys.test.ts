/**
 * Where connected clients get their keys: what `skillgate connect` says when a variable is not set, what `connect
 * --list --check` and `doctor` find, and what the doors answer to a placeholder.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'
import { variablesOf } from './twin-shell.ts'

let twin: Twin
let home = ''
let cwd = ''

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '600'])
})
afterAll(() => twin.stop())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-keys-'))
  cwd = join(home, 'project')
  mkdirSync(cwd)
  return () => rmSync(home, { recursive: true, force: true })
})

function run(line: string) {
  const programs = toPrograms({ PATH: join(home, 'bin') })
  return runLine(line.split(' '), { home, cwd, programs, env: variablesOf(twin) })
}

describe('a client that sends the placeholder of its file', () => {
  const placeholder = '$'.concat('{SKILLGATE_KEY}')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const execute = JSON.stringify({ skill: 'sg_echo', arguments: { text: 'x' } })

  test.each([
    ['/mcp', 'POST', 'Authorization', `Bearer ${placeholder}`, body],
    ['/v1/mcp/sse', 'GET', 'Authorization', `Bearer ${placeholder}`, undefined],
    ['/v1/execute', 'POST', 'Authorization', `Bearer ${placeholder}`, execute],
    ['/v1/admin/users', 'GET', 'Authorization', `Bearer ${placeholder}`, undefined],
    ['/v1/admin/users', 'GET', 'X-Admin-Key', placeholder, undefined],
  ])('is told so at %s by %s with %s', async (...[path, method, header, value, sent]) => {
    const answer = await fetch(twin.url + path, {
      method,
      headers: {
        [header]: value,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain('and not its value; set SKILLGATE_KEY')
  })
})

describe('a client that takes its key from a variable', () => {
  /** A profile of the twin, and no variable. */
  function runUnset(line: string, options: ShellOptions = {}) {
    mkdirSync(join(home, '.config/skillgate'), { recursive: true })
    const credential = { store: 'file', adminKey: twin.adminKey, key: twin.key }
    const profiles = {
      local: { adminUrl: `${twin.url}/v1/admin`, mcpUrl: twin.mcp, credential },
    }
    writeFileSync(
      join(home, '.config/skillgate/config.json'),
      JSON.stringify({ current: 'local', profiles }),
    )
    const programs = toPrograms({ PATH: join(home, 'bin') })
    const env = { SHELL: '/usr/bin/zsh', ...options.env }
    return runLine(line.split(' '), { home, cwd, programs, ...options, env })
  }

  test('gets the line that sets it, without the key, and what comes next', async () => {
    const { code, err, out } = await runUnset('connect claude-code', { program: 'npx skillgate' })
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain(
      'Claude Code takes the key from SKILLGATE_KEY, which is not set here. Set it where you start Claude Code:\n\n  export SKILLGATE_KEY="$(npx skillgate profile key --profile local)"\n\nTo keep it, add the line to ~/.zshrc.\n',
    )
    expect(err).toContain('Start a new session, or type /mcp in a running one.')
    expect(err.trimEnd().split('\n').slice(-2)).toEqual([
      'Then ask it "How many Skillgate credits do I have?", which is a free call.',
      'To check: npx skillgate connect --list --check, or claude mcp list',
    ])
    expect(err).not.toContain(twin.key)
  })

  test('the command of that line prints the key into a pipe, and not on a terminal', async () => {
    const other = { env: { SKILLGATE_KEY: 'sgk_other' } }
    expect(await runUnset('profile key --profile local', other)).toEqual({
      code: 0,
      out: `${twin.key}\n`,
      err: '',
    })
    const shown = await runUnset('profile key', { columns: 80 })
    expect([shown.code, shown.out]).toEqual([2, ''])
    expect(shown.err).toContain('The key is not shown on a terminal.')
    expect(shown.err).not.toContain(twin.key)
  })

  test('is listed as not set, and as not working', async () => {
    await runUnset('connect claude-code')
    const { code, out } = await runUnset('connect --list --check --json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toContainEqual(
      expect.objectContaining({
        client: 'claude-code',
        key: 'variable not set',
        works: 'no: variable not set',
      }),
    )
  })

  test('is asked for on a terminal, where the answer may put the key into the file', async () => {
    const { err } = await runUnset('connect cursor', { columns: 80, answers: ['2'] })
    expect(err).toContain(
      'How does Cursor prove who you are?\n  1  set the variable SKILLGATE_KEY; the next line says how\n  2  write the key into its file, readable by you alone\n[1] 2',
    )
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toContain(twin.key)
    expect(err).not.toContain('is not set here')
  })

  test('the first answer is taken by Enter, and a wrong one changes nothing', async () => {
    const wrong = await runUnset('connect cursor', { columns: 80, answers: ['3'] })
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Answer 1 to 2.')])
    expect(() => statSync(join(home, '.cursor/mcp.json'))).toThrow('ENOENT')
    const { err } = await runUnset('connect cursor', { columns: 80, answers: [''] })
    expect(err).toContain('Cursor has the variables of a shell only if you start it there.')
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).not.toContain(twin.key)
  })

  test('is not asked for where the variable is set, and never in a pipe', async () => {
    const env = { SKILLGATE_KEY: twin.key }
    expect((await runUnset('connect cursor', { columns: 80, answers: [], env })).code).toBe(0)
    expect((await runUnset('connect gemini-cli')).code).toBe(0)
  })
})

describe('doctor', () => {
  async function findClients(env: ShellOptions['env'] = {}) {
    const variables = { ...variablesOf(twin), ...env }
    const { out } = await runLine(['doctor', '--json'], { home, cwd, env: variables })
    const rows: { check: string; ok: boolean; finding: string }[] = JSON.parse(out)
    return rows.filter(({ check }) => check === 'clients').map(({ finding, ok }) => [ok, finding])
  }

  test('names a client that works, and one whose variable is not set', async () => {
    await run('connect cursor --key-in-file')
    await run('connect gemini-cli')
    expect(await findClients({ SKILLGATE_KEY: undefined })).toEqual([
      [true, 'cursor (user)'],
      [
        false,
        'gemini-cli (user) takes its key from SKILLGATE_KEY, which is not set here. skillgate connect gemini-cli --scope user says how to set it.',
      ],
    ])
  })

  test('names a key in a file that is refused, and a URL of another gateway', async () => {
    await run('connect cursor --key-in-file')
    const file = join(home, '.cursor/mcp.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(twin.key, `sgk_${'x'.repeat(43)}`))
    expect(await findClients()).toEqual([
      [
        false,
        `cursor (user): the key in ${file} is refused. skillgate connect cursor --scope user --key-in-file writes the key of the profile.`,
      ],
    ])
    writeFileSync(file, text.replace(twin.mcp, 'https://other.example/mcp'))
    expect(await findClients()).toEqual([
      [true, 'cursor (user): uses another gateway, https://other.example/mcp'],
    ])
  })

  test('names a variable in the file of a client that expands none', async () => {
    await run('connect goose')
    const file = join(home, '.config/goose/config.yaml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(twin.key, '$'.concat('{SKILLGATE_KEY}')))
    expect(await findClients()).toEqual([
      [
        false,
        `goose (user) does not expand the variable in ${file}, and sends it as it is. skillgate connect goose --scope user writes the key.`,
      ],
    ])
  })
})

test('the key of a shell goes to no other gateway than that of the profile', async () => {
  const asked: string[] = []
  const other = createServer((request, response) => {
    asked.push(request.headers.authorization ?? '')
    response.end('{}')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/mcp`
  const headers = { Authorization: 'Bearer $'.concat('{SKILLGATE_KEY}') }
  writeFileSync(
    join(cwd, '.mcp.json'),
    JSON.stringify({ mcpServers: { skillgate: { type: 'http', url, headers } } }),
  )
  const rows = JSON.parse((await run('connect --list --check --json')).out)
  expect(rows).toContainEqual(
    expect.objectContaining({ client: 'claude-code', works: 'not tried: another gateway' }),
  )
  await new Promise((resolve) => other.close(resolve))
  expect(asked).toEqual([])
})
