/**
 * Which store the twin runs on: SQLite, unless it was asked for DynamoDB; then the emulator with its file
 * in the data folder, or, where that cannot run, the DynamoDB at AWS_ENDPOINT_URL_DYNAMODB. The SDK of
 * AWS is only loaded for DynamoDB: it takes longer than all the rest of a start.
 */
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import type { Clock, Log } from '../../core/ports.ts'
import type { OpenStore } from './open-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { checkFolder, type StoreKind, storeFile } from './store-files.ts'

export type StoreOptions = {
  readonly kind: StoreKind
  /** Undefined: nothing on disk. */
  readonly folder: string | undefined
  /** AWS_ENDPOINT_URL_DYNAMODB. */
  readonly endpoint: string | undefined
  /** How streams find replies, where the store is a DynamoDB; SQLite wakes them. */
  readonly replyTail: ReplyTail['kind']
  readonly clock: Clock
  /** Told of trouble that is waited out. */
  readonly log: Pick<Log, 'note'>
}

export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { folder, kind } = options
  if (folder !== undefined) checkFolder(folder, kind)
  const file = folder === undefined ? undefined : storeFile(folder, kind)
  switch (kind) {
    case 'sqlite':
      return openSqliteStore({ ...options, file })
    case 'dynamodb': {
      const { openEmulatedStore } = await import('./emulated-store.ts')
      return openEmulatedStore({ ...options, file })
    }
    default:
      return kind satisfies never
  }
}
