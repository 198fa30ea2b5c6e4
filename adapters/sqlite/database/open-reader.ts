/** A connection of a thread to a file that its process has open already. */
import { DatabaseSync } from 'node:sqlite'
import { type Database, databaseOver } from './database.ts'

/** It reads in great strides, and no row twice. */
const CACHE_KB = 256

/** Its writes throw, and it remembers no rows. */
export function openReader(path: string): Database {
  const connection = new DatabaseSync(path)
  connection.exec('PRAGMA query_only = ON')
  connection.exec(`PRAGMA cache_size = -${CACHE_KB}`)
  return databaseOver(connection, path, undefined)
}
