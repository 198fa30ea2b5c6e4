/**
 * The tail that finds replies, as REPLY_TAIL says. The stream's tail brings an AWS client of its
 * own, loaded only when it is chosen, so that other functions do not read it at their cold start.
 */
import type { OpenTail, ReplyTail, TailNeeds } from './tail-types.ts'

/**
 * IAM actions on the stream of the Sessions table, for the door that tails it. The tail's reads of
 * the table itself are those of `replies.tail`; it takes and releases its slot by the actions and keys
 * of `leases.put` and `leases.remove` (permissions.ts).
 */
export const STREAM_TAIL_PERMISSIONS = {
  stream: 'sessions',
  actions: ['DescribeStream', 'GetShardIterator', 'GetRecords'],
} as const

export async function openReplyTail(kind: ReplyTail, needs: TailNeeds): Promise<OpenTail> {
  if (kind.kind === 'partition') return { tail: undefined, close: () => {} }
  const { openStreamsTail } = await import('./open-streams-tail.ts')
  return openStreamsTail(kind.streamArn, needs)
}
