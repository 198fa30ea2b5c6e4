/**
 * What the roles of other functions get at the internal URL of execute: the sweep has jobs looked
 * after and servers listed, and nothing else, and messages makes calls of callers whose key it was given.
 */
import { describe, expect, test } from 'vitest'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { type Credential, toLaterCredential } from '../../../core/access/credential.ts'
import { toIdentityId, toIdentityRecord } from '../../../core/access/identity.ts'
import { admitIdentity } from '../../../core/flow/access/admit-identity.ts'
import { issueKey } from '../../../core/flow/users/manage-keys.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { ISSUER } from '../../core/flow/users/first-login.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse } from '../door-client.ts'
import { doorOf } from '../mcp/agent.ts'
import { LOGIN_SETTINGS, logIn } from '../mcp/log-in.ts'

const CALL_ID = 'c'.repeat(43)
const SWEEP = 'arn:aws:sts::123456789012:assumed-role/Gateway-SweepRole-1/x'
const ADMIN = 'arn:aws:sts::123456789012:assumed-role/Gateway-AdminRole-1/x'
const MESSAGES = 'arn:aws:sts::123456789012:assumed-role/Gateway-MessagesRole-1/x'

async function post(
  world: World,
  path: string,
  { body, headers = {}, userArn }: { userArn: string; body: object; headers?: object },
) {
  const roles = { admin: 'Gateway-AdminRole-1', sweep: 'Gateway-SweepRole-1' }
  const door = createExecuteDoor(world.ports, world.settings, undefined, roles)
  const event = eventOf('POST', path, { body: JSON.stringify(body), headers: { ...headers } })
  const requestContext = {
    ...event.requestContext,
    authorizer: { iam: { accountId: '1', userArn } },
  }
  const out = new MemoryResponse()
  await door({ ...event, requestContext }, out, contextOf())
  return out
}

function call(world: World, ada: string, userArn: string) {
  return callAs(world, credentialOf(ada), userArn)
}

async function callAs(world: World, credential: Credential, userArn: string) {
  const body = { skill: 'sg_weather', arguments: {} }
  const headers = {
    'x-skillgate-credential': writeCredential(credential),
    'x-skillgate-call-id': CALL_ID,
    'x-skillgate-deadline-ms': String(START_MS + 10_000),
  }
  return post(world, '/v1/execute', { userArn, body, headers })
}

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { price: 1 })
  return { world, ada }
}

describe('a list of tools of an MCP server', () => {
  test.each([
    ['admin', ADMIN, 400, 'malformed'],
    ['the sweep', SWEEP, 400, 'malformed'],
    ['messages', MESSAGES, 404, 'not_found'],
  ])('is given to %s or not, by its role', async (_, userArn, status, code) => {
    const { world } = await ready()
    const out = await post(world, '/v1/execute/listing', { userArn, body: {} })
    expect([out.status, out.json()['code']]).toEqual([status, code])
  })
})

