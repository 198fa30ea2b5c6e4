/** The twin's store: the deployed adapters over items in one file of the data folder, or in memory. */
import { type LocalStore, openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { StartFault } from '../start-fault.ts'
import { checkFolder, storeFile } from './store-files.ts'

export type StoreOptions = {
  /** Undefined: nothing on disk. */
  readonly folder: string | undefined
  /** For how long the store keeps how calls ended; the adapters' default otherwise. */
  readonly hotMs?: number
  readonly clock: Clock
  /** Told of trouble that needs no action. */
  readonly log: Pick<Log, 'note'>
}

/** Throws StartFault where a person can help. */
export function openStore({ clock, folder, hotMs, log }: StoreOptions): LocalStore {
  if (folder !== undefined) checkFolder(folder)
  const file = folder === undefined ? undefined : storeFile(folder)
  const onTrouble = (cause: unknown) => log.note('warn', 'store-trouble', {}, cause)
  try {
    return openLocalStore({ file, hotMs, clock, onTrouble })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new StartFault(`${cause.message}. Or choose another folder with --data FOLDER.`, cause)
  }
}
