/**
 * The deployed functions at work, each under its own role, with a proxy between them and their services that
 * judges every request by the synthesized policies. The table requests of all methods are judged in
 * test/contracts/dynamodb.test.ts; here are the own ones of the functions, in the order in which they leave.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeS3ArchiveWriter } from '../../adapters/archive/s3-archive.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore, sdkRequests } from '../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoIdempotencyRecords } from '../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { authKey } from '../../adapters/dynamodb/table.ts'
import { dynamoKeys } from '../../adapters/dynamodb/users/keys.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { hashCallBody } from '../../core/call/idempotency.ts'
import { EXPORT_TRAIL } from '../../lambdas/usage/door.ts'
import type { Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { number, oldServiceOver, text } from '../contracts/v0-service.ts'
import { connectStreamable } from '../e2e/streamable-agent.ts'
import { readText } from '../lambda/answer.ts'
import { roleOf, testRegion } from '../lambda/credentials.ts'
import { callTool, connectClient } from '../lambda/doors/agents.ts'
import {
  askAdmin,
  creditsAfterwards,
  creditsBecome,
  lockedSkill,
  newUser,
  setSecret,
  syncSkill,
  syncSkills,
  type User,
} from '../lambda/doors/people.ts'
import { postModern } from '../lambda/doors/posts.ts'
import { TABLES } from '../lambda/doors/world.ts'
import { startProtectedApi } from '../lambdas/mcp/protected-api.ts'
import { startAuthorizationServer } from '../oauth/authorization-server.ts'
import { changeOfPastDay, endedCall } from './archived-entries.ts'
import type { Authorization } from './evaluate.ts'
import { ARCHIVE_BUCKET } from './function-policies.ts'
import { type Callee, callsOf } from './internal-calls.ts'
import { ACCOUNT, type JudgedWorld, startJudgedWorld } from './judged-world.ts'
import { logInAtUpstream, PAGES_ORIGIN } from './log-in-at-upstream.ts'
import { describeGaps, describePolicies, type PolicySubject } from './policies-contract.ts'

const DAY_MS = 86_400_000
const SECRET = 'correct horse battery staple'

let world: JudgedWorld
/**
 * Clients of the test, which go past the proxy. There are two, because a document client changes the client
 * that it is made of.
 */
let client: DynamoDBClient
let other: DynamoDBClient
let store: DynamoStore

beforeAll(async () => {
  world = await startJudgedWorld(
    { ...getStage('dev'), replyTail: 'dynamodb-streams' },
    // The authorization server and the API of a login are on ports of their own.
    { env: { OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_ORIGIN: PAGES_ORIGIN } },
  )
  client = dynamoClient({ endpoint: world.storeEndpoint })
  other = dynamoClient({ endpoint: world.storeEndpoint })
  store = dynamoStore({ client, tables: TABLES, clock: systemClock() })
  await changeOfPastDay(store, Date.now())
  await syncSkills(world)
  await syncSkill(world, lockedSkill(world))
})
afterAll(async () => {
  client?.destroy()
  other?.destroy()
  await world?.stop()
})

