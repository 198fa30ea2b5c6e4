/**
 * The usage function over DynamoDB: batches as Lambda hands them on, the units that they cost, and
 * sums that agree with what was sent.
 */
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { dynamoAuditTrail } from '../../../adapters/dynamodb/audit/audit-trail.ts'
import { toGrantItem } from '../../../adapters/dynamodb/records/grant-item.ts'
import { toOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import type { LedgerRecord } from '../../../adapters/dynamodb/usage/ledger-record.ts'
import { dynamoUsagePages } from '../../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../../adapters/dynamodb/usage/usage-sums.ts'
import { readObjects } from '../../../core/archive/read-objects.ts'
import { makeNextRecord, toHeadAfter } from '../../../core/audit/chain.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { err, ok } from '../../../core/errors.ts'
import { readUsage } from '../../../core/flow/usage/read-usage.ts'
import { DAY_MS, toUtcDay } from '../../../core/json/utc-time.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import {
  createUsageDoor,
  EXPORT_TRAIL,
  SYNTHETIC_CALL,
  type UsagePorts,
} from '../../../lambdas/usage/door.ts'
import { useEmbeddedStore } from '../../adapters/dynamodb/embedded-store.ts'
import { settledOf } from '../../contracts/fresh.ts'
import { memoryArchive } from '../../contracts/memory-archive.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { recordingLog } from '../../core/flow/doubles.ts'
import { okOf } from '../../core/flow/world.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
const log = recordingLog()
const archive = memoryArchive()
let canary: Awaited<ReturnType<UsagePorts['callAsCanary']>> = ok(undefined)
const ports = {
  archive,
  openArchive: async () => archive,
  auditTrail: dynamoAuditTrail(store),
  callAsCanary: async () => canary,
  clock,
  digests: nodeDigests(),
  log,
  usagePages: dynamoUsagePages(store),
  usageSums: dynamoUsageSums(store),
}
const take = createUsageDoor(ports)

let sequence = 1_000

function recordOf(item: object, eventName = 'INSERT'): LedgerRecord {
  sequence += 1
  const NewImage = wireOf(item)
  return { eventName, dynamodb: { SequenceNumber: String(sequence), NewImage } }
}

/** Texts and numbers in the store's wire form. */
function wireOf(item: object): { readonly [name: string]: object } {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? { S: value } : { N: String(value) },
      ]),
  )
}

/** Amounts are classes of the SDK in an item; here they are plain numbers. */
function ofOutcome(outcome: Outcome, eventName?: string): LedgerRecord {
  return recordOf({ ...toOutcomeItem(outcome), amount: outcome.amount / 1_000_000 }, eventName)
}

function callOf(index: number, more: Partial<Outcome> = {}): Outcome {
  const nowMs = clock.nowMs()
  // Digests look like random ids and are the same in each run.
  const tail = ports.digests.sha256(`call ${index}`).slice(0, 22)
  const keyId = ports.digests.sha256(`key ${index % 10}`)
  return {
    ...settledOf(`user-${index % 10}`, makeCallId(nowMs, tail), 500_000),
    skillId: `sg_skill_${index % 8}`,
    createdAtMs: nowMs,
    facts: { keyId, door: 'mcp', client: 'claude-desktop/1.24.3', phases: { auth: 1, hold: 7 } },
    ...more,
  }
}

async function today(): Promise<readonly { calls: number; settled: number; charged: number }[]> {
  return okOf(await readUsage(ports, { by: ['day'], since: undefined, until: undefined })).entries
}

