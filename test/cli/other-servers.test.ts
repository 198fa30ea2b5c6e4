/** `login` at a server that is not the admin API of a gateway says what it found, and sends it no key. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createRawServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPort } from '../../local/http/listen.ts'
import { HOSTILE } from './hostile-gateway.ts'
import { runLine } from './test-shell.ts'

let home = ''
let server: Server
const KEY = 'the-admin-key-of-another-gateway'
const seen: string[] = []
const sockets = new Set<Socket>()

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-others-'))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await new Promise((resolve) => server.close(resolve))
  seen.length = 0
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Some of the servers are none of HTTP, and close only once their connections are gone. */
async function listen(one: Server): Promise<number> {
  server = one
  one.on('connection', (socket) => sockets.add(socket))
  return openPort(one, { host: '127.0.0.1', port: 0 })
}

async function loginAt(listener: RequestListener, path = '', columns?: number) {
  const port = await listen(
    createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      listener(request, response)
    }),
  )
  return login(`http://127.0.0.1:${port}${path}`, columns)
}

async function login(url: string, columns?: number) {
  const { code, err, out } = await runLine(['login', url, '--from-env', 'KEY'], {
    home,
    cwd: home,
    env: { KEY, XDG_CONFIG_HOME: join(home, 'config') },
    ...(columns === undefined ? {} : { columns }),
  })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err.trimEnd().split('\n')).toHaveLength(2)
  expect(seen.join('\n')).not.toContain(KEY)
  return err.replaceAll(url, 'URL')
}

const json =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

const page =
  (status: number, text: string, headers = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text)

const ADMIN = { type: 'about:blank', title: 'x', status: 401, detail: 'x', code: 'unauthenticated' }
const DOOR = { ...ADMIN, status: 404, code: 'not_found' }

describe('a login at another server', () => {
  test.each<[string, RequestListener, string]>([
    [
      'a page',
      page(200, '<html><title> Acme wiki </title>'),
      'A web page ("Acme wiki") answers at URL, and no Skillgate gateway (200).',
    ],
    [
      'a page without a title',
      page(404, '<!doctype html><p>'),
      'A web page answers at URL, and no Skillgate gateway (404).',
    ],
    [
      'a plain web server',
      page(404, 'nope', { server: 'nginx/1.27' }),
      'A web server (nginx/1.27) answers 404 at URL, and no Skillgate gateway.',
    ],
    [
      'API Gateway without that path',
      json(403, { message: 'Missing Authentication Token' }),
      'API Gateway answers at URL, and has no such path there (403).',
    ],
    [
      'an API that refuses the network',
      json(403, { message: 'Forbidden' }),
      'AWS refuses every request at URL before a gateway sees it (403 Forbidden).',
    ],
    [
      'a function URL with IAM',
      json(403, { Message: 'Forbidden' }),
      'AWS refuses every request at URL before a gateway sees it (403 Forbidden).',
    ],
    [
      'an MCP endpoint of a gateway',
      json(404, DOOR),
      'An MCP endpoint of a gateway answers at URL, and not its admin API.',
    ],
    [
      'an API of its own',
      json(200, { hello: 'world' }),
      'A web server answers 200 at URL, and no Skillgate gateway.',
    ],
    [
      'nothing but a status',
      page(204, ''),
      'A web server answers 204 at URL, and no Skillgate gateway.',
    ],
    [
      'a page of login',
      page(302, '', { location: 'https://login.example/sign-in?next=x' }),
      'URL redirects to https://login.example/sign-in (302), such as to a page where people log in.',
    ],
  ])('finds %s', async (_what, listener, message) => {
    expect((await loginAt(listener)).split('\n')[0]).toBe(message)
  })

  test.each<[string, (text: string) => string]>([
    ['JSON', (text) => text],
    ['an event', (text) => `event: message\ndata: ${text}\n\n`],
  ])('finds another MCP server by its answer in %s', async (_form, write) => {
    const info = { jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'files', version: '1' } } }
    const found = await loginAt((request, response) => {
      if (request.method === 'POST') response.end(write(JSON.stringify(info)))
      else response.writeHead(404).end()
    })
    expect(found).toBe(
      'The MCP server files answers at URL, and no Skillgate gateway.\nTo offer its tools by a gateway: skillgate upstreams put NAME --url URL\n',
    )
  })

  test('finds the admin API of the same host', async () => {
    const found = await loginAt((request, response) => {
      const isAdmin = request.url === '/v1/admin/whoami'
      json(isAdmin ? 401 : 404, isAdmin ? ADMIN : {})(request, response)
    }, '/mcp')
    expect(found).toMatch(
      /^The admin API of a gateway answers at http:\/\/127\.0\.0\.1:\d+\/v1\/admin, and not below URL\.\nSign in with skillgate login http:\/\/127\.0\.0\.1:\d+\n$/,
    )
  })

  test('shows hostile titles without what controls a terminal', async () => {
    const found = await loginAt(page(200, `<title>${HOSTILE}${'x'.repeat(500)}</title>`), '', 80)
    const left = found.replaceAll('\u001b[31m', '').replaceAll('\u001b[0m', '')
    for (const unsafe of ['\u001b', '\u009b', '\u202e', '\u0007'])
      expect(left).not.toContain(unsafe)
    expect(found.split('\n')[0]?.length).toBeLessThan(400)
  })

  test('reads the start of an endless page', async () => {
    let written = 0
    const found = await loginAt((request, response) => {
      response.writeHead(200)
      const write = () => {
        written += 1
        if (!response.destroyed && response.write('x'.repeat(16_384))) setImmediate(write)
        else response.once('drain', write)
      }
      if (request.method === 'GET') write()
      else response.end()
    })
    expect(found.split('\n')[0]).toBe('A web server answers 200 at URL, and no Skillgate gateway.')
    expect(written).toBeLessThan(10_000)
  })
})

