/**
 * Secrets on the twin: set by an administrator, kept sealed over a restart, with the key beside
 * them.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closePort, openPort } from '../../local/http/listen.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'

const VALUE = 'correct horse battery staple'

let data = ''
let running: Twin | undefined
let lines: string[] = []

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'skillgate-twin-secrets-'))
  lines = []
})
afterEach(async () => {
  await stop()
  rmSync(data, { recursive: true, force: true })
})

async function start(outboundAllow: readonly string[] = []): Promise<Twin> {
  const print = (line: string) => void lines.push(line)
  const options = { ...DEFAULT_OPTIONS, port: 0, data, outboundAllow }
  running = await startTwin(options, { call: print, note: print })
  return running
}

async function stop(): Promise<void> {
  await running?.stop()
  running = undefined
}

async function admin(twin: Twin, method: string, path: string, body?: object) {
  const answer = await fetch(`${twin.origin}/v1/admin/users/demo/secrets${path}`, {
    method,
    headers: { 'x-admin-key': twin.credentials.adminKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

test('a secret survives a restart, and no file of the folder holds it in the clear', async () => {
  const first = await start()
  const set = await admin(first, 'PUT', '/API_KEY?skill=weather', { value: VALUE })
  expect(set).toMatchObject({ status: 200, text: expect.stringContaining('"sg_weather"') })
  await stop()
  const entries = readdirSync(data, { recursive: true, withFileTypes: true })
  const files = entries.flatMap((entry) =>
    entry.isFile() ? [relative(data, join(entry.parentPath, entry.name))] : [],
  )
  expect(files).toContain('secrets.key')
  for (const file of files) expect(readFileSync(join(data, file), 'latin1')).not.toContain('horse')
  const listed = await admin(await start(), 'GET', '')
  expect(listed.status).toBe(200)
  expect(JSON.parse(listed.text)).toMatchObject({
    secrets: [{ name: 'API_KEY', skillId: 'sg_weather' }],
  })
})

test('a key that others may read stops the start, and leaves nothing running', async () => {
  await admin(await start(), 'PUT', '/API_KEY', { value: VALUE })
  await stop()
  chmodSync(join(data, 'secrets.key'), 0o644)
  await expect(start()).rejects.toThrow('chmod 600')
  chmodSync(join(data, 'secrets.key'), 0o600)
  expect((await admin(await start(), 'DELETE', '/API_KEY')).status).toBe(204)
})

test('a call carries its secret; with the secret or its key missing it is refused and refunded', async () => {
  const headers: (string | undefined)[] = []
  const upstream = createServer((request, response) => {
    headers.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    response.end('{"ok":true}')
  })
  const host = `127.0.0.1:${await openPort(upstream, { host: '127.0.0.1', port: 0 })}`
  try {
    const first = await start([host])
    await sync(first, `http://${host}/`)
    expect(await execute(first)).toMatchObject({ status: 422, code: 'secret_missing', left: 100 })
    await admin(first, 'PUT', '/API_KEY?skill=secretive', { value: VALUE })
    expect(await execute(first)).toMatchObject({ status: 200, left: 98 })
    await stop()
    rmSync(join(data, 'secrets.key'))
    const second = await start([host])
    const refused = await execute(second)
    expect(refused).toMatchObject({ status: 503, code: 'secret_unreadable', left: 98 })
    expect(refused.text).not.toContain('secrets.key')
    expect(headers).toEqual([`Bearer ${VALUE}`])
    expect(lines.join()).toContain(`${join(data, 'secrets.key')} is missing`)
    expect(lines.join()).not.toContain('horse')
  } finally {
    await closePort(upstream)
  }
})

async function sync(twin: Twin, endpoint: string): Promise<void> {
  const answer = await fetch(`${twin.origin}/v1/admin/sync_skill?source=official`, {
    method: 'POST',
    headers: { 'x-admin-key': twin.credentials.adminKey },
    body: JSON.stringify({
      id: 'sg_secretive',
      meta: { name: 'S', description: 'S', parameters: { type: 'object', properties: {} } },
      config: { endpoint, method: 'GET', auth: { type: 'bearer', secret: 'API_KEY' } },
      credits_per_call: 2,
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

async function execute(twin: Twin) {
  const answer = await fetch(`${twin.origin}/v1/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${twin.credentials.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ skill: 'sg_secretive', arguments: {} }),
  })
  const text = await answer.text()
  const { code, credits } = JSON.parse(text)
  return { status: answer.status, code, left: credits?.remaining, text }
}
