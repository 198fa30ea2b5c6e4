/** Keys of the earlier service. */

import type { KeyRecord } from '../../../core/access/principal.ts'
import {
  isOwner,
  judgeV0Key,
  type V0Key,
  v0KeyRecord,
  v0Spellings,
} from '../../../core/access/v0-key.ts'
import type { V0Records } from '../../../core/ports.ts'
import { keyInsert } from '../accounts/key-row.ts'
import type { Database } from '../database/database.ts'
import { v0Rows } from './v0-rows.ts'

export function v0Keys(database: Database) {
  const rows = v0Rows(database)
  const insertKey = keyInsert(database)
  const isKey = database.prepare('SELECT 1 FROM keys WHERE keyHash = ?')
  const ask = database.prepare('INSERT INTO v0_asked (keyHash) VALUES (?) ON CONFLICT DO NOTHING')

  const keyIn = (keyHash: string): V0Key | undefined =>
    judgeV0Key(
      v0Spellings(keyHash).flatMap((spelling) => {
        const row = rows.find('key', spelling)
        return row === undefined ? [] : [{ ...row, spelling }]
      }),
    )
  const markMoved = (spelling: string) => {
    const row = rows.find('key', spelling)
    if (row !== undefined) rows.put({ ...row, moved: true })
  }
  return {
    find: (keyHash: string) => database.snapshot(() => keyIn(keyHash)),
    /** Queues a key that it finds to be moved. Most hashes are unknown, and cost one read. */
    findAndAsk: async (keyHash: string, nowMs: number): Promise<KeyRecord | undefined> => {
      const found = await database.snapshot(() => keyIn(keyHash))
      if (found?.kind !== 'unmoved') return undefined
      await database.write(() => void ask.run(keyHash))
      const { uid } = found
      return { ...v0KeyRecord({ keyHash, uid, username: uid, nowMs }), v0: true }
    },
    /**
     * Removes the spellings of a hash that name this user, so that its holder is let in nowhere.
     * Runs inside a write.
     */
    removeFor: ({ keyHash, uid }: Pick<KeyRecord, 'keyHash' | 'uid'>): boolean => {
      const removed = v0Spellings(keyHash).map((spelling) => {
        const value = rows.find('key', spelling)?.value
        if (!isOwner(value, uid)) return false
        return rows.remove('key', spelling)
      })
      return removed.includes(true)
    },
    /** False when the records have changed since they were found; then nothing is written. */
    move: ({ record, spellings }: Parameters<V0Records['moveKey']>[0]): Promise<boolean> =>
      database.writeDurably(() => {
        const found = keyIn(record.keyHash)
        if (found?.kind !== 'unmoved' || found.uid !== record.uid) return false
        for (const spelling of spellings) markMoved(spelling)
        if (isKey.get(record.keyHash) !== undefined) return false
        return insertKey(record)
      }),
  }
}
