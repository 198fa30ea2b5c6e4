/**
 * Which store a data folder holds, by its files. A folder stays with the store that it began with, so
 * that nothing seems lost; one that another store began is refused with a line that says how to go on.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../start-fault.ts'

export type StoreKind = 'sqlite' | 'dynamodb'

const FILES = {
  sqlite: 'store.sqlite',
  dynamodb: 'dynamodb.sqlite',
  /** Of versions before the SQLite store. */
  memory: 'memory.sqlite',
} as const

export function storeFile(folder: string, kind: keyof typeof FILES): string {
  return join(folder, FILES[kind])
}

/** What the store does not keep for ever. */
export function archiveFolder(folder: string): string {
  return join(folder, 'archive')
}

/** Up to where the stream of a DynamoDB is archived. */
export function placeFileOf(folder: string): string {
  return join(folder, 'archived.json')
}

/** Throws StartFault when another store began this folder; nothing in it is touched. */
export function checkFolder(folder: string, kind: StoreKind): void {
  const has = (store: keyof typeof FILES) => existsSync(storeFile(folder, store))
  if (has(kind)) return
  const another = 'or choose another folder with --data FOLDER.'
  const began = `Data folder ${folder} was begun with`
  if (has('dynamodb')) {
    throw new StartFault(
      `${began} the emulator of DynamoDB: go on with --store dynamodb, ${another}`,
    )
  }
  if (has('sqlite')) {
    throw new StartFault(`${began} SQLite: go on without --store dynamodb, ${another}`)
  }
  if (has('memory')) {
    throw new StartFault(
      `${began} an earlier version, whose ${FILES.memory} this one cannot read: move that file away to start from nothing, ${another}`,
    )
  }
}
