/**
 * Units of one call, counted by the store itself. At most 5 WRU + 4 RRU (docs/service.md, Order of
 * a call).
 */
import { describe, expect, test } from 'vitest'
import { dynamoEvents } from '../../../adapters/dynamodb/ledger/events.ts'
import { dynamoLedger } from '../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoCallLookup } from '../../../adapters/dynamodb/registry/call-lookup.ts'
import { LIST_VERSION_CACHE_MS } from '../../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../../adapters/dynamodb/registry/skills.ts'
import { dynamoKeys } from '../../../adapters/dynamodb/users/keys.ts'
import { dynamoProfiles } from '../../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../../adapters/dynamodb/users/rate-counters.ts'
import { createEvent } from '../../../core/events/event.ts'
import {
  type CallFacts,
  CLIENT_CHARS_MAX,
  fitFacts,
  PHASES,
  UPSTREAM_HOST_CHARS_MAX,
} from '../../../core/ledger/call-facts.ts'
import {
  freshHash,
  freshName,
  holdOf,
  profileOf,
  settledOf,
  skillOf,
} from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { useEmbeddedStore } from './embedded-store.ts'

const READS = ['get', 'batchGet', 'query']
const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)

describe('the units of a paid call', () => {
  test('are 4 written and 4 read with empty caches, each step one request', async () => {
    const call = await prepared()
    seen.length = 0
    await oneCall(call)
    expect(seen.map((consumed) => consumed.command)).toEqual([
      'get',
      'update',
      'batchGet',
      'update',
      'put',
      'update',
    ])
    expect([unitsOf('written'), unitsOf('read')]).toEqual([4, 4])
  })

  test('are the same for a user and a key with monthly budgets', async () => {
    const call = await prepared()
    const change = { limit: 100_000_000, nowMs: 1 }
    const { keyHash, uid } = call
    await dynamoProfiles(store).changeBudget({ uid, change: change })
    await dynamoProfiles(store).changeKeyLimits({
      uid,
      keyHash,
      change: { budget: change },
      listKeys: async () => [keyHash],
    })
    // The first call of a month begins it, in the same write.
    for (const callId of ['c1', 'c2']) {
      seen.length = 0
      await oneCall({ ...call, callId })
      expect(seen.filter(({ command }) => command === 'update')).toHaveLength(3)
      expect(unitsOf('written')).toBe(4)
    }
    const profile = await dynamoProfiles(store).read(uid)
    expect(profile?.budget?.spent).toBe(1_000_000)
    expect(profile?.keyBudgets?.[keyHash]?.spent).toBe(1_000_000)
  })

  test('are the same for a key with calls per day, also in the first call of a day', async () => {
    const call = await prepared()
    const { keyHash, uid } = call
    const change = { day: { limit: 100, nowMs: 1 } }
    const listKeys = async () => [keyHash]
    await dynamoProfiles(store).changeKeyLimits({ uid, keyHash, change, listKeys })
    for (const callId of ['c1', 'c2']) {
      seen.length = 0
      await oneCall({ ...call, callId })
      expect(seen.filter(({ command }) => command === 'update')).toHaveLength(3)
      expect(unitsOf('written')).toBe(4)
    }
    expect((await dynamoProfiles(store).read(uid))?.keyDays?.[keyHash]?.calls).toBe(2)
  })

  test('are the same for a refund in the month that counted the call', async () => {
    const { uid } = await prepared()
    await dynamoProfiles(store).changeBudget({ uid, change: { limit: 500_000, nowMs: 1 } })
    const ledger = dynamoLedger(store)
    const seenProfile = await dynamoProfiles(store).read(uid)
    seen.length = 0
    const held = await ledger.hold({
      uid,
      callId: 'c1',
      hold: holdOf(500_000),
      holdsMax: 32,
      ...(seenProfile === undefined ? {} : { seen: seenProfile }),
    })
    const counted = held.profile?.holds['c1']?.counted
    const after = await ledger.release({ uid, callId: 'c1', giveBack: true, placement: 1, counted })
    expect([after?.budget?.spent, unitsOf('written')]).toEqual([0, 2])
  })

  test('are 4 written and 2.5 read when key and shared skill are cached', async () => {
    const call = await prepared()
    await oneCall(call)
    const units = async (callId: string) => {
      clock.advance(LIST_VERSION_CACHE_MS)
      seen.length = 0
      await oneCall({ ...call, callId })
      return [unitsOf('written'), unitsOf('read')]
    }
    // The first to read the list version reads its record beside its copy.
    expect([await units('c2'), await units('c3')]).toEqual([
      [4, 3],
      [4, 2.5],
    ])
  })

  test('a change of a budget costs 2 units written and 1 read, for a user as for a key', async () => {
    const { keyHash, uid } = await prepared()
    const profiles = dynamoProfiles(store)
    const change = { limit: 100_000_000, nowMs: 1 }
    for (const to of [change, { ...change, limit: 5 }, 'none'] as const) {
      seen.length = 0
      await profiles.changeBudget({ uid, change: to })
      expect([unitsOf('written'), unitsOf('read')]).toEqual([2, 1])
      seen.length = 0
      await profiles.changeKeyLimits({
        uid,
        keyHash,
        change: { budget: to },
        listKeys: async () => [keyHash],
      })
      expect([unitsOf('written'), unitsOf('read')]).toEqual([2, 1])
    }
  })

  test('the units of a crossing are 4 written beside the call, so one in a hundred calls adds 0.04 to each', async () => {
    const { uid } = await prepared()
    const events = dynamoEvents(store)
    const event = createEvent({ eventId: 'e-1', type: 'low_balance', data: { uid }, nowMs: 1 })
    const mark = { of: 'balance', seen: undefined, credits: 100_000_000 } as const
    seen.length = 0
    expect(await events.record({ uid, mark, event })).toEqual({ recorded: true })
    expect(unitsOf('written')).toBe(4)
    seen.length = 0
    const claimed = await events.claim(event, 2)
    expect(unitsOf('written')).toBe(1)
    seen.length = 0
    await events.end({ ...event, ...claimed, state: 'delivered', endedAtMs: clock.nowMs() })
    expect(unitsOf('written')).toBe(4)
    seen.length = 0
    expect((await events.list({ state: 'pending', limit: 1_000 })).events).toEqual([])
    expect(unitsOf('read')).toBe(1)
  })

  test('are 5 written for a user with a threshold whose low balance was told of', async () => {
    const call = await prepared()
    const { uid } = call
    await dynamoProfiles(store).change(uid, { lowBalanceAt: 99_000_000 })
    const event = createEvent({ eventId: 'e-2', type: 'low_balance', data: { uid }, nowMs: 1 })
    const mark = { of: 'balance', seen: undefined, credits: 100_000_000 } as const
    await dynamoEvents(store).record({ uid, mark, event })
    seen.length = 0
    await oneCall(call)
    expect(unitsOf('written')).toBe(4)
  })

  test('are 5 written for the longest names that keep to ASCII, with all that a record keeps', async () => {
    const call = { ...(await prepared('u'.repeat(64))), callId: `1q6a0k000-${'c'.repeat(22)}` }
    seen.length = 0
    await oneCall(call, LONG_FACTS)
    expect(unitsOf('written')).toBe(4)
  })
})

