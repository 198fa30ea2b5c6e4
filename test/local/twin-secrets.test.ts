/** Secrets on the twin: set by an administrator, kept sealed over a restart, with the key beside them. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULTS } from '../../local/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'

const VALUE = 'correct horse battery staple'

let data = ''
let running: Twin | undefined

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'skillgate-twin-secrets-'))
})
afterEach(async () => {
  await stop()
  rmSync(data, { recursive: true, force: true })
})

async function start(): Promise<Twin> {
  const print = () => {}
  const options = { ...DEFAULTS, port: 0, data, dynamodbEndpoint: undefined }
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

test('a secret stays over a restart, and no file of the folder holds it in the clear', async () => {
  const first = await start()
  const set = await admin(first, 'PUT', '/API_KEY?skill=weather', { value: VALUE })
  expect(set).toMatchObject({ status: 200, text: expect.stringContaining('"sg_weather"') })
  await stop()
  const files = readdirSync(data)
  expect(files).toContain('secrets.key')
  for (const file of files) expect(readFileSync(join(data, file), 'latin1')).not.toContain('horse')
  const listed = await admin(await start(), 'GET', '')
  expect(listed.status).toBe(200)
  expect(JSON.parse(listed.text)).toMatchObject({
    secrets: [{ name: 'API_KEY', skillId: 'sg_weather' }],
  })
})

test('a key that others may read stops the start, and nothing is left running', async () => {
  await admin(await start(), 'PUT', '/API_KEY', { value: VALUE })
  await stop()
  chmodSync(join(data, 'secrets.key'), 0o644)
  await expect(start()).rejects.toThrow('chmod 600')
  chmodSync(join(data, 'secrets.key'), 0o600)
  expect((await admin(await start(), 'DELETE', '/API_KEY')).status).toBe(204)
})
