/**
 * The end of `skillgate deploy`, run against the twin in the place of a stage, with a Secrets Manager that
 * answers with the twin's admin key.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { finishDeploy } from '../../cli/clone/deploy/welcome.ts'
import { runIn } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'

const SECRET_ID = 'Skillgate-dev-admin'
let twin: Twin
let secrets: Server
let folder = ''
let status = 200

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-welcome-'))
  twin = await startTwin(['--memory'])
  secrets = createServer((request, response) => {
    request.resume()
    const body = { Name: SECRET_ID, SecretString: JSON.stringify({ current: twin.adminKey }) }
    const refused = { __type: 'AccessDeniedException', message: 'not you' }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(status === 200 ? body : refused))
  })
  secrets.listen(0, '127.0.0.1')
  await once(secrets, 'listening')
  const { port } = secrets.address() as AddressInfo
  for (const [name, value] of Object.entries(awsAt(`http://127.0.0.1:${port}`))) {
    vi.stubEnv(name, value)
  }
  const headers = { 'x-admin-key': twin.adminKey }
  const list = await fetch(`${twin.admin}/users`, { headers })
  const { users } = JSON.parse(await list.text())
  for (const { uid } of users) {
    await fetch(`${twin.admin}/users/${uid}`, { method: 'DELETE', headers })
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  secrets.close()
  secrets.closeAllConnections()
  await twin.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Where the SDK looks: its own process's environment. */
function awsAt(endpoint: string) {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_REGION: 'eu-central-1',
  }
}

async function endDeploy() {
  const outputs = {
    AdminSecretId: SECRET_ID,
    AdminUrl: `${twin.admin}/`,
    McpUrl: twin.mcp,
    SseUrl: twin.url,
    ExecuteUrl: twin.url,
  }
  const file = join(folder, 'outputs.json')
  writeFileSync(file, JSON.stringify({ 'Skillgate-dev-Gateway': outputs }))
  return runIn((shell) => finishDeploy(file, shell))
}

test('a deploy ends with the first key, which the smoke test uses, and a later one makes no other user', {
  timeout: 120_000,
}, async () => {
  const first = await endDeploy()
  expect(first.err).toBe('')
  expect(first.out).toContain('Skillgate dev is deployed:')
  expect(first.out).toMatch(/The first user is first\. .*\n {2}sgk_[\w-]{43}\n/)
  expect(first.out).toContain(`  skillgate login ${twin.admin} --name dev --mcp-url ${twin.mcp}`)
  expect(first.out).toContain('All checks hold.')
  expect(first.code).toBe(0)
  const again = await endDeploy()
  expect(again.out).toContain('The stage has users; skillgate keys issue UID makes a key.')
  expect([again.code, again.out.includes('sgk_…')]).toEqual([0, true])
})

test('a deploy whose admin key may not be read says that the stage is deployed, and exits with 1', async () => {
  status = 400
  const { code, err } = await endDeploy()
  expect([code, err]).toEqual([1, 'The stage is deployed. After it: not you\n'])
})
