/** The two reply tails, and what opening one takes and gives: shapes that both openers share. */
import type { Log } from '../../../core/ports/outside.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import type { ClientOptions } from '../client/client.ts'
import type { DynamoStore } from '../client/document-store.ts'

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
