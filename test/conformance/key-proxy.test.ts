import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { send } from '../e2e/http.ts'
import { type LocalServer, startLocalServer } from '../lambda/local-server.ts'
import { type KeyProxySettings, startKeyProxy } from './key-proxy.ts'

let gateway: LocalServer
let proxy: LocalServer
/** The head of each request that reached the gateway. */
let heads: string[][]
/** Resolves when the gateway loses the connection of an open stream. */
let lost: Promise<void>

async function start(more: Partial<KeyProxySettings> = {}): Promise<void> {
  proxy = await startKeyProxy({ gateway: gateway.url, key: 'sgk_test', ...more })
}

beforeEach(async () => {
  heads = []
  const { promise, resolve } = Promise.withResolvers<void>()
  lost = promise
  gateway = await startLocalServer((request, response) => {
    heads.push(request.rawHeaders)
    response.once('close', resolve)
    if (request.url === '/stream') return response.write(': open\n\n')
    request.resume()
    return request.once('end', () => response.writeHead(200, { 'x-own': 'yes' }).end('{}'))
  })
})

afterEach(async () => {
  await proxy.stop()
  await gateway.stop()
})

function headerOf(name: string): readonly string[] {
  const head = heads[0] ?? []
  return head.filter((_, index) => head[index - 1]?.toLowerCase() === name && index % 2 === 1)
}

describe('the key proxy', () => {
  test('adds the key and keeps names, order and repetition of all other headers', async () => {
    await start()
    const headers = { 'Mcp-Param-A': '=?base64?SGk=?=', 'mcp-method': 'TOOLS/LIST' }
    await send(`${proxy.url}/mcp`, { method: 'POST', headers, body: '{}' })
    expect(headerOf('authorization')).toEqual(['Bearer sgk_test'])
    expect(heads[0]?.slice(0, 4)).toEqual([
      'Mcp-Param-A',
      '=?base64?SGk=?=',
      'mcp-method',
      'TOOLS/LIST',
    ])
  })

  test('shows each request to its watcher, and when it was answered', async () => {
    const answered = Promise.withResolvers<string>()
    await start({
      watch: ({ url = '' }, response) => response.once('finish', () => answered.resolve(url)),
    })
    await send(`${proxy.url}/mcp`, { method: 'POST', body: '{}' })
    expect(await answered.promise).toBe('/mcp')
  })

  test('names the gateway where the client named the proxy', async () => {
    await start()
    const own = proxy.host.replace('127.0.0.1', 'localhost')
    await send(`${proxy.url}/mcp`, { headers: { host: own, origin: `http://${own}` } })
    expect(headerOf('host')).toEqual([gateway.host])
    expect(headerOf('origin')).toEqual([gateway.url])
  })

  test('passes a foreign Host and Origin on to the gateway, which judges them', async () => {
    await start()
    const headers = { host: 'evil.example.com', origin: 'http://evil.example.com' }
    await send(`${proxy.url}/mcp`, { headers })
    expect(headerOf('host')).toEqual(['evil.example.com'])
    expect(headerOf('origin')).toEqual(['http://evil.example.com'])
  })

  test('gives a session id to an initialize only, and only when configured', async () => {
    const ask = (method: string) =>
      send(`${proxy.url}/mcp`, { method: 'POST', body: JSON.stringify({ method }) })
    await start()
    expect((await ask('initialize')).headers['mcp-session-id']).toBeUndefined()
    await proxy.stop()
    await start({ sessionId: 'one' })
    expect((await ask('initialize')).headers['mcp-session-id']).toBe('one')
    expect((await ask('tools/list')).headers['mcp-session-id']).toBeUndefined()
  })

  test('ends the request to the gateway when the client hangs up', async () => {
    await start()
    const request = httpRequest(`${proxy.url}/stream`, { agent: false })
    request.once('error', () => undefined)
    request.end()
    await once(request, 'response')
    request.destroy()
    await lost
  })
})
