import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { VERSION } from '../../adapters/config/version.ts'

let data = ''
const children: ChildProcess[] = []
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'skillgate-main-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

function run(
  args: readonly string[],
  {
    program,
    ...more
  }: { readonly program?: 'npm'; readonly [name: string]: string | undefined } = {},
) {
  const env = { ...process.env, ...more }
  const child =
    program === undefined
      ? spawn(process.execPath, ['local/main.ts', ...args], { stdio: 'pipe', env })
      : // A group of its own: npm does not pass on every signal.
        spawn(program, args, { stdio: 'pipe', env, detached: true })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }))
  const line = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      if (out.includes('\n')) resolve(out)
    })
  })
  return { child, ended, line }
}

describe('npm start', () => {
  test('with --json prints one line, ends at a signal with 0, and survives being killed', async () => {
    const args = ['--json', '--port', '0', '--data', data]
    const first = run(args)
    const { key } = JSON.parse(await first.line)
    expect(key).toMatch(/^sgk_[A-Za-z0-9_-]{43}$/)
    first.child.kill('SIGKILL')
    await first.ended
    const second = run(args)
    expect(JSON.parse(await second.line)).toMatchObject({ key, uid: 'demo', username: 'demo' })
    second.child.kill('SIGTERM')
    // npm repeats the signal that the terminal has already sent.
    second.child.kill('SIGINT')
    const { code, err, out } = await second.ended
    expect(code).toBe(0)
    expect(out.split('\n')).toHaveLength(2)
    const output = err
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one))
    expect(output).toMatchObject([
      { level: 'INFO', event: 'ready', version: VERSION, outboundAllow: [] },
      { level: 'INFO', event: 'stopped' },
    ])
  })

  test('npm --silent start -- --json prints the line of JSON alone', async () => {
    const args = ['--silent', 'start', '--', '--json', '--port', '0', '--data', data]
    const twin = run(args, { program: 'npm', npm_lifecycle_event: undefined })
    try {
      expect(JSON.parse(await twin.line)).toMatchObject({ uid: 'demo' })
    } finally {
      process.kill(-(twin.child.pid ?? Number.NaN), 'SIGTERM')
    }
    const { err, out } = await twin.ended
    expect(out.split('\n')).toHaveLength(2)
    expect(err).not.toContain('banner-of-npm')
  })

  test('-- --json tells on stderr how to be rid of what npm prints before its line', async () => {
    const args = ['--json', '--port', '0', '--memory']
    const twin = run(args, { npm_lifecycle_event: 'start', npm_config_loglevel: 'error' })
    await twin.line
    twin.child.kill('SIGTERM')
    const [first = ''] = (await twin.ended).err.split('\n')
    expect(JSON.parse(first)).toMatchObject({
      level: 'WARN',
      event: 'banner-of-npm',
      message: expect.stringContaining('npm --silent start -- --json'),
    })
  })

  test('without --json prints the banner, and its pasted command calls a skill', async () => {
    const twin = run(['--memory', '--port', '0'])
    const banner = await twin.line
    const pasted = /^Try it .+\n((?: {2}.+\n)+)/m.exec(banner)?.[1]
    const call = spawn('sh', ['-c', pasted ?? 'false'], { stdio: 'pipe' })
    let answer = ''
    call.stdout.on('data', (chunk) => {
      answer += chunk
    })
    await once(call, 'close')
    expect(JSON.parse(answer)).toMatchObject({ skillId: 'sg_weather', isError: false })
    twin.child.kill('SIGINT')
    const { code, out } = await twin.ended
    expect(code).toBe(0)
    expect(out).toMatch(
      /\n\d\d:\d\d:\d\d demo sg_weather 200 \d+ ms −0\.5 → 99\.5 [\w-]{16,64}\nstopped\n$/,
    )
  })

  test('logs in a line each who connects, which key is refused, and what an administrator changes', async () => {
    const twin = run(['--memory', '--port', '0', '--outbound-allow', 'localhost:3000'])
    const banner = await twin.line
    expect(banner).toContain('Skills may also reach localhost:3000.')
    // With the cursor behind it, the smallest common terminal has 24 rows.
    expect(banner.split('\n').length).toBeLessThanOrEqual(24)
    const mcp = /Agents +(\S+)/.exec(banner)?.[1] ?? ''
    const key = /Key +(\S+)/.exec(banner)?.[1] ?? ''
    const adminKey = /Admin +(\S+)/.exec(banner)?.[1] ?? ''
    const wrong = `sgk_Ab-9${'x'.repeat(39)}`
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      },
    }
    const post = (url: string, headers: { [name: string]: string }, body: object) => {
      const all = { 'content-type': 'application/json', ...headers }
      return fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) })
    }
    await post(mcp, { authorization: `Bearer ${key}` }, initialize)
    await post(mcp, { authorization: `Bearer ${wrong}` }, initialize)
    const users = mcp.replace(/\/mcp$/, '/v1/admin/users')
    await post(users, { 'x-admin-key': adminKey }, { username: 'Eve', uid: 'eve' })
    await post(users, { 'x-admin-key': wrong }, { username: 'Eve' })
    twin.child.kill('SIGINT')
    const { err, out } = await twin.ended
    const lines = out.slice(banner.length).replaceAll(/^\d\d:\d\d:\d\d /gm, '')
    expect(lines.trimEnd().split('\n')).toEqual([
      'demo connected MCP 2025-11-25',
      'sgk_Ab-9… key refused (not a key of this gateway)',
      'admin createUser eve',
      'admin refused (unknown or missing credential) sgk_Ab-9… from 127.0.0.1',
      'stopped',
    ])
    expect(`${out}${err}`).not.toContain(wrong)
    expect(err).toBe('')
  })

  test('with --json reports in JSON why it cannot start, and logs JSON alone', async () => {
    const file = join(data, 'file')
    writeFileSync(file, '')
    const { code, err, out } = await run(['--json', '--port', '0', '--data', file]).ended
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(err)).toMatchObject({
      level: 'ERROR',
      event: 'start-failed',
      message: expect.stringContaining('is not a folder'),
    })
    const twin = run(['--json', '--memory', '--port', '0'])
    const { execute } = JSON.parse(await twin.line)
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${'z'.repeat(43)}`,
    }
    await fetch(execute, { method: 'POST', headers, body: '{"skill":"sg_weather"}' })
    twin.child.kill('SIGINT')
    const output = (await twin.ended).err
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one).event)
    expect(output).toEqual(['ready', 'key-refused', 'call-refused', 'stopped'])
  })

  test('with --version prints the version and ends with 0', async () => {
    expect(await run(['--version']).ended).toEqual({
      code: 0,
      out: `Skillgate ${VERSION}\n`,
      err: '',
    })
  })

  test('prints one line with the remedy when it cannot start, and ends with 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''
    const file = join(data, 'file')
    writeFileSync(file, '')
    const ends = await Promise.all([
      run(['--memory', '--port', port]).ended,
      run(['--port', '0', '--data', file]).ended,
      run(['--prot']).ended,
    ])
    taken.close()
    expect(ends).toEqual([
      {
        code: 1,
        out: '',
        err: `Port ${port} on 127.0.0.1 is in use: stop the other program, or choose another port with --port N (0 for any free one).\n`,
      },
      {
        code: 1,
        out: '',
        err: `Data folder ${file} is not a folder: choose another with --data FOLDER, or keep nothing on disk with --memory.\n`,
      },
      { code: 1, out: '', err: '--prot is not an option. See npm start -- --help.\n' },
    ])
  })

  test('with --help lists the options and ends with 0', async () => {
    const { code, out } = await run(['--help']).ended
    expect(code).toBe(0)
    expect(out).toContain('--hold-last-chunk')
  })
})
