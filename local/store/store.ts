/**
 * Which store the twin runs on: SQLite, unless it was asked for DynamoDB; then the emulator with its file
 * in the data folder, or, where that cannot run, the DynamoDB at AWS_ENDPOINT_URL_DYNAMODB. The SDK of
 * AWS is only loaded for DynamoDB: it takes longer than all the rest of a start.
 */
import type { OpenStore, StoreOptions } from './open-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { checkFolder, placeFileOf, storeFile } from './store-files.ts'

export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { folder, kind } = options
  if (folder !== undefined) checkFolder(folder, kind)
  const file = folder === undefined ? undefined : storeFile(folder, kind)
  switch (kind) {
    case 'sqlite':
      return openSqliteStore({ ...options, file })
    case 'dynamodb': {
      const { openEmulatedStore } = await import('./emulated-store.ts')
      const placeFile = folder === undefined ? undefined : placeFileOf(folder)
      return openEmulatedStore({ ...options, file, placeFile })
    }
    default:
      return kind satisfies never
  }
}