describe('the functions under their own policies', () => {
  test('the admin function serves administrators: users, keys, grants, skills, lists', async () => {
    const ada = await newUser(world, 'ada', 10)
    const key = { headers: { 'x-admin-key': 'admin-key-of-these-tests' } }
    const granted = await askAdmin(world, 'POST', 'users/ada/credits', {
      body: { grantId: 'g1', amount: 3 },
    })
    expect(granted.status).toBe(200)
    for (const path of [
      'users/ada',
      'users/ada/keys',
      'users/ada/ledger',
      'skills?source=official',
      'health',
    ]) {
      expect([path, (await askAdmin(world, 'GET', path)).status]).toEqual([path, 200])
    }
    const keyId = nodeDigests().sha256(ada.key)
    const revoked = await fetch(`${world.adminApi.url}/v1/admin/users/ada/keys/${keyId}`, {
      method: 'DELETE',
      ...key,
    })
    expect(revoked.status).toBe(204)
    const secret = { authorization: 'Bearer internal-secret-of-these-tests' }
    const refreshed = await askAdmin(world, 'POST', 'refresh-tools', { headers: secret })
    expect(refreshed.status).toBe(200)
  })

  test('the mcp function answers the public catalog under its own role', async () => {
    const answer = await fetch(`${world.mcpUrl.url}/catalog`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { tools: expect.any(Array) }])
  })

  test('the functions make a dry run of a skill with a secret, which opens nothing', async () => {
    const dan = await newUser(world, 'dan', 10)
    await setSecret(world, dan, { name: 'API_KEY', value: SECRET })
    const at = 'skills/official/sg_locked/dry-run'
    const opened = world.kms.asked.length
    const shown = await askAdmin(world, 'POST', at, { body: { uid: dan.uid, arguments: {} } })
    expect(shown).toMatchObject({
      status: 200,
      body: { problems: [], secrets: [{ name: 'API_KEY', state: 'found', from: 'user' }] },
    })
    expect(JSON.stringify(shown)).toContain('Bearer [secret API_KEY]')
    expect(JSON.stringify(shown)).not.toContain(SECRET)
    expect(world.kms.asked.length).toBe(opened)
  })

  test('the functions serve a call with a secret of its user, over REST', async () => {
    const bob = await newUser(world, 'bob', 10)
    await setSecret(world, bob, { name: 'API_KEY', value: SECRET })
    expect(await execute(bob, 'sg_locked', {})).toMatchObject({ status: 200 })
    expect(world.upstream.authorizations.at(-1)).toBe(`Bearer ${SECRET}`)
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 9, creditsOnHold: 0 })
    await callLocked(bob.key)
    expect(world.upstream.authorizations.at(-1)).toBe(`Bearer ${SECRET}`)
  })

  test('the functions serve a call with a shared secret, which is listed, rotated and deleted', async () => {
    const zoe = await newUser(world, 'zoe', 10)
    const at = 'secrets/API_KEY?skill=sg_locked'
    for (const value of ['first-shared-value', 'second-shared-value']) {
      const set = await askAdmin(world, 'PUT', at, { body: { value, keepPreviousSec: 60 } })
      expect(set.status).toBe(200)
      expect(await execute(zoe, 'sg_locked', {})).toMatchObject({ status: 200 })
    }
    await callLocked((await newUser(world, 'zac', 10)).key)
    expect(world.upstream.authorizations.at(-1)).toMatch(/^Bearer (first|second)-shared-value$/)
    expect(await creditsAfterwards(world, zoe)).toEqual({ credits: 8, creditsOnHold: 0 })
    const listed = await askAdmin(world, 'GET', 'secrets')
    expect(JSON.stringify(listed)).toContain('lastUsedDayMs')
    const deleted = await fetch(`${world.adminApi.url}/v1/admin/${at}`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer internal-secret-of-these-tests' },
    })
    expect(deleted.status).toBe(204)
  })

  test('the functions serve a call with an idempotency key, and its repetition', async () => {
    const cyd = await newUser(world, 'cyd', 10)
    const once = { 'idempotency-key': 'once-and-only-once' }
    const first = await execute(cyd, 'sg_echo', { text: 'x' }, once)
    const again = await execute(cyd, 'sg_echo', { text: 'x' }, once)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(await creditsAfterwards(world, cyd)).toEqual({ credits: 9.5, creditsOnHold: 0 })
  })

  test('the functions tell of a keyed call whose process died', async () => {
    const ida = await newUser(world, 'ida', 10)
    const sha256 = nodeDigests().sha256
    const body = { arguments: { text: 'x' } }
    for (const key of ['died-over-rest', 'died-over-mcp']) {
      await dynamoIdempotencyRecords(store).claim({
        id: sha256(`idempotency:${ida.uid}\n${key}`),
        bodyHash: hashCallBody(sha256, body),
        sealingKeyHash: sha256(sha256(`sealing:${ida.key}`)),
        uid: ida.uid,
        callId: `call-that-${key}`,
        writeToken: 't',
        claimedAtMs: Date.now() - 120_000,
      })
    }
    const rest = await execute(
      ida,
      'sg_echo',
      { text: 'x' },
      { 'idempotency-key': 'died-over-rest' },
    )
    expect([rest.status, rest.body['detail']]).toEqual([
      409,
      expect.stringContaining('interrupted and cost nothing'),
    ])
    const _meta = { 'skillgate/idempotency-key': 'died-over-mcp' }
    const called = await postModern(world, ida.key, 'tools/call', {
      name: 'sg_echo',
      ...body,
      _meta,
    })
    expect(JSON.stringify(await called.rest())).toContain('interrupted and cost nothing')
  })

  test('the functions serve a session over HTTP+SSE whose replies come through the stream of the table', async () => {
    const dee = await newUser(world, 'dee', 10)
    const agent = await connectClient(world, dee.key)
    const { tools } = await agent.listTools()
    expect(tools.map(({ name }) => name)).toContain('sg_echo')
    expect(await callTool(agent, 'sg_echo', { text: 'x' })).toMatchObject({ isError: false })
    await agent.close()
    expect(await creditsAfterwards(world, dee)).toEqual({ credits: 9.5, creditsOnHold: 0 })
  })

  test('the functions serve calls over Streamable HTTP, and a look at the account', async () => {
    const eve = await newUser(world, 'eve', 10)
    const mcp = `${world.mcpUrl.url}/mcp`
    const { client: agent } = await connectStreamable(mcp, { key: eve.key })
    expect((await agent.listTools()).tools.length).toBeGreaterThan(1)
    expect(await callTool(agent, 'sg_echo', { text: 'x' })).toMatchObject({ isError: false })
    expect(await callTool(agent, 'sg_account', {})).toMatchObject({ isError: false })
    await agent.close()
    const discovered = await postModern(world, eve.key, 'server/discover')
    expect(discovered.response.status).toBe(200)
  })

  test('the functions renew a key by its use, which changes nothing but its times', async () => {
    const fay = await newUser(world, 'fay', 10)
    const keyHash = nodeDigests().sha256(fay.key)
    const twoDaysAgoMs = Date.now() - 2 * DAY_MS
    await DynamoDBDocumentClient.from(other).send(
      new UpdateCommand({
        TableName: TABLES.gateway,
        Key: authKey(keyHash),
        UpdateExpression: 'SET renewedAtMs = :then',
        ExpressionAttributeValues: { ':then': twoDaysAgoMs },
      }),
    )
    const before = await dynamoKeys(store).find(keyHash)
    expect(before?.renewedAtMs).toBe(twoDaysAgoMs)
    expect((await execute(fay, 'sg_echo', { text: 'x' })).status).toBe(200)
    await creditsAfterwards(world, fay)
    const after = await dynamoKeys(store).find(keyHash)
    expect(after?.renewedAtMs).toBeGreaterThan(twoDaysAgoMs)
    const { renewedAtMs = 0, expiresAtMs = 0 } = after ?? {}
    expect(after).toEqual({ ...before, renewedAtMs, expiresAtMs })
  })

  test('the functions void a settled call, which is one transaction over profile and ledger', async () => {
    const gil = await newUser(world, 'gil', 10)
    const called = await execute(gil, 'sg_echo', { text: 'x' })
    expect(await creditsAfterwards(world, gil)).toEqual({ credits: 9.5, creditsOnHold: 0 })
    const peer = functionUrlExecute({
      url: new URL(world.executeIamUrl.url),
      region: testRegion,
      credentials: roleOf('sse'),
      clock: systemClock(),
    })
    await peer.voidCall({ uid: gil.uid, callId: String(called.body['callId']), reason: 'void' })
    expect(await creditsAfterwards(world, gil)).toEqual({ credits: 10, creditsOnHold: 0 })
  })

  test('the sweep ends a hold whose call died', async () => {
    const hal = await newUser(world, 'hal', 10)
    const heldAtMs = Date.now() - 180_000
    await dynamoSweepEntries(store).put({ uid: hal.uid, minute: Math.floor(heldAtMs / 60_000) })
    await dynamoLedger(store).hold({
      uid: hal.uid,
      callId: 'call-of-the-dead-01',
      holdsMax: 32,
      hold: {
        amount: 1_000_000,
        heldAtMs,
        writeToken: 'm',
        skillId: 'sg_hold',
        source: 'official',
      },
    })
    await sweepUntil((report) => report.includes('"holds":1'))
    await creditsBecome(world, hal, { credits: 10, creditsOnHold: 0 })
  })

  test('the sweep moves a user and a key of the earlier service', async () => {
    const old = oldServiceOver(sdkRequests(other), TABLES.gateway)
    const key = `sgk_${'o'.repeat(43)}`
    const keyHash = nodeDigests().sha256(key)
    await old.put('credits', 'ivy', number('7'))
    await old.put('key', keyHash, text('ivy'))
    const ivy: User = { uid: 'ivy', username: 'ivy', key }
    expect((await execute(ivy, 'sg_echo', { text: 'x' })).status).toBe(200)
    await sweepUntil((report) => report.includes('holds'))
    const moved = await dynamoKeys(store).find(keyHash)
    expect([moved?.uid, moved?.v0]).toEqual(['ivy', undefined])
    await old.put('credits', 'jon', number('5'))
    const migrated = await askAdmin(world, 'POST', 'migrate', { body: { limit: 100 } })
    expect(migrated.status).toBe(200)
  })

  test('the usage function archives a call of the stream, and a day of changes', async () => {
    const taken = await readText(await world.usage.invoke({ Records: [endedCall(Date.now())] }))
    expect(JSON.parse(taken)).toEqual({ batchItemFailures: [] })
    await world.usage.invoke({ task: EXPORT_TRAIL })
    const put = world.proxy.sentBy('usage').filter(({ action }) => action === 's3:PutObject')
    expect(put.map(({ resource }) => resource.split('/')[1])).toEqual(['ledger', 'audit'])
  })

  test('the usage function merges the objects of a day that is over, below the prefix of the ledger', async () => {
    const atMs = Date.now() - 3 * DAY_MS
    for (const startedAtMs of [atMs, atMs + 1])
      await world.usage.invoke({ Records: [endedCall(startedAtMs)] })
    await world.usage.invoke({ task: EXPORT_TRAIL })
    const sent = world.proxy.sentBy('usage').filter(({ action }) => action.startsWith('s3:'))
    const changed = sent.filter(({ action }) => /Get|Delete/.test(action))
    expect(new Set(sent.map(({ action }) => action))).toEqual(
      new Set(['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject']),
    )
    expect(new Set(changed.map(({ resource }) => resource.split('/')[1]))).toEqual(
      new Set(['ledger']),
    )
  })

  test('the functions that make calls keep results, and look for them, below their prefix', async () => {
    const kim = await newUser(world, 'kim', 10)
    const echo = { endpoint: `${world.upstream.url}/echo`, method: 'GET' }
    const config = { ...echo, response: { keep: 'always' } }
    await syncSkill(world, { ...lockedSkill(world), id: 'sg_kept', config })
    const kept = await execute(kim, 'sg_kept', {})
    const uri = /skillgate:\/\/results\/[\w-]{43}/.exec(JSON.stringify(kept.body))?.[0]
    expect(await execute(kim, 'sg_read_result', { uri })).toMatchObject({ status: 422 })
    await postModern(world, kim.key, 'tools/call', { name: 'sg_kept', arguments: {} })
    const params = { name: 'sg_read_result', arguments: { uri } }
    await postModern(world, kim.key, 'tools/call', params)
    const agent = await connectClient(world, kim.key)
    await callTool(agent, 'sg_kept', {})
    await callTool(agent, 'sg_read_result', { uri: String(uri) })
    await agent.close()
    for (const door of ['execute', 'mcp', 'messages'] as const) {
      const sent = world.proxy.sentBy(door).filter(({ action }) => action.startsWith('s3:'))
      expect(new Set(sent.map(({ action }) => action))).toEqual(
        new Set(['s3:GetObject', 's3:PutObject']),
      )
      expect(sent.every(({ resource }) => resource.split('/')[1] === 'results')).toBe(true)
    }
  })

  test('the functions that make calls store the login of a user at an upstream, and renew it', async () => {
    await using opened = new AsyncDisposableStack()
    const server = opened.adopt(await startAuthorizationServer(), (one) => one.stop())
    const api = opened.adopt(await startProtectedApi(server.issuer), (one) => one.stop())
    api.metadata = { ...api.metadata, scopes_supported: ['tools:read', 'tools:call'] }
    const lou = await newUser(world, 'lou', 10)
    const auth = { type: 'oauth2', grant: 'authorization_code', secret: 'FILES_LOGIN' }
    const config = { endpoint: `${api.origin}/files`, auth }
    await syncSkill(world, { ...lockedSkill(world), id: 'sg_files', config })
    expect(await logInAtUpstream(world, server, lou, 'sg_files')).toBe(200)
    expect(await execute(lou, 'sg_files', {})).toMatchObject({ status: 200 })
    for (const token of api.tokens) api.revoked.add(token)
    expect(await execute(lou, 'sg_files', {})).toMatchObject({ status: 200 })
    expect(new Set(api.tokens).size).toBe(2)
    for (const token of api.tokens) api.revoked.add(token)
    await callOverSse(lou.key, 'sg_files')
    expect(new Set(api.tokens).size).toBe(3)
  })

  test('no request of the functions is denied, and none is left unjudged', () => {
    expect(world.proxy.denials).toEqual([])
    expect(world.proxy.faults).toEqual([])
    expect([...world.executeIamUrl.refusals, ...world.messagesUrl.refusals]).toEqual([])
  })
})

