/**
 * `skillgate doctor` behind hosts that spoil answers, as an API Gateway before MCP does, and the first user of
 * a new stage. The host is a proxy of this file before a twin.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFirstUser } from '../../cli/clone/deploy/first-user.ts'
import { formatConnectLines, readOutputs } from '../../cli/clone/deploy/outputs.ts'
import { runLine } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
let host: Server
let hostUrl = ''
let renames: 'nothing' | 'admin' | 'mcp' = 'nothing'
let buffers = false

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  host = createServer(passOn)
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
afterAll(async () => {
  host.closeAllConnections()
  host.close()
  await twin.stop()
})

const HOPS = new Set([
  'host',
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
])

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const headers = Object.entries(request.headers).filter(([name]) => !HOPS.has(name))
  const body = await buffer(request)
  try {
    const answer = await fetch(twin.url + request.url, {
      method: request.method ?? 'GET',
      headers: headers as [string, string][],
      body: body.length === 0 ? null : body,
      signal: gone.signal,
    })
    const whole = buffers ? Buffer.from(await answer.arrayBuffer()) : undefined
    response.writeHead(answer.status, headersOf(answer, request.url ?? ''))
    if (whole === undefined) for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end(whole)
  } catch {
    // The client has gone, or the twin has.
    response.destroy()
  }
}

function headersOf({ headers }: Response, path: string): { [name: string]: string } {
  const isRenamed = renames !== 'nothing' && path.includes(renames)
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !HOPS.has(name))
      .map(([name, value]) => [
        isRenamed && name === 'www-authenticate' ? `x-amzn-remapped-${name}` : name,
        value,
      ]),
  )
}

async function findings(): Promise<{ [check: string]: { ok: boolean; finding: string } }> {
  const env = {
    SKILLGATE_URL: hostUrl,
    SKILLGATE_ADMIN_KEY: twin.adminKey,
    SKILLGATE_KEY: twin.key,
  }
  const { out } = await runLine(['doctor', '--json'], { env, home: '/nowhere' })
  const rows: { check: string; ok: boolean; finding: string }[] = JSON.parse(out)
  return Object.fromEntries(rows.map(({ check, ...row }) => [check, row]))
}

describe('skillgate doctor', () => {
  test('all is well behind a host that spoils nothing, with the limits of the user', async () => {
    const found = await findings()
    expect(Object.values(found).filter(({ ok }) => !ok)).toEqual([])
    expect(found['streaming']?.finding).toBe('answers are streamed')
    expect(found['user key']?.finding).toMatch(/credits left; \d+ calls a minute, \d+ at once$/)
  })

  test('a host that buffers answers is found', async () => {
    buffers = true
    try {
      expect((await findings())['streaming']).toEqual({
        ok: false,
        finding: expect.stringContaining('Answers of MCP are buffered'),
      })
    } finally {
      buffers = false
    }
  })

  test.each([
    ['admin', 'of the admin API'],
    ['mcp', 'of MCP'],
  ] as const)(
    'a host that renames WWW-Authenticate at %s, as AWS does, is a note',
    async (path, where) => {
      renames = path
      try {
        expect((await findings())['refusals']).toEqual({
          ok: true,
          finding: `a wrong key is refused with 401; the host renames WWW-Authenticate ${where}, and the body has its value`,
        })
      } finally {
        renames = 'nothing'
      }
    },
  )

  test('a gateway without a login is no fault', async () => {
    expect((await findings())['login']).toEqual({
      ok: true,
      finding: 'none: clients need a key (docs/login.md says how to switch a login on)',
    })
  })
})

describe('the end of a deploy', () => {
  const outputs = {
    stage: 'dev',
    adminUrl: 'https://a.example/v1/admin',
    mcpUrl: 'https://m.example/mcp',
    sseUrl: 'https://s.example/',
    adminSecretId: 'arn:secret',
    canarySecretId: 'arn:canary',
    executeUrl: 'https://e.example/',
  }

  test('the outputs of the stacks are read from the file that the CDK writes', () => {
    const text = JSON.stringify({
      'Skillgate-dev-Data': { TableName: 't' },
      'Skillgate-dev-Gateway': {
        AdminUrl: 'https://a.example/v1/admin/',
        McpUrl: outputs.mcpUrl,
        SseUrl: outputs.sseUrl,
        AdminSecretId: outputs.adminSecretId,
        CanarySecretId: outputs.canarySecretId,
        ExecuteUrl: outputs.executeUrl,
      },
    })
    expect(readOutputs(text)).toEqual(outputs)
    expect(readOutputs('{"Skillgate-dev-Data":{}}')).toBeUndefined()
  })

  test('a stage with users gets no other one, and a new stage gets one user with a key that works', async () => {
    expect(await createFirstUser(twin.admin, twin.adminKey)).toEqual({})
    const env = { SKILLGATE_URL: twin.url, SKILLGATE_ADMIN_KEY: twin.adminKey }
    const { users } = (await (
      await fetch(`${twin.admin}/users`, { headers: { 'x-admin-key': twin.adminKey } })
    ).json()) as { users: { uid: string }[] }
    for (const { uid } of users) await runLine(['users', 'rm', uid, '--yes'], { env })
    const first = await createFirstUser(twin.admin, twin.adminKey)
    expect(first).toEqual({ uid: 'first', key: expect.stringMatching(/^sgk_/) })
    const asFirst = { env: { ...env, SKILLGATE_KEY: first.key } }
    expect((await runLine(['call', 'sg_account'], asFirst)).out).toContain('"credits":10')
    expect(formatConnectLines(outputs, first)).toContain(`  export SKILLGATE_KEY=${first.key}`)
    expect(formatConnectLines(outputs, {})[0]).toContain('skillgate keys issue')
    await expect(createFirstUser(twin.admin, 'wrong')).rejects.toThrow('was answered with 401')
  })
})
