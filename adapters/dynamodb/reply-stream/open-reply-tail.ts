/**
 * Opens the tail that finds replies, as REPLY_TAIL says. The stream's tail has an AWS client of its
 * own. It is loaded only if it is chosen, so that other functions do not load it at a cold start.
 */
import type { Log } from '../../../core/ports/outside.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import type { ClientOptions } from '../client/client.ts'
import type { DynamoStore } from '../client/document-store.ts'

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

export type TailNeeds = {
  readonly store: DynamoStore
  readonly log: Pick<Log, 'note'>
  /** `local` for a store on this machine, which has no limits of AWS. */
  readonly pace: 'aws' | 'local'
  readonly reach?: ClientOptions
}

export type OpenTail = {
  /** Undefined for the `partition` tail, which needs only the store. */
  readonly tail: ReplyStream['tail'] | undefined
  close(): void
}
