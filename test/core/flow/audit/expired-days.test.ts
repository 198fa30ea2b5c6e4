/**
 * All records of a day expire at one moment, 400 days after its end; the stores delete them with later
 * appends.
 */
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import type { AuditIntent } from '../../../../core/audit/audit-record.ts'
import { toAuditExpiryMs } from '../../../../core/audit/limits.ts'
import { createAuditAppender } from '../../../../core/flow/audit/append-audit.ts'
import { verifyAudit } from '../../../../core/flow/audit/verify-audit.ts'
import { DAY_MS, parseDayStart, toUtcDay } from '../../../../core/json/utc-time.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { okOf } from '../world.ts'

const digests = nodeDigests()

test('a day ends 401 days after it began, so that its last record is kept for 400 days', () => {
  expect(toAuditExpiryMs('2026-11-22')).toBe(Date.UTC(2027, 11, 28))
  expect(toAuditExpiryMs('2026-11-22') - parseDayStart('2026-11-23')).toBe(400 * DAY_MS)
})

describe('the store of items', () => {
  test('the trail keeps a day to its last millisecond, and drops it with the appends of later days', async () => {
    const clock = testClock()
    const { auditTrail } = openLocalStore({ clock }).ports
    const { append } = createAuditAppender({ auditTrail, clock, digests })
    const day = toUtcDay(clock.nowMs())
    for (let n = 0; n < 3; n += 1) await append(intentAt(clock.nowMs()))
    clock.advance(toAuditExpiryMs(day) - 1 - clock.nowMs())
    for (let n = 0; n < 20; n += 1) await append(intentAt(clock.nowMs()))
    expect(await auditTrail.day(day)).toHaveLength(3)
    // The store leaves expired items for an hour.
    clock.advance(1 + 3_600_000)
    for (let n = 0; n < 50; n += 1) await append(intentAt(clock.nowMs()))
    expect(await auditTrail.day(day)).toEqual([])
    expect(await auditTrail.head(day)).toBeUndefined()
    const today = toUtcDay(clock.nowMs())
    expect(okOf(await verifyAudit({ auditTrail, clock, digests }, today))).toMatchObject({
      isWhole: true,
      records: 50,
    })
  })
})

function intentAt(atMs: number): AuditIntent {
  return {
    kind: 'intent',
    atMs,
    who: { name: 'grace', role: 'owner' },
    operation: 'patchUser',
    method: 'PATCH',
    route: '/users/{uid}',
    target: {},
    sent: {},
    digestKey: 'k',
    requestId: 'r',
    sourceAddress: '',
  }
}
