/** What the usage function archives: a call that ended, as the stream has it, and a change of another day. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { dynamoAuditTrail } from '../../adapters/dynamodb/audit/audit-trail.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { toOutcomeItem } from '../../adapters/dynamodb/records/outcome-item.ts'
import type { LedgerRecord } from '../../adapters/dynamodb/usage/ledger-record.ts'
import { makeNextRecord } from '../../core/audit/chain.ts'
import { makeCallId } from '../../core/call/call-id.ts'
import { DAY_MS, toUtcDay } from '../../core/json/utc-time.ts'
import { settledOf } from '../contracts/fresh.ts'

export function endedCall(nowMs: number): LedgerRecord {
  const outcome = settledOf('ada', makeCallId(nowMs, 'of-the-stream'), 500_000)
  // Amounts are classes of the SDK in an item; here they are plain numbers.
  const item = { ...toOutcomeItem({ ...outcome, createdAtMs: nowMs }), amount: 0.5 }
  const fields = Object.entries(item).filter(([, value]) => value !== undefined)
  const NewImage = Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      typeof value === 'string' ? { S: value } : { N: String(value) },
    ]),
  )
  return { eventName: 'INSERT', dynamodb: { SequenceNumber: '1000', NewImage } }
}

/** The first change of a trail, two days ago: that day is over, whatever the time. */
export async function changeOfPastDay(store: DynamoStore, nowMs: number): Promise<void> {
  const day = toUtcDay(nowMs - 2 * DAY_MS)
  const intent = {
    kind: 'intent',
    atMs: nowMs - 2 * DAY_MS,
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
  const record = makeNextRecord(nodeDigests(), { kind: 'first', day, link: undefined }, intent)
  if (!(await dynamoAuditTrail(store).append(record))) throw new Error('the trail has begun')
}
