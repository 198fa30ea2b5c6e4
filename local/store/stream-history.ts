/**
 * The embedded DynamoDB keeps every stream record for ever (AWS: 24 hours) and searches all of them
 * with each write and each read of the stream: 11 ms instead of 1 for 21,000, which is three days of one
 * idle stream. So each start deletes the records of earlier runs, and makes an index for those to come.
 * Changes that list alone: items are never read here. ADR 0015. Of the Gateway table it deletes those that
 * have been archived: the others may be calls of a twin that was killed.
 *
 * No reader is under way at a start. The newest record of each table stays all the same, since the store
 * numbers the next one after it: a reader would skip numbers below those that it knows.
 */
import { DatabaseSync } from 'node:sqlite'
import { GATEWAY_TABLE } from '../../adapters/dynamodb/table.ts'

/** The store's own name for the list, as of @dynoxide 1.2.1. */
const RECORDS = '_stream_records'
/** The store answers nobody else yet, so nothing holds the file for longer than a moment. */
const BUSY_MS_MAX = 2_000

const DELETE = `
DELETE FROM ${RECORDS} WHERE id NOT IN (SELECT MAX(id) FROM ${RECORDS} GROUP BY table_name)
  AND (table_name <> '${GATEWAY_TABLE.name}' OR CAST(sequence_number AS INTEGER) <= ?)
`
const INDEX = `
CREATE INDEX IF NOT EXISTS skillgate_stream_reads
  ON ${RECORDS} (table_name, shard_id, CAST(sequence_number AS INTEGER));
CREATE INDEX IF NOT EXISTS skillgate_stream_writes
  ON ${RECORDS} (table_name, CAST(sequence_number AS INTEGER));
`

/**
 * `seen` has the number of the last record of the Gateway table that was archived, by shard. Throws what
 * SQLite throws; the store works without it, only slower with time.
 */
export function tidyStream(dbPath: string, seen: ReadonlyMap<string, string> = new Map()): void {
  const db = new DatabaseSync(dbPath, { timeout: BUSY_MS_MAX })
  try {
    const found = db
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      .get(RECORDS)
    if (found === undefined) return
    db.prepare(DELETE).run(lowest(seen))
    db.exec(INDEX)
  } finally {
    db.close()
  }
}

/** Numbers go on from shard to shard, so all that was archived is at or below the lowest. */
function lowest(seen: ReadonlyMap<string, string>): bigint {
  const numbers = [...seen.values()].map(BigInt)
  return numbers.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
}
