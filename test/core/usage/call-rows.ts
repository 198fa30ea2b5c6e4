/** A row of a call, for tests of pages and sums. */
import type { CallRow } from '../../../core/usage/call-row.ts'

export function callRow(callId: string, more: Partial<CallRow> = {}): CallRow {
  return {
    callId,
    uid: 'ada',
    skillId: 'sg_a',
    source: 'official',
    skillVersion: 1,
    state: 'settled',
    reason: undefined,
    amount: 1_000_000,
    createdAtMs: 1_795_219_200_000,
    durationMs: 20,
    upstreamStatus: 200,
    keyId: 'k-1',
    door: 'mcp',
    ...more,
  }
}