describe('an address that does not work', () => {
  const secure = () => {
    const key = join(home, 'key.pem')
    const cert = join(home, 'cert.pem')
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
    execFileSync('openssl', [...words, '-days', '1', '-subj', '/CN=localhost'], { stdio: 'ignore' })
    return createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_q, r) =>
      r.end(),
    )
  }
  const raw = (answer: string) =>
    createRawServer((socket) => {
      socket.on('error', () => {})
      socket.end(answer)
    })

  test.each<[string, () => unknown, string, RegExp]>([
    [
      'of a certificate that nobody signed',
      secure,
      'https://localhost',
      /^URL cannot be used: its certificate is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.\n.*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'of https with http',
      secure,
      'http://localhost',
      /^(URL cannot be used|A web server answers 400)/,
    ],
    [
      'of http with https',
      () => createServer(),
      'https://localhost',
      /^URL cannot be used: it does not speak TLS \((ERR_SSL|EPROTO)[A-Z_]*\)\.\nWrite the address with http/,
    ],
    [
      'of HTTP/2 alone',
      () => createHttp2Server(),
      'http://localhost',
      /^URL cannot be used: it does not speak HTTP\/1\.1 \((HPE_[A-Z_]+|HTTPParserError)\)\.\n/,
    ],
    [
      'of another protocol',
      () => raw('220 mail.example ESMTP\r\n'),
      'http://localhost',
      /^URL cannot be used: it does not speak HTTP\/1\.1 \((HPE_[A-Z_]+|HTTPParserError)\)\.\n/,
    ],
    [
      'of a server that hangs up',
      () => raw(''),
      'http://localhost',
      /^URL cannot be used: the connection was closed before an answer \(\w+\)\.\n/,
    ],
  ])('%s is told in a line with its code', async (_what, make, start, message) => {
    const port = await listen(make() as Server)
    expect(await login(`${start}:${port}`)).toMatch(message)
  })

  test('of a host that does not exist is told in a line with its code', async () => {
    await listen(createServer())
    expect(await login('https://gateway.invalid')).toMatch(
      /^Nothing answers at URL: there is no such host \((ENOTFOUND|EAI_AGAIN)\)\.\nCheck the address/,
    )
  })
})
