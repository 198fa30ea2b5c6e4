/** Requests and units of what administrators read of calls, counted by the store. */
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { dynamoCallExcerpts } from '../../../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoUsagePages } from '../../../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../../../adapters/dynamodb/usage/usage-sums.ts'
import { dynamoProfiles } from '../../../../adapters/dynamodb/users/profiles.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { listCalls } from '../../../../core/flow/usage/list-calls.ts'
import { readUsage } from '../../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { showCall } from '../../../../core/flow/usage/show-call.ts'
import { HOUR_MS, SLOT_MS } from '../../../../core/usage/slots.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { okOf } from '../../../core/flow/world.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { seen, store } = await useEmbeddedStore(clock)
const usagePages = dynamoUsagePages(store)
const ledger = dynamoLedger(store)
const profiles = dynamoProfiles(store)
const callExcerpts = dynamoCallExcerpts(store)
const usageSums = dynamoUsageSums(store)
const ports = { clock, digests: nodeDigests(), ledger, usagePages, usageSums }

/** What was asked since the last time, and the units it took. */
function counted(): readonly [commands: string, units: number] {
  const asked = seen.splice(0)
  const units = asked.reduce((sum, one) => sum + one.units, 0)
  return [asked.map(({ command }) => command).join(' '), units]
}

const SLOTS = 5
const CALLS = 300

test('an open hour of 1,500 calls is read with one query for each ten minutes of it that have begun', async () => {
  const startMs = Math.ceil(clock.nowMs() / HOUR_MS) * HOUR_MS
  const calls = Array.from({ length: SLOTS * CALLS }, (_, index) => {
    const createdAtMs = startMs + Math.floor((index * SLOT_MS) / CALLS)
    return { ...settledOf('u-1', makeCallId(createdAtMs, `c${index}`), 1), createdAtMs }
  })
  clock.advance(startMs - clock.nowMs())
  for (let from = 0; from < calls.length; from += CALLS) {
    await recordCalls(ports, calls.slice(from, from + CALLS))
  }
  clock.advance(SLOTS * SLOT_MS - 1)
  counted()

  const span = { since: String(startMs), until: undefined }
  const { entries } = okOf(await readUsage(ports, { by: ['user'], ...span }))
  expect(entries).toMatchObject([{ calls: 1_500 }])
  // The heads of months, days and hours.
  expect(counted()).toEqual(['get get get query query query query query', 8])

  // The sums of earlier hours, and the last ten minutes.
  expect(okOf(await listCalls(ports, {})).calls).toHaveLength(50)
  expect(counted()).toEqual(['get query query', 3])

  const none = okOf(await listCalls(ports, { min_ms: '80000', since: String(startMs) }))
  expect(none).toEqual({ calls: [] })
  expect(counted()).toEqual(['get query query query query query', 6])

  const asked = { callId: calls[CALLS]?.callId ?? '', uid: undefined, keptSinceMs: 0 }
  const shown = await showCall({ ...ports, callExcerpts, profiles }, asked)
  expect(shown.ok).toBe(false)
  // Its ten minutes, and the user's record of it, which this test has not written.
  expect(counted()).toEqual(['query get', 2])
})
