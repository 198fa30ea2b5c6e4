/** Files and stores of one test, removed and closed after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import { openDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import type { StorePorts } from '../../contracts/store-ports.ts'
import { testClock } from '../../contracts/test-clock.ts'

/** In a folder of its own. */
export function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'store.sqlite')
}

export function openFile(path: string): Database {
  const database = openDatabase(path)
  onTestFinished(() => database.close())
  return database
}

export function portsOver(database: Database): StorePorts {
  const clock = testClock()
  const troubles = (cause: unknown) => {
    throw cause
  }
  return { ...sqliteStorePorts(database, clock, troubles), clock }
}

export function openPorts(path: string): StorePorts {
  return portsOver(openFile(path))
}
