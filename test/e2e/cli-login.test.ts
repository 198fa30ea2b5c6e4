/**
 * `skillgate doctor` and `skillgate connect --login` at a twin with its own login, behind a host that spoils one
 * thing at a time.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CLIENTS } from '../../cli/clients/clients.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'

type Answer = { status: number; headers: Headers; body: Uint8Array }
type Spoil = (request: IncomingMessage, answer: Answer) => void

let twin: Twin
let origin = ''
let spoil: Spoil = () => {}
const host = createServer((request, response) => {
  passOn(request, response).catch(() => response.destroy())
})

beforeAll(async () => {
  origin = `http://127.0.0.1:${await openPort(host, { host: '127.0.0.1', port: 0 })}`
  twin = await startTwin(['--memory', '--login', '--public-origin', origin])
})
afterAll(async () => {
  host.closeAllConnections()
  await closePort(host)
  await twin.stop()
})
afterEach(() => {
  spoil = () => {}
})

const HOPS = ['host', 'connection', 'content-length', 'content-encoding', 'transfer-encoding']

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const body = await buffer(request)
  const sent = Object.entries(request.headers).filter(([name]) => !HOPS.includes(name))
  const answer = await fetch(twin.url + request.url, {
    method: request.method ?? 'GET',
    headers: sent.map(([name, value]): [string, string] => [name, String(value)]),
    body: body.length === 0 ? null : new Uint8Array(body),
    signal: gone.signal,
  })
  const headers = new Headers([...answer.headers].filter(([name]) => !HOPS.includes(name)))
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    response.writeHead(answer.status, Object.fromEntries(headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
    return
  }
  const whole = {
    status: answer.status,
    headers,
    body: new Uint8Array(await answer.arrayBuffer()),
  }
  spoil(request, whole)
  response.writeHead(whole.status, Object.fromEntries(whole.headers)).end(whole.body)
}

const isPath = (request: IncomingMessage, start: string) => request.url?.startsWith(start) === true

/** Changes the JSON of answers whose path begins with `start`. */
function changed(start: string, more: { [name: string]: unknown }): Spoil {
  return (request, answer) => {
    if (!isPath(request, start)) return
    const fields = JSON.parse(new TextDecoder().decode(answer.body))
    answer.body = new TextEncoder().encode(JSON.stringify({ ...fields, ...more }))
  }
}

function run(line: string, env: { [name: string]: string } = {}, home = '/nowhere') {
  const keys = { SKILLGATE_URL: origin, SKILLGATE_ADMIN_KEY: twin.adminKey }
  const programs = toPrograms({ PATH: join(home, 'bin') })
  return runLine(line.split(' '), { env: { ...keys, ...env }, home, cwd: home, programs })
}

/** The key is known once the twin runs. */
function twinKey(): string {
  return twin.key
}

type Row = { check: string; ok: boolean; finding: string }

async function findings(): Promise<readonly Row[]> {
  return JSON.parse((await run('doctor --json', { SKILLGATE_KEY: twin.key })).out)
}

const LOGIN_CHECKS = [
  'login',
  'login metadata',
  'login challenge',
  'login server',
  'hosted clients',
]

