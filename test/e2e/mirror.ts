/**
 * An upstream that repeats its request, as careless ones do: in JSON, in other spellings, in a
 * page, in a failure; and a token endpoint that reveals too much.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Mirror = {
  readonly url: string
  readonly host: string
  /** Everything that it received: request lines, headers, bodies. */
  readonly received: readonly string[]
  close(): Promise<void>
}

/** `token` is the token that its endpoint gives. */
export async function startMirror(token: string): Promise<Mirror> {
  const received: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const { method, rawHeaders, url = '/' } = request
      received.push(JSON.stringify({ method, url, rawHeaders, body }))
      answer(request, response, { body, token })
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return { url: `http://${host}`, host, received, close }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { body, token }: { readonly body: string; readonly token: string },
): void {
  const { headers, method, url = '/' } = request
  const echo = { method, url, headers, body }
  const send = (status: number, type: string, text: string) =>
    response.writeHead(status, { 'content-type': type }).end(text)
  switch (/^\/[a-z-]*/.exec(url)?.[0]) {
    case '/json':
      return void send(200, 'application/json', JSON.stringify(echo))
    case '/fails':
      return void send(500, 'application/json', JSON.stringify(echo))
    case '/refuses':
      return void send(401, 'text/plain', spelled(JSON.stringify(echo), String(headers['x-key'])))
    case '/spelled':
      return void send(200, 'text/plain', spelled(JSON.stringify(echo), String(headers['x-key'])))
    case '/page':
      return void send(200, 'text/html', `<h1>${headers['x-key']}</h1><p>a_b ${url}</p>`)
    case '/token':
      return void send(200, 'application/json', JSON.stringify({ access_token: token, echo }))
    case '/no-token':
      return void send(401, 'application/json', JSON.stringify({ error: 'invalid_client', echo }))
    case '/hangs':
      return
    default:
      return void send(404, 'application/json', JSON.stringify(echo))
  }
}

function spelled(echo: string, key: string): string {
  const bytes = Buffer.from(key)
  return [
    echo,
    JSON.stringify(echo),
    encodeURIComponent(key),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ].join('\n')
}
