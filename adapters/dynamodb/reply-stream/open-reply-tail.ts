/**
 * Which tail finds replies, as REPLY_TAIL says. The one of the stream brings a client of its own: it
 * is loaded only where it is asked for, so that the others do not read it at their cold start.
 */
import type { OpenTail, ReplyTail, TailNeeds } from './tail-types.ts'

/**
 * IAM actions on the stream of the Sessions table, of the door that tails it. What the tail reads of
 * the table itself is `replies.tail` and `leases.list` (permissions.ts).
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
