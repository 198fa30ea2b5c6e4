import { expect, test } from 'vitest'
import { CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS } from '../../../core/call/limits.ts'
import { TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX } from '../../../core/skills/limits.ts'

test('the upstream of a call has the 15 s of the agent less the time to refund and answer', () => {
  expect([CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS, TIMEOUT_MS_MAX]).toEqual([15_000, 750, 14_250])
  expect(TIMEOUT_MS_MAX).toBe(CALL_TIMEOUT_MS - DEADLINE_MARGIN_MS)
  expect(TIMEOUT_MS_DEFAULT).toBe(TIMEOUT_MS_MAX)
})
