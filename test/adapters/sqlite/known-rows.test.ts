/** Profiles and skills that a connection has cached are never older than the file. */
import { expect, test } from 'vitest'
import { KNOWN_USERS_MAX, knownProfiles } from '../../../adapters/sqlite/accounts/known-profiles.ts'
import { profileRows } from '../../../adapters/sqlite/accounts/profile-rows.ts'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import {
  KNOWN_CANDIDATES_MAX,
  knownCandidates,
} from '../../../adapters/sqlite/registry/known-candidates.ts'
import { holdOf, keyOf, privateSkillOf, profileOf, skillOf } from '../../contracts/fresh.ts'
import type { StorePorts } from '../../contracts/store-ports.ts'
import { freshFile, openFile, openPorts, portsOver } from './fresh-file.ts'

const QUERY = { uid: 'u-1', name: 'sg_a', skillId: 'sg_a', cut: undefined }
const HOLD = { uid: 'u-1', callId: '1-a', hold: holdOf(3), holdsMax: 32 }
const GRANT = { uid: 'u-1', grantId: 'g', amount: 5, creditsMax: 100, nowMs: 1 }

/** Two connections, of which the first has read everything twice: the second time from its cache. */
async function bothKnow(): Promise<readonly [StorePorts, StorePorts]> {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  await first.profiles.create(profileOf('u-1', { credits: 10 }))
  await first.skills.put(skillOf('sg_a'), 0)
  for (const ports of [first, first, second, second]) await ports.callLookup.read(QUERY)
  return [first, second]
}

test.each<[string, (ports: StorePorts) => Promise<unknown>]>([
  ['a hold', ({ ledger }) => ledger.hold(HOLD)],
  ['a grant', ({ ledger }) => ledger.grant(GRANT)],
  ['a new username', ({ profiles }) => profiles.change('u-1', { username: 'grace' })],
  ['a new tier', ({ profiles }) => profiles.change('u-1', { tier: 'pro' })],
  ['a changed private list', ({ profiles }) => profiles.noteSkillsChanged('u-1', 9)],
  ['a watched user', ({ v0 }) => v0.watch('u-1', true)],
  [
    'a changed skill',
    ({ skills }) => skills.put(skillOf('sg_a', { toolName: 'other', version: 2 }), 1),
  ],
  ['a removed skill', ({ skills }) => skills.remove({ source: 'official', skillId: 'sg_a' }, 1)],
  ['a new private skill', ({ skills }) => skills.put(privateSkillOf('u-1', 'sg_a'), 0)],
])('%s is seen at once, here and by another connection', async (_what, change) => {
  const [first, second] = await bothKnow()
  const before = await first.callLookup.read(QUERY)
  await change(second)
  const after = await second.callLookup.read(QUERY)
  expect(after).not.toEqual(before)
  expect(await first.callLookup.read(QUERY)).toEqual(after)
})

test('a claimed tool name is seen at once, here and by another connection', async () => {
  const [first, second] = await bothKnow()
  await second.skills.put(privateSkillOf('u-1', 'sg_b'), 0)
  await second.skills.claimToolName({ uid: 'u-1', toolName: 'sg_a', skillId: 'sg_b' })
  for (const { callLookup } of [first, second]) {
    const { candidates } = await callLookup.read(QUERY)
    expect(candidates.private?.skillId).toBe('sg_b')
  }
})

test('credits that another connection took are never taken again', async () => {
  const [first, second] = await bothKnow()
  await second.ledger.hold({ ...HOLD, callId: '1-b', hold: holdOf(8) })
  expect(await first.ledger.hold(HOLD)).toMatchObject({
    kind: 'refused',
    why: 'insufficient_credits',
  })
})

test('a key that another connection revoked is unknown at once', async () => {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  await first.keys.put(keyOf('h-1', { uid: 'u-1' }))
  for (const { keys } of [first, first, second]) expect(await keys.find('h-1')).toBeDefined()
  await second.keys.revoke({ uid: 'u-1', keyHash: 'h-1' })
  for (const { keys } of [first, second]) expect(await keys.find('h-1')).toBeUndefined()
})

test('a key that was renewed is found as it is, here and by another connection', async () => {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  await first.keys.put(keyOf('h-1', { renewedAtMs: 1 }))
  for (const { keys } of [first, second]) await keys.find('h-1')
  const renewal = { keyHash: 'h-1', expiresAtMs: 90, renewedAtMs: 2, ifRenewedAtMs: 1 }
  await second.keys.renew(renewal)
  for (const { keys } of [first, second]) {
    expect(await keys.find('h-1')).toMatchObject({ expiresAtMs: 90, renewedAtMs: 2 })
  }
})

/** The minute of the test's clock. */
const NOW = 33_333_333
const COUNTED = { keyHash: 'h-1', minute: NOW, uid: 'u-1', limit: async () => 9 }

test('calls that two connections count in turn get the next number each', async () => {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  const counts: number[] = []
  for (const { rateCounters } of [first, first, second, second, first]) {
    counts.push(await rateCounters.count(COUNTED))
  }
  expect(counts).toEqual([1, 2, 3, 4, 5])
})

