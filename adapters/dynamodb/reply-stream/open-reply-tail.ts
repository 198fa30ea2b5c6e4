/**
 * The tail that finds replies, as REPLY_TAIL says. The stream's tail brings an AWS client of its
 * own, loaded only when it is chosen, so that other functions do not read it at their cold start.
 */
import type { Log, ReplyStream, StreamLeases } from '../../../core/ports.ts'
import type { ClientOptions } from '../client/client.ts'
import type { DynamoStore } from '../client/document-store.ts'

export type ReplyTail =
  | { readonly kind: 'partition' }
  | { readonly kind: 'dynamodb-streams'; readonly streamArn: string }

export type TailNeeds = {
  readonly store: DynamoStore
  readonly leases: Pick<StreamLeases, 'list'>
  readonly log: Pick<Log, 'note'>
  /** `local` for a store on this machine, which does not have the limits of AWS. */
  readonly pace: 'aws' | 'local'
  readonly reach?: ClientOptions
}

export type OpenTail = {
  /** Undefined: the `partition` tail, which needs no more than the store. */
  readonly tail: ReplyStream['tail'] | undefined
  close(): void
}

/**
 * IAM actions on the stream of the Sessions table, for the door that tails it. The tail's reads of
 * the table itself are `replies.tail` and `leases.list` (permissions.ts).
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
