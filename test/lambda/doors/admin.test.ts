// The admin bundle behind a REST API, and the sweep bundle as its schedule invokes it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { dynamoLedger } from '../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../../adapters/dynamodb/ledger/sweep-entries.ts'
import { readText } from '../answer.ts'
import { askAdmin, creditsAfterwards, newUser, skillOf, type User } from './people.ts'
import { SECRET_IDS, SECRETS, startWorld, TABLES, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('the admin door', () => {
  it('makes a user, a key, a grant and a skill that the user can call at once', async () => {
    const created = await askAdmin(world, 'POST', 'users', { username: 'ada', uid: 'ada' })
    expect(created).toMatchObject({ status: 201, body: { uid: 'ada', tier: 'free', credits: 0 } })
    const issued = await askAdmin(world, 'POST', 'users/ada/keys')
    expect(issued.status).toBe(201)
    expect(issued.body['key']).toMatch(/^sgk_[A-Za-z0-9_-]{43}$/)
    const grant = { grantId: 'first', amount: 3 }
    const granted = await askAdmin(world, 'POST', 'users/ada/credits', grant)
    const again = await askAdmin(world, 'POST', 'users/ada/credits', grant)
    expect([granted.body['granted'], again.body['granted']]).toEqual([true, false])
    const synced = await askAdmin(world, 'POST', 'sync_skill', skillOf(world, 'echo', 0.5))
    expect(synced).toMatchObject({
      status: 201,
      body: { toolName: 'sg_echo', created: true, listed: true },
    })
    const call = await fetch(`${world.executeUrl.url}/v1/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${issued.body['key']}`,
        'content-type': 'application/json',
      },
      body: '{"skill":"sg_echo","arguments":{"text":"x"}}',
    })
    expect(call.status).toBe(200)
    const ada: User = { uid: 'ada', username: 'ada', key: '' }
    expect(await creditsAfterwards(world, ada)).toEqual({ credits: 2.5, creditsOnHold: 0 })
  })

  it('accepts each credential for its own paths, and no other', async () => {
    const secret = { authorization: `Bearer ${SECRETS.INTERNAL_API_SECRET}` }
    const key = { 'x-admin-key': SECRETS.ADMIN_KEY }
    const wrong = { authorization: 'Bearer internal-secret-of-others' }
    const statuses = [
      (await askAdmin(world, 'POST', 'refresh-tools', undefined, secret)).status,
      (await askAdmin(world, 'POST', 'refresh-tools', undefined, key)).status,
      (await askAdmin(world, 'POST', 'sync_cache', {}, key)).status,
      (await askAdmin(world, 'POST', 'sync_cache', {}, wrong)).status,
      (await askAdmin(world, 'GET', 'users/ada', undefined, {})).status,
      (await askAdmin(world, 'GET', 'nothing-here', undefined, key)).status,
    ]
    expect(statuses).toEqual([200, 401, 200, 401, 401, 404])
  })
})

describe('the secrets of administrators', () => {
  const ask = (key: string) =>
    askAdmin(world, 'GET', 'users/nobody', undefined, { 'x-admin-key': key })

  it('are rotated without an outage: a new environment accepts the new value and the old one', async () => {
    const [current, previous] = ['a-new-admin-key-of-tests', SECRETS.ADMIN_KEY]
    expect((await ask(previous)).status).toBe(404)
    world.secrets.set(SECRET_IDS.ADMIN_SECRET_ID, JSON.stringify({ current, previous }))
    expect((await ask(current)).status).toBe(401)
    await world.admin.killAll()
    expect([(await ask(current)).status, (await ask(previous)).status]).toEqual([404, 404])
    expect((await ask('neither-of-the-two-keys')).status).toBe(401)
  })

  it('let nobody in when they cannot be read; the log says which and why, and shows none', async () => {
    world.secrets.set(SECRET_IDS.ADMIN_SECRET_ID, '{"current":"too-short-by-1"}')
    await world.admin.killAll()
    const refused = await ask(SECRETS.ADMIN_KEY)
    expect([refused.status, refused.body['code']]).toEqual([503, 'store_unavailable'])
    const why = 'secret test/admin: current: is too short; give 16 characters or more'
    expect(world.admin.log()).toContain(why)
    expect(world.admin.log()).not.toContain('too-short-by-1')
    world.secrets.set(SECRET_IDS.ADMIN_SECRET_ID, JSON.stringify({ current: SECRETS.ADMIN_KEY }))
    expect((await ask(SECRETS.ADMIN_KEY)).status).toBe(404)
  })
})

describe('the sweep', () => {
  it('refunds the hold of a dead call', async () => {
    const bob = await newUser(world, 'bob', 10)
    const threeMinutesAgoMs = Date.now() - 180_000
    await holdAndDie(bob, threeMinutesAgoMs)
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 9, creditsOnHold: 1 })
    await runSweepUntil((one) => one.holds === 1)
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 10, creditsOnHold: 0 })
    await world.sweep.invoke({ source: 'aws.scheduler' })
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 10, creditsOnHold: 0 })
  })
})

/** The records that execute leaves behind when its function dies between hold and outcome. */
async function holdAndDie(user: User, heldAtMs: number): Promise<void> {
  const client = dynamoClient({ endpoint: world.storeEndpoint })
  const store = dynamoStore({ client, tables: TABLES, clock: systemClock() })
  await dynamoSweepEntries(store).put({ uid: user.uid, minute: Math.floor(heldAtMs / 60_000) })
  await dynamoLedger(store).hold({
    uid: user.uid,
    callId: 'call-of-the-dead-01',
    holdsMax: 32,
    hold: { amount: 1_000_000, heldAtMs, writeToken: 'm', skillId: 'sg_hold', source: 'official' },
  })
  client.destroy()
}

/** A first sweep starts a day back and visits 200 minutes at a time: at most 8 runs. */
async function runSweepUntil(done: (report: { holds: number }) => boolean): Promise<void> {
  for (let run = 0; run < 9; run += 1) {
    const text = await readText(await world.sweep.invoke({ source: 'aws.scheduler' }))
    if (done(JSON.parse(text))) return
  }
  throw new Error(`no run of the sweep did it:\n${world.sweep.log()}`)
}