describe('skillgate doctor at a gateway with a login', () => {
  test('finds all in order, and says that hosted clients reach no loopback address', async () => {
    const rows = await findings()
    expect(rows.filter(({ ok }) => !ok)).toEqual([])
    expect(rows.filter(({ check }) => LOGIN_CHECKS.includes(check))).toEqual([
      { check: 'login', ok: true, finding: `${origin}/mcp can be logged in with` },
      { check: 'login metadata', ok: true, finding: 'at both paths, for any origin' },
      { check: 'login challenge', ok: true, finding: 'by POST and GET' },
      {
        check: 'login server',
        ok: true,
        finding: `${origin}: clients get their id by a document or by registering`,
      },
      {
        check: 'hosted clients',
        ok: true,
        finding: `claude.ai and ChatGPT cannot reach ${origin}: start a tunnel, and the twin with --public-origin`,
      },
    ])
  })

  test('is content without a key, for people who log in', async () => {
    const { code, out } = await run('doctor')
    expect([code, out]).toEqual([0, expect.stringContaining('not checked: it needs a key')])
  })

  test('names the address that clients must use at another one', async () => {
    const { out } = await run('doctor', { SKILLGATE_URL: twin.url, SKILLGATE_KEY: twin.key })
    expect(out).toContain(`clients that log in must use ${origin}/mcp, not ${twin.mcp}`)
  })

  test.each<[string, string, Spoil, string]>([
    [
      'a root form that is not passed on',
      'login metadata',
      (request, answer) => {
        if (request.url === '/.well-known/oauth-protected-resource') answer.status = 404
      },
      'does not say the same as its path form. Let the host',
    ],
    [
      'a path form that another program answers',
      'login',
      (request, answer) => {
        if (!isPath(request, '/.well-known/oauth-protected-resource/mcp')) return
        answer.body = new TextEncoder().encode('<html>')
      },
      'answers 200 and names no resource with a login. Let the host',
    ],
    [
      'a lost CORS header',
      'login metadata',
      (_request, answer) => answer.headers.delete('access-control-allow-origin'),
      'Clients in browsers cannot read the metadata.',
    ],
    [
      'a lost challenge',
      'login challenge',
      (_request, answer) => answer.headers.delete('www-authenticate'),
      'pass the header WWW-Authenticate on',
    ],
    [
      'a GET that is not passed on',
      'login challenge',
      (request, answer) => {
        if (request.url === '/mcp' && request.method === 'GET') answer.status = 405
      },
      'POST is answered with 401 and GET with 405. Both must be 401',
    ],
    [
      'metadata of another issuer',
      'login server',
      changed('/.well-known/oauth-authorization-server', { issuer: 'https://other.example' }),
      'calls itself https://other.example. Write the issuer',
    ],
    [
      'a server without PKCE',
      'login server',
      changed('/.well-known/oauth-authorization-server', {
        code_challenge_methods_supported: undefined,
      }),
      'does not list the PKCE method S256',
    ],
    [
      'an endpoint that is no URL',
      'login server',
      changed('/.well-known/oauth-authorization-server', { token_endpoint: 'javascript:x' }),
      'names no authorization or token endpoint',
    ],
    [
      'a server without metadata',
      'login server',
      (request, answer) => {
        if (isPath(request, '/.well-known/oauth-authorization-server')) answer.status = 404
      },
      'has no metadata that a client finds',
    ],
  ])('finds %s', async (_what, check, spoiled, finding) => {
    spoil = spoiled
    const wrong = (await findings()).filter(({ ok }) => !ok)
    expect(wrong).toContainEqual({ check, ok: false, finding: expect.stringContaining(finding) })
  })

  test('takes a renamed challenge for a note, since clients go by the metadata', async () => {
    spoil = (_request, { headers }) => {
      headers.set('x-amzn-remapped-www-authenticate', headers.get('www-authenticate') ?? '')
      headers.delete('www-authenticate')
    }
    const rows = await findings()
    expect(rows.filter(({ ok }) => !ok)).toEqual([])
    expect(rows).toContainEqual({
      check: 'login challenge',
      ok: true,
      finding: expect.stringContaining('its header is renamed on the way'),
    })
  })

  test('says that a server without registration needs a fixed client', async () => {
    spoil = changed('/.well-known/oauth-authorization-server', {
      registration_endpoint: undefined,
      client_id_metadata_document_supported: false,
    })
    expect(await findings()).toContainEqual({
      check: 'login server',
      ok: true,
      finding: expect.stringContaining('clients cannot register: give each the id of a client'),
    })
  })
})

test('skillgate status counts no public tools at a gateway that asks everybody to log in', async () => {
  expect(JSON.parse((await run('status --json')).out)).toMatchObject({ publicTools: 0 })
})