describe('the proxy in front of the services', () => {
  const stolen = (role: string) =>
    new DynamoDBClient({
      endpoint: world.proxy.endpoint,
      region: testRegion,
      credentials: roleOf(role),
      maxAttempts: 1,
    })
  const forged = { pk: { S: 'auth:hash:forged' }, sk: { S: '-' }, uid: { S: 'ada' } }

  test('denies what the policy of the sender does not allow, and passes on nothing of it', async () => {
    const before = world.proxy.denials.length
    const thief = stolen('sse')
    const put = new PutItemCommand({ TableName: TABLES.gateway, Item: forged })
    await expect(thief.send(put)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    thief.destroy()
    expect(world.proxy.denials.slice(before)).toEqual([expect.stringMatching(/^sse: .*PutItem/)])
    expect(await dynamoKeys(store).find('forged')).toBeUndefined()
  })

  test('denies an object to another function, and elsewhere in the bucket', async () => {
    const archive = (role: string) =>
      makeS3ArchiveWriter({
        bucket: ARCHIVE_BUCKET,
        region: testRegion,
        endpoint: world.proxy.endpoint,
        credentials: async () => roleOf(role),
        clock: systemClock(),
      })
    const before = world.proxy.denials.length
    const names = { sse: 'ledger/day=2026-11-22/forged', usage: 'elsewhere/forged' }
    for (const [role, name] of Object.entries(names)) {
      await expect(archive(role).put({ name, text: 'forged' })).rejects.toThrow('got 403')
    }
    expect(world.proxy.denials.slice(before)).toEqual([
      expect.stringMatching(/^sse: .*PutObject/),
      expect.stringMatching(/^usage: .*elsewhere/),
    ])
  })

  test('refuses a sender that it does not know', async () => {
    const before = world.proxy.faults.length
    const stranger = stolen('a-stranger')
    const get = new GetItemCommand({
      TableName: TABLES.gateway,
      Key: { pk: { S: 'x' }, sk: { S: '-' } },
    })
    await expect(stranger.send(get)).rejects.toThrow()
    stranger.destroy()
    expect(world.proxy.faults.slice(before)).toEqual([
      'no function has the access key ASIATESTASTRANGER',
    ])
  })
})

/** The functions mcp and messages open secrets under their own roles. */
async function callLocked(key: string): Promise<void> {
  const called = await postModern(world, key, 'tools/call', { name: 'sg_locked', arguments: {} })
  expect((await called.rest()).at(-1)).toMatchObject({ result: { isError: false } })
  await callOverSse(key, 'sg_locked')
}

async function callOverSse(key: string, skill: string): Promise<void> {
  const agent = await connectClient(world, key)
  expect(await callTool(agent, skill, {})).toMatchObject({ isError: false })
  await agent.close()
}

/** docs/service.md, Doors: the functions that a function calls by their internal URLs. */
const CALLS: { readonly [door in Door]?: readonly Callee[] } = {
  sse: ['messages', 'execute'],
  // For one release: the version before this one has execute make its calls (ADR 0135).
  messages: ['execute'],
  admin: ['execute'],
  sweep: ['execute'],
}

/**
 * Elsewhere: requests to tables are judged in test/contracts/dynamodb.test.ts; logs are written by Lambda itself, which
 * also lists streams: a right on no resource, so that nothing can be forged.
 */
const ELSEWHERE = /^dynamodb:(?!DescribeStream|GetRecords|GetShardIterator)|^logs:/

/**
 * What Lambda does with the role of a function that reads a stream: it polls the stream, and sends what the
 * function could not take to the queue (AWS: Using AWS Lambda with Amazon DynamoDB; Capturing discarded
 * batches). It asks for the queue's address and attributes when the mapping is made.
 */
function byEventSource(): readonly Authorization[] {
  const { accountId, region } = ACCOUNT
  const stream = `arn:aws:dynamodb:${region}:${accountId}:table/${TABLES.gateway}/stream/news`
  const queue = world.policies.usage
    .flatMap(({ resources }) => resources)
    .find((one) => one.startsWith('arn:aws:sqs:'))
  const polled = ['DescribeStream', 'GetRecords', 'GetShardIterator']
  const sent = ['GetQueueAttributes', 'GetQueueUrl', 'SendMessage']
  return [
    ...polled.map((name) => ({ action: `dynamodb:${name}`, resource: stream, context: {} })),
    ...sent.map((name) => ({ action: `sqs:${name}`, resource: queue ?? '', context: {} })),
  ]
}

const NOT_TO_TABLES: PolicySubject = {
  policyOf: (door) =>
    world.policies[door].filter(({ actions }) => !actions.some((one) => ELSEWHERE.test(one))),
  sentBy: (door) => [
    ...world.proxy.sentBy(door).filter(({ action }) => !ELSEWHERE.test(action)),
    ...(CALLS[door] ?? []).flatMap((callee) => callsOf(ACCOUNT, callee)),
    ...(door === 'usage' ? byEventSource() : []),
  ],
}
describePolicies('requests to streams, KMS, secrets and other functions', NOT_TO_TABLES)
describeGaps('requests to streams, KMS, secrets and other functions', NOT_TO_TABLES)

type Answer = { readonly status: number; readonly body: { readonly [field: string]: unknown } }

async function execute(
  user: User,
  skill: string,
  args: object,
  headers: { readonly [name: string]: string } = {},
): Promise<Answer> {
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ skill, arguments: args }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** A first sweep starts a day back and visits 200 minutes at a time: at most 8 runs. */
async function sweepUntil(isDone: (report: string) => boolean): Promise<void> {
  for (let run = 0; run < 9; run += 1) {
    if (isDone(await readText(await world.sweep.invoke({ source: 'aws.scheduler' })))) return
  }
  throw new Error(`no run of the sweep did it:\n${world.sweep.log()}`)
}
