/** The store ports over the memory adapters, kept in a file where one is named. */
import { type Database, openDatabase } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { StartFault } from '../start-fault.ts'
import type { OpenStore } from './open-store.ts'

export function openMemoryStore(options: {
  /** Undefined: in memory only. */
  readonly file: string | undefined
  readonly note: string | undefined
  readonly clock: Clock
}): OpenStore {
  const { clock, file, note } = options
  const database = open(file)
  return {
    ports: memoryStorePorts(database, clock),
    note,
    stop: async () => database.close(),
  }
}

function open(file: string | undefined): Database {
  try {
    return openDatabase(file === undefined ? {} : { file })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new StartFault(
      `${cause.message}. Begin another folder with --data FOLDER, or delete this file and what it holds.`,
      cause,
    )
  }
}