test('calls that two connections count at once get a number each', async () => {
  const path = freshFile()
  const [first, second] = [openPorts(path), openPorts(path)]
  const both = [first, second, first, second].map(({ rateCounters }) => rateCounters.count(COUNTED))
  expect((await Promise.all(both)).sort()).toEqual([1, 2, 3, 4])
})

test('a count that was taken back with its transaction is not counted twice', async () => {
  const database = openFile(freshFile())
  const { rateCounters } = portsOver(database)
  await rateCounters.count(COUNTED)
  const refused = database.write(() => {
    throw new Error('taken back')
  })
  const [count] = await Promise.allSettled([rateCounters.count(COUNTED), refused])
  expect(count).toEqual({ status: 'fulfilled', value: 2 })
  expect(await rateCounters.read(COUNTED)).toBe(2)
})

test('a user who is counted in another minute is entered for its sweep as well', async () => {
  const { rateCounters, sweepEntries } = openPorts(freshFile())
  const entered = async (minute: number) =>
    (await sweepEntries.list(minute, { after: '', limit: 9 })).entries.map(({ uid }) => uid)
  const { uid: _uid, ...anonymous } = COUNTED
  await rateCounters.count(anonymous)
  expect(await entered(NOW)).toEqual([])
  await rateCounters.count(COUNTED)
  await rateCounters.count({ ...COUNTED, minute: NOW + 1 })
  expect([await entered(NOW), await entered(NOW + 1)]).toEqual([['u-1'], ['u-1']])
})

test('holds that two connections place in turn are numbered one after the other', async () => {
  const [first, second] = await bothKnow()
  const placements: (number | undefined)[] = []
  for (const [index, { ledger }] of [first, second, second, first].entries()) {
    const callId = `1-${index}`
    const held = await ledger.hold({ ...HOLD, callId, hold: holdOf(1) })
    placements.push(held.kind === 'held' ? held.profile.holds[callId]?.placement : undefined)
    await ledger.release({ uid: 'u-1', callId, giveBack: false })
  }
  expect(placements).toEqual([1, 2, 3, 4])
})

test('rows that a transaction wrote and then rolled back are forgotten', async () => {
  const database = openFile(freshFile())
  const rows = profileRows(database)
  await database.write(() => rows.insert(profileOf('u-1', { credits: 10 })))
  const profile = await database.snapshot(() => rows.find('u-1'))
  await expect(database.write(() => takeAndThrow(rows, database))).rejects.toThrow('taken back')
  expect(rows.known('u-1', database.epoch())).toBeUndefined()
  expect(await database.snapshot(() => rows.find('u-1'))).toEqual(profile)
})

function takeAndThrow(rows: ReturnType<typeof profileRows>, database: Database): void {
  const profile = rows.find('u-1')
  if (profile === undefined) throw new Error('no profile')
  rows.place(profile, '1-a', holdOf(3), { credits: 7 })
  expect(rows.known('u-1', database.epoch())?.credits).toBe(7)
  expect(database.epoch()).toBe(database.epoch())
  throw new Error('taken back')
}

test('the profiles read first are forgotten past the limit', () => {
  const known = knownProfiles()
  const keep = (uid: string) => known.keep({ profile: profileOf(uid), placed: 0 }, 1)
  for (let n = 0; n < KNOWN_USERS_MAX; n += 1) keep(`u-${n}`)
  expect(known.of('u-0', 1)).toBeDefined()
  keep('u-new')
  expect(known.of('u-0', 1)).toBeUndefined()
  expect(known.of('u-1', 1)).toBeDefined()
  expect(known.of('u-1', 2)).toBeUndefined()
})

test('the candidates are forgotten past the limit', () => {
  const known = knownCandidates()
  const none = { private: undefined, official: undefined, market: undefined }
  const query = (n: number) => ({ ...QUERY, name: `n-${n}` })
  for (let n = 0; n < KNOWN_CANDIDATES_MAX; n += 1) known.keep(query(n), 1, none)
  expect(known.of(query(0), 1)).toBe(none)
  known.keep(query(KNOWN_CANDIDATES_MAX), 1, none)
  expect(known.of(query(0), 1)).toBeUndefined()
  expect(known.of(query(KNOWN_CANDIDATES_MAX), 1)).toBe(none)
})

test('candidates of another user, name or prefix are never taken for each other', () => {
  const known = knownCandidates()
  const none = { private: undefined, official: undefined, market: undefined }
  known.keep({ uid: 'u-1', name: 'sg_a', skillId: 'sg_b', cut: 'c' }, 1, none)
  const others = [
    { uid: 'u-1s', name: 'g_a', skillId: 'sg_b', cut: 'c' },
    { uid: 'u-1', name: 'sg_as', skillId: 'g_b', cut: 'c' },
    { uid: 'u-1', name: 'sg_a', skillId: 'sg_b', cut: undefined },
    { uid: 'u-1', name: 'sg_a', skillId: 'sg_b+c', cut: undefined },
    { uid: 'u-1', name: 'sg_a', skillId: 'sg_b', cut: '' },
  ]
  expect(others.map((query) => known.of(query, 1))).toEqual(others.map(() => undefined))
  expect(known.of({ uid: 'u-1', name: 'sg_a', skillId: 'sg_b', cut: 'c' }, 1)).toBe(none)
})
