/** An hour with many calls whose sums are not written: what is read of the store. */
import { beforeEach, describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { makeStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import type { StoreRequests } from '../../../../adapters/dynamodb/client/store-requests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../../../adapters/dynamodb/store-ports.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { listCalls } from '../../../../core/flow/usage/list-calls.ts'
import { readUsage } from '../../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { showCall } from '../../../../core/flow/usage/show-call.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'
import type { StorePorts } from '../../../../core/ports/ports.ts'
import { DIMENSIONS } from '../../../../core/usage/usage-dimensions.ts'
import { TABLES } from '../../../adapters/dynamodb/embedded-store.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { type TestClock, testClock } from '../../../contracts/test-clock.ts'
import { okOf } from '../world.ts'
import { HOUR_MS, START_MS } from './traffic.ts'

const BATCHES = 48
const BATCH = 500
/** Batches end evenly in the hour: eight of them in each ten minutes. */
const EVERY_MS = HOUR_MS / BATCHES
const SPAN = { since: String(START_MS), until: String(START_MS + HOUR_MS) }

/** Pages that were read. */
type Reads = { all: number }

function watched(requests: StoreRequests, reads: Reads): StoreRequests {
  return {
    send: async (operation, input) => {
      const answer = await requests.send(operation, input)
      const { Items = [] } = answer as { Items?: readonly { readonly pk?: unknown }[] }
      reads.all += Items.filter(({ pk }) => String(pk).startsWith('usage:page:')).length
      return answer
    },
  }
}

/** A call each few ms, the last of which ends with the batch. */
function batchOf(batch: number): readonly Outcome[] {
  return Array.from({ length: BATCH }, (_, index) => {
    const createdAtMs = START_MS + batch * EVERY_MS + Math.floor((index * EVERY_MS) / BATCH)
    const callId = makeCallId(createdAtMs, `n${String(index).padStart(22, '0')}`)
    return { ...settledOf(`u-${index % 3}`, callId, 1_000_000), createdAtMs }
  })
}

describe('an open hour of 24,000 calls', () => {
  const reads: Reads = { all: 0 }
  let ports: StorePorts & { clock: TestClock; digests: ReturnType<typeof nodeDigests> }
  beforeEach(async () => {
    const clock = testClock(START_MS + HOUR_MS - 1)
    const { requests } = openLocalStore({ clock })
    const store = makeStore(watched(requests, reads), { tables: TABLES, clock })
    ports = { ...dynamoStorePorts(store), clock, digests: nodeDigests() }
    for (let batch = 0; batch < BATCHES; batch += 1) await recordCalls(ports, batchOf(batch))
    reads.all = 0
  })

  test.each(DIMENSIONS)('the sums by %s read each page once', async (by) => {
    const { entries } = okOf(await readUsage(ports, { by: [by], ...SPAN }))
    const calls = entries.reduce((sum, entry) => sum + entry.calls, 0)
    const charged = entries.reduce((sum, entry) => sum + entry.charged, 0)
    expect([calls, charged]).toEqual([24_000, 24_000])
    expect(reads).toEqual({ all: BATCHES })
  })

  test('a page of calls is made of the last ten minutes', async () => {
    const { calls, nextCursor } = okOf(await listCalls(ports, { limit: '200' }))
    expect(calls).toHaveLength(200)
    expect(nextCursor).toBeDefined()
    expect(reads).toEqual({ all: 8 })
  })

  test('a page of calls in the middle begins with the ten minutes of its cursor', async () => {
    const until = START_MS + HOUR_MS / 2
    const first = okOf(await listCalls(ports, { limit: '200', until: String(until) }))
    reads.all = 0
    const more = { limit: '200', until: String(until), cursor: first.nextCursor }
    const second = okOf(await listCalls(ports, more))
    const times = [...first.calls, ...second.calls].map(({ startedAtMs }) => startedAtMs)
    expect(new Set(times).size).toBe(400)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(reads).toEqual({ all: 8 })
  })

  test('a list that no call passes reads each page once', async () => {
    const none = okOf(await listCalls(ports, { min_ms: '80000' }))
    expect(none).toEqual({ calls: [] })
    expect(reads).toEqual({ all: BATCHES })
  })

  test('a call is looked for by its id in the ten minutes in which it began', async () => {
    const outcome = batchOf(9)[0]
    if (outcome === undefined) throw new Error('no call was made')
    await ports.ledger.decide(outcome)
    const { callId } = outcome
    const shown = await showCall(ports, { callId, uid: undefined, keptSinceMs: 0 })
    expect(okOf(shown)).toMatchObject({ callId, uid: outcome.uid })
    // All pages of its slot come with one request.
    expect(reads).toEqual({ all: 8 })
  })
})
