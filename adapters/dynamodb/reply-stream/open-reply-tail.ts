/**
 * Opens the tail that finds replies, as REPLY_TAIL says. The stream's tail has an AWS client of its
 * own. It is loaded only if it is chosen, so that other functions do not load it at a cold start.
 */
import type { OpenTail, TailNeeds } from './open-streams-tail.ts'

/**
 * IAM actions on the stream of the Sessions table, for the door that tails it. For the tail's reads
 * of the table, `replies.tail` has the permissions. `leases.put` and `leases.remove` have those for
 * its slot (permissions.ts).
 */
export const STREAM_TAIL_PERMISSIONS = {
  stream: 'sessions',
  actions: ['DescribeStream', 'GetShardIterator', 'GetRecords'],
} as const

/** Opens the chosen tail; the caller closes it. */
export async function openReplyTail(kind: ReplyTail, needs: TailNeeds): Promise<OpenTail> {
  if (kind.kind === 'partition') return { tail: undefined, close: () => {} }
  const { openStreamsTail } = await import('./open-streams-tail.ts')
  return openStreamsTail(kind.streamArn, needs)
}

/** The setting REPLY_TAIL. */
export type ReplyTail =
  | { readonly kind: 'partition' }
  | { readonly kind: 'dynamodb-streams'; readonly streamArn: string }
