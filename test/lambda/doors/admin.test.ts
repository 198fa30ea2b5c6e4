// The admin bundle behind a REST API, and the sweep bundle as its schedule invokes it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoLedger } from '../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../../adapters/dynamodb/ledger/sweep-entries.ts'
import { readText } from '../answer.ts'
import { askAdmin, creditsAfterwards, newUser, type User } from './people.ts'
import { SECRET_IDS, SECRETS, startWorld, TABLES, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('the admin door', () => {
  test('accepts each credential for its own paths, and no other', async () => {
    const secret = { authorization: `Bearer ${SECRETS.INTERNAL_API_SECRET}` }
    const key = { 'x-admin-key': SECRETS.ADMIN_KEY }
    const wrong = { authorization: 'Bearer internal-secret-of-others' }
    const statuses = [
      (await askAdmin(world, 'POST', 'refresh-tools', { headers: secret })).status,
      (await askAdmin(world, 'POST', 'refresh-tools', { headers: key })).status,
      (await askAdmin(world, 'POST', 'sync_cache', { body: {}, headers: key })).status,
      (await askAdmin(world, 'POST', 'sync_cache', { body: {}, headers: wrong })).status,
      (await askAdmin(world, 'GET', 'users/ada', { headers: {} })).status,
      (await askAdmin(world, 'GET', 'nothing-here', { headers: key })).status,
    ]
    expect(statuses).toEqual([200, 401, 200, 401, 401, 404])
  })
})

describe('the secrets of administrators', () => {
  const ask = (key: string) =>
    askAdmin(world, 'GET', 'users/nobody', { headers: { 'x-admin-key': key } })

  test('are rotated without an outage: a new environment accepts the new value and the old one', async () => {
    const [current, previous] = ['a-new-admin-key-of-tests', SECRETS.ADMIN_KEY]
    expect((await ask(previous)).status).toBe(404)
    // Only an environment that has polled again gets the next request; a new one reads anew.
    await world.admin.whenIdle()
    world.secrets.set(SECRET_IDS.ADMIN_SECRET_ID, JSON.stringify({ current, previous }))
    expect((await ask(current)).status).toBe(401)
    await world.admin.killAll()
    expect([(await ask(current)).status, (await ask(previous)).status]).toEqual([404, 404])
    expect((await ask('neither-of-the-two-keys')).status).toBe(401)
  })

  test('let nobody in when they cannot be read; the log says which and why, and shows none', async () => {
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
  test('refunds the hold of a dead call', async () => {
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
