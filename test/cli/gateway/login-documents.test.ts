/** Documents of a hostile gateway or authorization server: bounded, and no URL of theirs that is not clean. */
import { createServer, type RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AUTHORIZATION_SERVERS_MAX,
  DOCUMENT_BYTES_MAX,
  isLoopback,
  listServerUrls,
  readCleanUrl,
} from '../../../cli/gateway/login-documents.ts'
import { closePort, openPort } from '../../../local/http/listen.ts'
import { runLine } from '../test-shell.ts'

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  running.push(async () => {
    server.closeAllConnections()
    await closePort(server)
  })
  return `http://127.0.0.1:${port}`
}

/** Connects Cursor in a home that is not there, to a gateway with this answer for every path. */
async function connect(answer: RequestListener) {
  const origin = await serve(answer)
  const env = { SKILLGATE_URL: origin }
  const { code, err } = await runLine(['connect', 'cursor', '--login', '--print'], {
    env,
    home: '/nowhere',
  })
  return { code, err: err.replaceAll(origin, 'ORIGIN') }
}

const document =
  (more: object): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        resource: 'http://127.0.0.1:1/mcp',
        authorization_servers: ['https://login.example'],
        ...more,
      }),
    )
  }

describe('the metadata of a gateway', () => {
  test.each<[string, RequestListener, string]>([
    ['a page', (_request, response) => response.end('<html>'), 'names no resource with a login'],
    [
      'a redirect, which is not followed',
      (_request, response) => response.writeHead(302, { location: 'https://x.example' }).end(),
      'answers 302 and names no resource',
    ],
    ['no server', document({ authorization_servers: [] }), 'names no resource with a login'],
    [
      'a server that is no text',
      document({ authorization_servers: [7] }),
      'names a server that is no clean https URL',
    ],
    [
      'a server with a command in it',
      document({ authorization_servers: ['https://a.example/$(id)'] }),
      'names a server that is no clean https URL',
    ],
    [
      'a resource with characters of a terminal',
      document({ resource: 'https://a.example/\u001b[2J' }),
      'names no resource with a login',
    ],
    [
      'one server more than may be',
      document({
        authorization_servers: Array.from(
          { length: AUTHORIZATION_SERVERS_MAX + 1 },
          (_, at) => `https://a${at}.example`,
        ),
      }),
      `names 11 servers; 10 at most`,
    ],
    [
      'one byte more than may be',
      (_request, response) => response.end('x'.repeat(DOCUMENT_BYTES_MAX + 1)),
      'has over 65536 bytes',
    ],
  ])('are refused: %s', async (_what, answer, message) => {
    const { code, err } = await connect(answer)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  })

  test('are read up to the limits of bytes and of servers', async () => {
    const authorization_servers = Array.from(
      { length: AUTHORIZATION_SERVERS_MAX },
      (_, at) => `https://a${at}.example`,
    )
    const body = JSON.stringify({ resource: 'http://127.0.0.1:1/mcp', authorization_servers })
    const { err } = await connect((_request, response) => {
      response.end(body.padEnd(DOCUMENT_BYTES_MAX))
    })
    expect(err).toContain('The login of ORIGIN/mcp is for http://127.0.0.1:1/mcp.')
  })
})

test.each([
  ['https://login.example', false, true],
  ['https://login.example/realms/a%20b', false, true],
  ['https://10.0.0.1/realms/main', false, true],
  ['http://login.example', true, false],
  ['http://127.0.0.1:8787', true, true],
  ['http://127.0.0.1:8787', false, false],
  ['https://localhost', false, false],
  ['https://127.1', false, false],
  ['https://2130706433', false, false],
  ['https://[::1]:1', false, false],
  ['https://user@login.example', false, false],
  ['https://login.example/?a=b', false, false],
  ['https://login.example/#a', false, false],
  ['https://login.example/`id`', false, false],
  ['https://login.example\n', false, false],
  ['file:///etc/passwd', true, false],
  [`https://login.example/${'a'.repeat(1_978)}`, false, true],
  [`https://login.example/${'a'.repeat(1_979)}`, false, false],
])('the URL %j, at a gateway on this machine %j, may be asked: %j', (text, isLocal, isClean) => {
  expect(readCleanUrl(text, isLocal) !== undefined).toBe(isClean)
})

test.each([
  ['http://127.9.9.9/', true],
  ['http://a.localhost/', true],
  ['http://0.0.0.0/', true],
  ['http://[::ffff:127.0.0.1]/', true],
  ['https://localhost.example/', false],
])('the host of %s is this machine: %j', (text, expected) => {
  expect(isLoopback(new URL(text))).toBe(expected)
})

test('the metadata of an issuer with a path are sought at three places, as clients do', () => {
  expect(listServerUrls('https://id.example/realms/main/').map(({ href }) => href)).toEqual([
    'https://id.example/.well-known/oauth-authorization-server/realms/main',
    'https://id.example/.well-known/openid-configuration/realms/main',
    'https://id.example/realms/main/.well-known/openid-configuration',
  ])
  expect(listServerUrls('https://id.example').map(({ href }) => href)).toEqual([
    'https://id.example/.well-known/oauth-authorization-server',
    'https://id.example/.well-known/openid-configuration',
  ])
})
