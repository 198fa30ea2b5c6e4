/**
 * What a web page of anywhere can do to the ports that a twin opens. The ports are those that the kernel knows, so one
 * that nobody thought of is asked as well.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from './http.ts'
import { listeningPorts } from './listening-ports.ts'
import { startTwin, type Twin } from './twin.ts'

const EVIL = 'https://evil.example'
const PATHS = [
  '/',
  '/healthz',
  '/sample/echo',
  '/nothing',
  '/v1/admin/users',
  '/v1/execute',
  '/mcp',
  '/v1/mcp/sse',
  '/v1/mcp/messages',
]
/** These know no credential, change nothing, and show nothing that is kept. */
const OPEN_TO_ALL = ['/', '/healthz', '/sample/echo']
/** What an emulator of DynamoDB would do without asking who it is. */
const TARGET = { 'x-amz-target': 'DynamoDB_20120810.ListTables' }

describe.runIf(process.platform === 'linux')('the ports of a twin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-ports-'))
  let twin: Twin
  let origins: readonly string[]
  beforeAll(async () => {
    twin = await startTwin(['--data', folder])
    const loopbackPorts = listeningPorts(twin.pid).filter(({ isHere }) => isHere)
    origins = loopbackPorts.map(({ port }) => `http://127.0.0.1:${port}`)
  })
  afterAll(async () => {
    await twin?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const each = async (check: (url: URL) => Promise<void>) => {
    for (const origin of origins) for (const path of PATHS) await check(new URL(path, origin))
  }

  test('the gateway is the only process that listens', () => {
    expect(origins).toEqual([twin.url])
  })

  test('a preflight of another site is refused', async () => {
    await each(async (url) => {
      const headers = {
        origin: EVIL,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-amz-target,authorization,content-type',
      }
      const answer = await send(url, { method: 'OPTIONS', headers })
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    })
  })

  test.each(['GET', 'POST'])('a simple %s of another site is refused', async (method) => {
    await each(async (url) => {
      const headers = { origin: EVIL, 'content-type': 'text/plain' }
      const answer = await send(url, { method, headers, ...(method === 'POST' && { body: '{}' }) })
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    })
  })

  test('a page of another site is refused even with the credential of an administrator', async () => {
    await each(async (url) => {
      const headers = { origin: EVIL, 'x-admin-key': twin.adminKey }
      expect((await send(url, { headers })).status).toBe(403)
    })
  })

  test('a simple POST without a credential is refused', async () => {
    await each(async (url) => {
      if (OPEN_TO_ALL.includes(url.pathname)) return
      const answer = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: '{}',
      })
      expect(answer.status).toBeGreaterThanOrEqual(400)
    })
  })

  test('a name that was made to point here is refused', async () => {
    await each(async (url) => {
      const headers = { host: 'evil.example', ...TARGET }
      const answer = await send(url, { method: 'POST', headers, body: '{}' })
      expect(answer.status).toBe(403)
    })
  })

  test('no port serves DynamoDB', async () => {
    await each(async (url) => {
      const answer = await send(url, { method: 'POST', headers: TARGET, body: '{}' })
      expect(answer.headers['content-type'] ?? '').not.toContain('amz-json')
      expect(answer.text).not.toContain('TableNames')
    })
  })
})

test.runIf(process.platform === 'linux')('a port that is open is found', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  expect(listeningPorts(process.pid)).toContainEqual({ port, isHere: true })
  server.close()
})
