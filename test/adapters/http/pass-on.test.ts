import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createRawServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passOn } from '../../../adapters/http/pass-on.ts'
import { readContext, readFunctionUrlEvent } from '../../../adapters/http/read-event.ts'
import { installLambdaHost, LambdaStream, removeLambdaHost, urlEvent } from './lambda-host.ts'

const asked: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = []
/** Answers as the function URL of another door. */
const behind = createServer((request, response) => {
  asked.push({ url: request.url, headers: request.headers })
  response.writeHead(401, {
    'content-type': 'application/json',
    'x-amzn-remapped-www-authenticate': 'Bearer',
    'x-amzn-requestid': 'r-1',
    'x-amzn-trace-id': 't-1',
    'retry-after': '3',
  })
  response.end('{}')
})
beforeAll(async () => {
  installLambdaHost()
  await once(behind.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  removeLambdaHost()
  behind.close()
})

async function answered(more: Record<string, unknown>) {
  const out = new LambdaStream()
  await passedOn(behind.address() as AddressInfo, out, more)
  return out.answer()
}

function passedOn({ port }: AddressInfo, out: LambdaStream, more: Record<string, unknown> = {}) {
  const event = readFunctionUrlEvent(urlEvent(more))
  return passOn({ to: new URL(`http://127.0.0.1:${port}`), socketsMax: 1 })({
    event,
    out,
    method: event.requestContext.http.method,
    context: readContext({ awsRequestId: 'i-1' }),
    cors: { 'access-control-allow-origin': 'https://app.example' },
  })
}

test('an answer keeps the header that the platform renamed, and loses those that it added', async () => {
  const answer = await answered({})
  expect(answer).toMatchObject({ statusCode: 401, body: '{}' })
  expect(answer?.headers).toMatchObject({
    'www-authenticate': 'Bearer',
    'retry-after': '3',
    'access-control-allow-origin': 'https://app.example',
  })
  expect(Object.keys(answer?.headers ?? {}).filter((name) => name.startsWith('x-am'))).toEqual([])
})

test('a request cannot name another host by its path', async () => {
  await answered({ rawPath: '//evil.example/mcp' })
  expect(asked.at(-1)?.url).toBe('/evil.example/mcp')
})

test('a request whose client left before is not passed on', async () => {
  const before = asked.length
  const out = new LambdaStream()
  out.destroy()
  await passedOn(behind.address() as AddressInfo, out)
  expect(asked).toHaveLength(before)
})

test('a client that leaves before the answer ends the request, and is no fault', async () => {
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const out = new LambdaStream()
  const passing = passedOn(silent.address() as AddressInfo, out)
  const [request] = await once(silent, 'request')
  const ended = new Promise((resolve) => request.once('close', resolve))
  out.destroy()
  await passing
  await ended
  silent.close()
})

test.each(['099 Unknown', '101 Switching Protocols', '600 Unknown'])(
  'an answer with the status %s is a fault, because it cannot be passed back',
  async (status) => {
    const head = `HTTP/1.1 ${status}\r\nconnection: upgrade\r\nupgrade: other\r\ncontent-length: 0\r\n\r\n`
    const odd = createRawServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(head))
    })
    await once(odd.listen(0, '127.0.0.1'), 'listening')
    const out = new LambdaStream()
    await expect(passedOn(odd.address() as AddressInfo, out)).rejects.toThrow('door behind')
    odd.close()
  },
)
