/**
 * The twin's store: the deployed adapters over items in one file of the data folder, or in memory.
 * A folder of an earlier build is refused with a line that says what to do.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalStore, openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { StartFault } from '../start-fault.ts'

/** The store files of earlier builds, which this one cannot read. */
const EARLIER_FILES = ['store.sqlite', 'dynamodb.sqlite', 'memory.sqlite']

/** Returns the file of the store. */
export function toStoreFile(folder: string): string {
  return join(folder, 'items.sqlite')
}

/** Returns the folder of the archive, for records that the store does not keep for ever. */
export function toArchiveFolder(folder: string): string {
  return join(folder, 'archive')
}

/** Returns the folder below which results of calls are kept for an hour. */
export function toKeptFolder(folder: string): string {
  return join(folder, 'kept')
}

/** Throws a StartFault if an earlier build created this folder; nothing in it is touched. */
export function assertCurrentFolder(folder: string): void {
  if (existsSync(toStoreFile(folder))) return
  const earlier = EARLIER_FILES.find((name) => existsSync(join(folder, name)))
  if (earlier === undefined) return
  throw new StartFault(
    `Data folder ${folder} holds ${earlier} of an earlier Skillgate, which this one cannot read: move the folder away to start from nothing, or choose another with --data FOLDER.`,
  )
}

export type StoreOptions = {
  /** The data folder; undefined for a store in memory. */
  readonly folder: string | undefined
  /** How long the store keeps outcomes of calls; the adapters' default if undefined. */
  readonly hotMs?: number
  readonly clock: Clock
  /** Gets notes of trouble that needs no action. */
  readonly log: Pick<Log, 'note'>
}

/** Opens the store. Throws a StartFault if a person can repair the failure. */
export function openStore({ clock, folder, hotMs, log }: StoreOptions): LocalStore {
  if (folder !== undefined) assertCurrentFolder(folder)
  const file = folder === undefined ? undefined : toStoreFile(folder)
  const onTrouble = (cause: unknown) => log.note('warn', 'store-trouble', {}, cause)
  try {
    return openLocalStore({ file, hotMs, clock, onTrouble })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new StartFault(`${cause.message}. Or choose another folder with --data FOLDER.`, cause)
  }
}
