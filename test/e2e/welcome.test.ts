/**
 * The end of `skillgate deploy`, run against the twin in the place of a stage, with a Secrets Manager that
 * has the twin's admin key, and the secret of the canary.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callCanary, parseCanaryKey } from '../../adapters/canary/call-canary.ts'
import { finishDeploy } from '../../cli/clone/deploy/welcome.ts'
import { runIn } from '../cli/test-shell.ts'
import { startTwin, type Twin } from './twin.ts'

const SECRET_ID = 'Skillgate-dev-admin'
const CANARY_ID = 'Skillgate-dev-canary'
/** The text of the canary's secret, at first as the stack generates it. */
let canary = '{"current":"generated"}'
let twin: Twin
let secrets: Server
let folder = ''
let status = 200

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-welcome-'))
  twin = await startTwin(['--memory'])
  secrets = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const asked = JSON.parse(Buffer.concat(chunks).toString())
    if (String(request.headers['x-amz-target']).endsWith('PutSecretValue')) {
      canary = asked.SecretId === CANARY_ID ? asked.SecretString : 'the wrong secret was written'
    }
    const SecretString =
      asked.SecretId === CANARY_ID ? canary : JSON.stringify({ current: twin.adminKey })
    const body = { Name: asked.SecretId, SecretString }
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

async function askAsAdmin(path: string, body?: object): Promise<Response> {
  return fetch(`${twin.admin}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-admin-key': twin.adminKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function creditsOfCanary(): Promise<unknown> {
  const { credits } = JSON.parse(await (await askAsAdmin('users/skillgate-canary')).text())
  return credits
}

async function endDeploy() {
  const outputs = {
    AdminSecretId: SECRET_ID,
    CanarySecretId: CANARY_ID,
    AdminUrl: `${twin.admin}/`,
    McpUrl: twin.mcp,
    SseUrl: twin.url,
    ExecuteUrl: twin.url,
  }
  const file = join(folder, 'outputs.json')
  writeFileSync(file, JSON.stringify({ 'Skillgate-dev-Gateway': outputs }))
  return runIn((shell) => finishDeploy(file, shell))
}

test('a deploy ends with the first key, and each with a smoke test by the key of the canary, which pays for its calls', {
  timeout: 120_000,
}, async () => {
  const first = await endDeploy()
  expect(first.err).toBe('')
  expect(first.out).toContain('Skillgate dev is deployed:')
  expect(first.out).toMatch(/The first user is first\. .*\n {2}sgk_[\w-]{43}\n/)
  expect(first.out).toContain(`  skillgate login ${twin.admin} --name dev --mcp-url ${twin.mcp}`)
  expect(first.out).toContain('All checks hold.')
  expect(first.code).toBe(0)
  const { key } = JSON.parse(canary)
  expect(key).toMatch(/^sgk_/)
  expect(first.out).not.toContain(key)
  expect(first.out).toContain('ok      a call of canary_sg_check over the stream succeeds')
  expect(first.out).toContain('ok      the same over REST charges its price')
  // Three paid calls: over both transports and REST.
  expect(await creditsOfCanary()).toBe(9.99997)
  const ofSecret = parseCanaryKey(canary)
  if (ofSecret === undefined) throw new Error('the secret has no key')
  expect(await callCanary(twin.mcp, ofSecret)).toEqual({ ok: true, value: undefined })
  expect(await creditsOfCanary()).toBe(9.99996)
  // Whoever reads the secret may call this tool, and no other skill of the stage.
  const { keys } = JSON.parse(await (await askAsAdmin('users/skillgate-canary')).text())
  expect(keys).toMatchObject([{ tools: ['canary_sg_check'], maxCreditsPerCall: 0.00001 }])
  const again = await endDeploy()
  expect(JSON.parse(canary).key).toBe(key)
  expect(again.out).toContain('The stage has users; skillgate keys issue UID makes a key.')
  expect([again.code, again.out.includes('sgk_…')]).toEqual([0, true])
})

test('a user of the team that is called canary gets no key and no credits by a deploy', {
  timeout: 120_000,
}, async () => {
  await askAsAdmin('users', { uid: 'canary', username: 'canary', credits: 1 })
  expect((await endDeploy()).code).toBe(0)
  const { credits, keys = [] } = JSON.parse(await (await askAsAdmin('users/canary')).text())
  expect([credits, keys]).toEqual([1, []])
})

test('a deploy whose smoke test fails exits with 1 and names the rollback', {
  timeout: 120_000,
}, async () => {
  const { key, keyId } = JSON.parse(canary)
  canary = JSON.stringify({
    keyId,
    tool: 'canary_sg_check',
    key: `${key.slice(0, 4)}${'A'.repeat(43)}`,
  })
  const { code, err, out } = await endDeploy()
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('To go back:\n  skillgate rollback --stage dev\n'),
  ])
  expect(`${out}${err}`).not.toContain('A'.repeat(43))
})

test('a synthetic call that is refused, fails or is not answered says which', async () => {
  const key = parseCanaryKey(canary)?.key ?? ''
  const wrong = { key: `sgk_${'A'.repeat(43)}`, tool: 'canary_sg_check' }
  expect(await callCanary(twin.mcp, wrong)).toMatchObject({
    error: { reason: 'refused', status: 401 },
  })
  expect(await callCanary(twin.mcp, { key, tool: 'no_such_tool' })).toMatchObject({ ok: false })
  expect(await callCanary('http://127.0.0.1:9/mcp', wrong)).toMatchObject({
    error: { reason: 'no-answer' },
  })
  expect(parseCanaryKey('{"current":"generated"}')).toBeUndefined()
})

test('a key of the canary that is gone, and credits that run out, are replaced by the next deploy', {
  timeout: 120_000,
}, async () => {
  canary = 'somebody wrote this'
  await askAsAdmin('users/skillgate-canary/credits', {
    grantId: 'down',
    amount: -9,
    reason: 'test',
  })
  const { code } = await endDeploy()
  expect(code).toBe(0)
  expect(JSON.parse(canary).key).toMatch(/^sgk_/)
  expect(await creditsOfCanary()).toBeGreaterThan(10)
})

test('a deploy whose admin key may not be read says that the stage is deployed, and exits with 1', async () => {
  status = 400
  const { code, err } = await endDeploy()
  expect([code, err]).toEqual([1, 'The stage is deployed. After it: not you\n'])
})
