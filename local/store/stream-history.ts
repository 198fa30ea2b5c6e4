/**
 * The embedded DynamoDB keeps every stream record for ever (AWS: 24 hours) and searches all of them
 * with each write and each read of the stream: 11 ms instead of 1 for 21,000, which is three days of one
 * idle stream. So each start deletes the records of earlier runs, and makes an index for those to come.
 * Changes that list alone: items are never read here. ADR 0015.
 *
 * No reader is under way at a start. The newest record of each table stays all the same, since the store
 * numbers the next one after it: a reader would skip numbers below those that it knows.
 */
import { DatabaseSync } from 'node:sqlite'

/** The store's own name for the list, as of @dynoxide 1.2.1. */
const RECORDS = '_stream_records'
/** The store answers nobody else yet, so nothing holds the file for longer than a moment. */
const BUSY_MS_MAX = 2_000

const TIDY = `
DELETE FROM ${RECORDS} WHERE id NOT IN (SELECT MAX(id) FROM ${RECORDS} GROUP BY table_name);
CREATE INDEX IF NOT EXISTS skillgate_stream_reads
  ON ${RECORDS} (table_name, shard_id, CAST(sequence_number AS INTEGER));
CREATE INDEX IF NOT EXISTS skillgate_stream_writes
  ON ${RECORDS} (table_name, CAST(sequence_number AS INTEGER));
`

/** Throws what SQLite throws; the store works without it, only slower with time. */
export function tidyStream(dbPath: string): void {
  const db = new DatabaseSync(dbPath, { timeout: BUSY_MS_MAX })
  try {
    const found = db
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      .get(RECORDS)
    if (found !== undefined) db.exec(TIDY)
  } finally {
    db.close()
  }
}