const LONG_FACTS: CallFacts = {
  keyId: 'k'.repeat(43),
  door: 'rest',
  client: 'c'.repeat(CLIENT_CHARS_MAX),
  upstreamHost: 'h'.repeat(UPSTREAM_HOST_CHARS_MAX),
  traceId: 't'.repeat(32),
  phases: Object.fromEntries(PHASES.map((phase) => [phase, 15_000])),
}

type Call = Awaited<ReturnType<typeof prepared>>

/** A user with a key, and an official skill, in adapters that have cached neither. */
async function prepared(uid = freshName('u-')) {
  const [keyHash, skillId] = [freshHash(), freshName('sg_')]
  const record = { keyHash, uid, username: 'ada', keyPrefix: 'sgk_ab12' }
  const keys = dynamoKeys(store)
  await keys.put({ ...record, createdAtMs: 1, expiresAtMs: 9e12, renewedAtMs: 1 })
  await dynamoProfiles(store).create(profileOf(uid, { credits: 100_000_000 }))
  await dynamoSkills(store).put(skillOf(skillId), 0)
  return { keys, records: dynamoCallLookup(store), keyHash, uid, skillId, callId: 'c1' }
}

/**
 * The store's part of a successful execute: authenticate, count, read, hold with its write token,
 * settle.
 */
async function oneCall(
  { keys, records, keyHash, uid, skillId, callId }: Call,
  facts?: CallFacts,
): Promise<void> {
  const ledger = dynamoLedger(store)
  const minute = 33_333_333
  await keys.find(keyHash)
  await dynamoRateCounters(store).count({ keyHash, minute, uid })
  const read = await records.read({ uid, name: skillId, skillId, cut: 'weather' })
  expect(read.candidates.official?.skillId).toBe(skillId)
  const known = read.profile === undefined ? {} : { seen: read.profile }
  const held = await ledger.hold({
    uid,
    callId,
    keyHash,
    hold: holdOf(500_000),
    holdsMax: 32,
    ...known,
  })
  const { counted } = held.profile?.holds[callId] ?? {}
  const outcome = settledOf(uid, callId, 500_000)
  const fitting = facts === undefined ? {} : { facts: fitFacts(facts, outcome) }
  await ledger.decide({ ...outcome, ...fitting, counted })
  await ledger.release({ uid, callId, giveBack: false, counted })
}

function unitsOf(kind: 'read' | 'written'): number {
  return seen
    .filter(({ command }) => READS.includes(command) === (kind === 'read'))
    .reduce((sum, { units }) => sum + units, 0)
}
