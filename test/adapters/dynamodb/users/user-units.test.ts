/** Units of an administrator's work on users, counted by the store itself; figures of docs/data-model.md. */
import { expect, test } from 'vitest'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { debtKey, listedUserKey } from '../../../../adapters/dynamodb/table.ts'
import { dynamoProfiles } from '../../../../adapters/dynamodb/users/profiles.ts'
import { dynamoUserDirectory } from '../../../../adapters/dynamodb/users/user-directory.ts'
import { DIRECTORY_READ_MAX } from '../../../../core/access/user-directory.ts'
import { freshName, profileOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
const [profiles, directory] = [dynamoProfiles(store), dynamoUserDirectory(store)]
const CLOSED = { state: 'disabled', reason: 'unpaid', sinceMs: 1 } as const

/** `[command, units]` of each request of this work. */
async function unitsOf(work: () => Promise<unknown>): Promise<readonly (readonly unknown[])[]> {
  seen.length = 0
  await work()
  return seen.map(({ command, units }) => [command, units])
}

test('a new user costs one transaction of 6 units, and each change one read and one transaction', async () => {
  const uid = freshName('u-')
  const made = await unitsOf(() => profiles.create(profileOf(uid)))
  expect(made).toEqual([['transact', 6]])
  const change = (to: Parameters<typeof profiles.change>[1]) =>
    unitsOf(() => profiles.change(uid, to))
  expect(await change({ tier: 'pro' })).toEqual([
    ['get', 1],
    ['transact', 8],
  ])
  expect(await change({ disabled: CLOSED })).toEqual([
    ['get', 1],
    ['transact', 8],
  ])
  expect(await change({ disabled: null, username: freshName('eve') })).toEqual([
    ['get', 1],
    ['transact', 12],
  ])
  expect(await change({ identity: freshName('id-') })).toEqual([
    ['get', 1],
    ['transact', 8],
  ])
  // Profile, identity, two entries that show the groups, and one for each group that is entered or left.
  expect(await change({ groups: ['finance', 'sales'] })).toEqual([
    ['get', 1],
    ['transact', 12],
  ])
  expect(await change({ groups: ['finance', 'support'] })).toEqual([
    ['get', 1],
    ['transact', 14],
  ])
})

test('a page of 100 users is one read of their entries, and a filtered page reads no more than its limit', async () => {
  const prefix = freshName('page')
  for (let user = 0; user < 110; user += 1) {
    const username = `${prefix}${String(user).padStart(4, '0')}`
    await profiles.create(profileOf(freshName('u-'), { username }))
  }
  const page = await unitsOf(() => directory.page({ prefix, limit: 100 }))
  expect(page).toEqual([['query', 4]])
  const { users } = await directory.page({ prefix, limit: 100 })
  const balances = await unitsOf(() => profiles.readAll(users.map(({ uid }) => uid)))
  expect(balances).toEqual([['batchGet', 100]])
})

test('a correction that may leave a debt costs 2 units more than a grant, and 100 debts are one read', async () => {
  const ledger = dynamoLedger(store)
  const uid = freshName('u-')
  await profiles.create(profileOf(uid))
  const grant = { uid, creditsMax: 100, nowMs: 1 }
  const given = await unitsOf(() => ledger.grant({ ...grant, grantId: 'g', amount: 1 }))
  expect(given).toEqual([
    ['transact', 4],
    ['get', 1],
  ])
  const debt = { ...grant, grantId: 'k', amount: -2, reason: 'r', creditsMin: -9 }
  expect(await unitsOf(() => ledger.grant(debt))).toEqual([
    ['transact', 6],
    ['get', 1],
  ])
  for (let user = 0; user < 100; user += 1) {
    const key = debtKey(`u-${String(user).padStart(3, '0')}`)
    await store.put(store.tables.gateway, { item: { ...key, uid: key.sk } })
  }
  expect(await unitsOf(() => ledger.debtors({ limit: 100 }))).toEqual([['query', 1]])
})

test('a filter that leaves out more entries than a page may read answers none and where to go on', async () => {
  const prefix = freshName('many')
  const listed = { username: prefix, tier: 'free', state: 'disabled', createdAtMs: 1 } as const
  for (let user = 0; user <= DIRECTORY_READ_MAX; user += 1) {
    const uid = `u-${String(user).padStart(4, '0')}`
    const key = listedUserKey('closed', { name: prefix, uid })
    await store.put(store.tables.gateway, { item: { ...key, ...listed, uid } })
  }
  const wanted = { prefix, limit: 50, state: 'disabled', tier: 'pro' } as const
  const first = await directory.page(wanted)
  expect(first).toEqual({ users: [], next: { name: prefix, uid: 'u-0999' } })
  const rest = await directory.page({ ...wanted, after: first.next })
  expect(rest).toEqual({ users: [], next: undefined })
})