describe('skillgate connect --login', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'skillgate-login-'))
    return () => rmSync(home, { recursive: true, force: true })
  })

  const withLogin = CLIENTS.filter(({ login }) => login !== undefined)

  test('is known for twelve clients', () => {
    expect(withLogin.map(({ id }) => id)).toEqual([
      'claude-code',
      'codex',
      'gemini-cli',
      'claude-desktop',
      'cursor',
      'vscode',
      'windsurf',
      'zed',
      'cline',
      'opencode',
      'goose',
      'copilot-cli',
    ])
  })

  test.each(withLogin.map((client) => [client.id, client] as const))(
    'writes the URL alone for %s and says what comes next, with no key in the profile',
    async (id, client) => {
      const { code, err } = await run(`connect ${id} --login`, {}, home)
      expect([code, err]).toEqual([0, expect.stringContaining(client.login?.('skillgate') ?? '–')])
      const [place] = client.places
      const [file] = place?.paths({ env: {}, home, cwd: home, platform: 'linux' }) ?? []
      const text = readFileSync(file ?? '', 'utf8')
      expect(text).toContain(`${origin}/mcp`)
      expect(text).not.toMatch(/Authorization|SKILLGATE_KEY|sgk_|input:/)
      expect(await run(`connect ${id} --remove`, {}, home)).toMatchObject({ code: 0 })
      expect(readFileSync(file ?? '', 'utf8')).not.toContain(origin)
    },
  )

  test.each([
    ['gemini-cli', undefined, 'set the variable SKILLGATE_KEY; the next line says how'],
    ['vscode', twinKey, 'let VS Code ask for the key'],
    ['goose', twinKey, 'write the key into its file, readable by you alone'],
  ] as const)('is the first answer for %s on a terminal', async (id, getKey, second) => {
    const env = { SKILLGATE_URL: origin, SKILLGATE_KEY: getKey?.() }
    const options = { home, cwd: home, columns: 80, answers: ['1'], env }
    const { code, err } = await runLine(['connect', id], options)
    const says = `  1  log in with a browser; no key\n  2  ${second}\n`
    expect([code, err]).toEqual([0, expect.stringContaining(says)])
    const client = CLIENTS.find((one) => one.id === id)
    expect(err).toContain(client?.login?.('skillgate') ?? '–')
  })

  test('takes the key out of an entry that had one', async () => {
    await run('connect cursor --key-in-file', { SKILLGATE_KEY: twin.key }, home)
    const file = join(home, '.cursor/mcp.json')
    expect(readFileSync(file, 'utf8')).toContain(twin.key)
    const { err } = await run('connect cursor --login', { SKILLGATE_KEY: twin.key }, home)
    expect(err).not.toContain(twin.key)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      mcpServers: { skillgate: { url: `${origin}/mcp` } },
    })
  })

  test.each([
    ['connect lmstudio --login', 1, 'No login is known for LM Studio.\nLeave --login out'],
    ['connect cursor --login --key-in-file', 2, 'Leave --key-in-file out.'],
  ])('refuses %s and writes nothing', async (line, code, message) => {
    const refused = await run(line, {}, home)
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(message)])
    expect(() => readFileSync(join(home, '.cursor/mcp.json'))).toThrow('ENOENT')
  })

  test('refuses an address that the login is not for, and names the right one', async () => {
    const at = { SKILLGATE_URL: twin.url, SKILLGATE_KEY: twin.key }
    expect(await run('connect cursor --login', at, home)).toMatchObject({
      code: 1,
      err: `The login of ${twin.mcp} is for ${origin}/mcp.\nSign in with skillgate login ${twin.admin} --mcp-url ${origin}/mcp\n`,
    })
  })

  test('refuses a gateway without a login', async () => {
    spoil = (request, answer) => {
      if (isPath(request, '/.well-known/')) answer.status = 404
    }
    expect(await run('connect cursor --login', {}, home)).toMatchObject({
      code: 1,
      err: `${origin}/mcp has no login.\nLeave --login out to use the key. A twin has a login with skillgate dev -- --login.\n`,
    })
  })
})