describe('the role of the sweep', () => {
  test('reads nothing for a user, whose credential comes from messages alone', async () => {
    const { world, ada } = await ready()
    const body = { kind: 'resource', uri: 'skillgate://upstreams/files/file:///x' }
    const headers = { 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    for (const [userArn, status, code] of [
      [SWEEP, 403, 'forbidden'],
      [MESSAGES, 404, 'not_found'],
    ] as const) {
      const out = await post(world, '/v1/execute/reading', { userArn, body, headers })
      expect([out.status, out.json()['code']]).toEqual([status, code])
    }
    const out = await post(world, '/v1/execute/reading', { userArn: MESSAGES, body: {}, headers })
    expect([out.status, out.json()['code']]).toEqual([400, 'malformed'])
  })

  test('makes no call, and one of messages does', async () => {
    const { world, ada } = await ready()
    const refused = await call(world, ada, SWEEP)
    expect([refused.status, refused.json()['code']]).toEqual([403, 'forbidden'])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect((await call(world, ada, MESSAGES)).status).toBe(200)
  })

  test('voids no call', async () => {
    const { world, ada } = await ready()
    await call(world, ada, MESSAGES)
    const body = { uid: 'ada', callId: CALL_ID, reason: 'void' }
    expect((await post(world, '/v1/execute/void', { userArn: SWEEP, body })).status).toBe(403)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('has a job looked after', async () => {
    const { world } = await ready()
    const body = { uid: 'ada', callId: CALL_ID, does: 'end' }
    const out = await post(world, '/v1/execute/job', { userArn: SWEEP, body })
    expect([out.status, out.json()]).toEqual([200, { kind: 'none' }])
  })
})

describe('the role of messages, which has read the hash of a credential', () => {
  const OTHER_SECRET = credentialOf(`Bearer sgk_${'x'.repeat(43)}`)

  test.each<[string, (world: World) => Promise<Credential>]>([
    ['a key', async (world) => credentialOf(await world.user('ada'))],
    ['a sub-key', subKey],
    ['an access token', loginToken],
    ['the anchor of a login', anchor],
    ['an identity of an issuer', identity],
  ])('makes no call with the hash of %s alone, and one with its secret', async (_what, make) => {
    const world = makeWorld(LOGIN_SETTINGS)
    await world.skill('sg_weather', { price: 1 })
    const credential = await make(world)
    const forged = { ...OTHER_SECRET, id: idOf(credential) }
    const refused = await callAs(world, forged, MESSAGES)
    expect([refused.status, refused.json()['code']]).toEqual([401, 'unauthenticated'])
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect((await callAs(world, credential, MESSAGES)).status).toBe(200)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('makes no call with what the record of the key has', async () => {
    const world = makeWorld()
    await world.skill('sg_weather', { price: 1 })
    const credential = credentialOf(await world.user('ada'))
    const record = await world.ports.keys.find(idOf(credential))
    for (const sealingKey of [record?.proof, record?.keyHash]) {
      expect(sealingKey).toBeTypeOf('string')
      const forged = { ...credential, sealingKey: sealingKey ?? '' }
      expect((await callAs(world, forged, MESSAGES)).status).toBe(401)
    }
  })
})

function idOf(credential: Credential): string {
  if (credential.kind !== 'key') throw new Error(credential.kind)
  return credential.id
}

async function subKey(world: World): Promise<Credential> {
  await world.user('ada')
  const { key } = okOf(await issueKey(world.ports, 'ada', { mayIssueKeys: true }))
  const body = { skill: 'sg_issue_key', arguments: {} }
  const headers = { authorization: `Bearer ${key}` }
  const door = createExecuteDoor(world.ports, world.settings)
  const out = await ask(door, 'POST', '/v1/execute', { headers, body })
  const issued = /sgs_[\w-]{43}/.exec(out.text)?.[0]
  return credentialOf(`Bearer ${issued}`)
}

async function loginToken(world: World): Promise<Credential> {
  const keyHash = idOf(credentialOf(await world.user('ada')))
  const login = await logIn(world, doorOf(world), { uid: 'ada', keyHash })
  return credentialOf(login.bearer())
}

async function identity(world: World): Promise<Credential> {
  await world.user('ada')
  const issuer = { ...ISSUER, provision: 'off' as const }
  const token = { issuer, subject: 'ada', scopes: [], expiresAtMs: START_MS, claims: {} }
  const id = toIdentityId(world.ports.digests, { issuer: issuer.issuer, subject: 'ada' })
  const user = { uid: 'ada', username: 'ada' }
  const record = toIdentityRecord({ id, identity: undefined, user, nowMs: START_MS })
  await world.ports.keys.putIdentity({ record })
  await world.ports.logins.secret()
  return { ...okOf(await admitIdentity(world.ports, token)), mayCall: true }
}

async function anchor(world: World): Promise<Credential> {
  return toLaterCredential(world.ports.digests, await loginToken(world))
}