describe('a batch of the stream', () => {
  test('brings what a record has become, and nothing of what it was', async () => {
    const before = (await today())[0] ?? { calls: 0, settled: 0, charged: 0 }
    const settled = ofOutcome(callOf(30), 'MODIFY')
    const { dynamodb } = ofOutcome({ ...callOf(31), amount: 9_000_000 })
    const OldImage = dynamodb?.NewImage
    const { SequenceNumber } = recordOf({}).dynamodb ?? {}
    const removed = { eventName: 'REMOVE', dynamodb: { SequenceNumber, OldImage } }
    const changed = { ...settled, dynamodb: { ...settled.dynamodb, OldImage } }
    expect(await take({ Records: [changed, removed] })).toEqual({ batchItemFailures: [] })
    expect((await today())[0]).toMatchObject({
      calls: before.calls + 1,
      settled: before.settled + 1,
      charged: before.charged + 0.5,
    })
  })

  test('brings outcomes, and a void that comes later, once each; removals bring none', async () => {
    const before = (await today())[0] ?? { calls: 0, settled: 0, charged: 0 }
    const one = callOf(1)
    const two = callOf(2)
    const voided: Outcome = { ...one, state: 'refunded', reason: 'void' }
    const batch = [ofOutcome(one), ofOutcome(two), ofOutcome(two, 'REMOVE')]
    expect(await take({ Records: batch })).toEqual({ batchItemFailures: [] })
    expect(await take({ Records: [ofOutcome(voided, 'MODIFY')] })).toEqual({
      batchItemFailures: [],
    })
    await take({ Records: batch })
    expect((await today())[0]).toMatchObject({
      calls: before.calls + 2,
      settled: before.settled + 1,
      charged: before.charged + 0.5,
    })
  })

  test('notes the charges that it brought, and none of calls that were refunded', async () => {
    const refunded: Outcome = { ...callOf(8), state: 'refunded', reason: 'timed_out' }
    await take({ Records: [ofOutcome(callOf(9)), ofOutcome(refunded), ofOutcome(callOf(10))] })
    const noted = log.notes.filter(({ event }) => event === 'usage-taken').at(-1)
    expect(noted?.fields).toMatchObject({ entries: 3, amount: 1_000_000 })
  })

  test('that has a record which cannot be read is taken up to there, and names it', async () => {
    const before = (await today())[0]?.calls ?? 0
    const bad = recordOf({ ...toOutcomeItem(callOf(4)), amount: 'much' })
    const records = [ofOutcome(callOf(3)), bad, ofOutcome(callOf(5))]
    expect(await take({ Records: records })).toEqual({
      batchItemFailures: [{ itemIdentifier: bad.dynamodb?.SequenceNumber }],
    })
    expect((await today())[0]?.calls).toBe(before + 1)
    expect(log.notes.map(({ event }) => event)).toContain('usage-unreadable')
  })

  test('is in the archive as well, with grants, each entry once and as it stands', async () => {
    const one = callOf(6)
    const two = callOf(7)
    const grant = {
      grantId: 'g1',
      amount: -5_000_000,
      reason: 'twice',
      createdAtMs: one.createdAtMs,
    }
    const granted = recordOf({ ...toGrantItem('user-1', grant), amount: -5 })
    const archived = async () => {
      const names = await ports.archive.list('ledger/')
      const objects = await Promise.all(
        names.map(async (name) => ({ name, text: (await ports.archive.read(name)) ?? '' })),
      )
      return readObjects(ports.digests, objects)
    }
    const before = (await archived()).lines.length
    await take({ Records: [ofOutcome(one), ofOutcome(two), granted] })
    await take({ Records: [ofOutcome({ ...one, state: 'refunded', reason: 'void' }, 'MODIFY')] })
    await take({ Records: [granted, ofOutcome(two)] })
    const { faults, lines } = await archived()
    expect(faults).toEqual([])
    expect(lines).toHaveLength(before + 3)
    const mine = lines.filter(({ id }) => [one.callId, two.callId, 'g1'].includes(id))
    expect(mine.map(({ amount, state }) => [state, amount]).sort()).toEqual([
      ['granted', -5_000_000],
      ['refunded', 500_000],
      ['settled', 500_000],
    ])
  })

  test('without records does nothing', async () => {
    expect(await take({})).toEqual({ batchItemFailures: [] })
  })
})

describe('the units written for a call', () => {
  test.each([
    [1, 1],
    [10, 0.1],
    [100, 0.03],
    [1_000, 0.023],
  ])('a batch of %i calls writes at most %f units a call', async (calls, unitsMax) => {
    await take({})
    seen.length = 0
    const records = Array.from({ length: calls }, (_, index) => ofOutcome(callOf(calls + index)))
    await take({ Records: records })
    const written = seen
      .filter(({ command }) => ['put', 'update', 'transact'].includes(command))
      .reduce((sum, { units }) => sum + units, 0)
    expect(written / calls).toBeLessThanOrEqual(unitsMax)
  })
})

test('the schedule has days of the trail archived that are over, and none twice', async () => {
  const trail = dynamoAuditTrail(store)
  const intent = {
    kind: 'intent',
    atMs: 1,
    who: { name: 'ada', role: 'owner' },
    operation: 'grantCredits',
    method: 'POST',
    route: '/users/{uid}/credits',
    target: {},
    sent: {},
    digestKey: 'k',
    requestId: 'r',
    sourceAddress: '127.0.0.1',
  } as const
  const day = toUtcDay(clock.nowMs() - DAY_MS)
  const first = makeNextRecord(ports.digests, { kind: 'first', day, link: undefined }, intent)
  const second = makeNextRecord(ports.digests, { kind: 'behind', head: toHeadAfter(first) }, intent)
  const today = makeNextRecord(
    ports.digests,
    { kind: 'first', day: toUtcDay(clock.nowMs()), link: toHeadAfter(second) },
    intent,
  )
  for (const record of [first, second, today]) expect(await trail.append(record)).toBe(true)
  for (let runs = 0; runs < 2; runs += 1) {
    expect(await take({ task: EXPORT_TRAIL })).toEqual({ batchItemFailures: [] })
    const names = await ports.archive.list('audit/')
    expect(names).toEqual([`audit/day=${day}/2-${second.hash}.ndjson.gz`])
  }
})

describe('a synthetic call', () => {
  test('that succeeds is noted, and takes no records', async () => {
    canary = ok(undefined)
    log.notes.length = 0
    expect(await take({ task: SYNTHETIC_CALL })).toEqual({ batchItemFailures: [] })
    expect(log.notes).toMatchObject([{ level: 'info', event: 'synthetic-call' }])
  })

  test('that fails is an error in the log, which an alarm counts', async () => {
    canary = err({ reason: 'refused', status: 402 })
    log.notes.length = 0
    expect(await take({ task: SYNTHETIC_CALL })).toEqual({ batchItemFailures: [] })
    expect(log.notes).toMatchObject([
      {
        level: 'error',
        event: 'synthetic-call-failed',
        fields: { reason: 'refused', status: 402 },
      },
    ])
  })
})
