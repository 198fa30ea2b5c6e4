/** Every user's money as the twin's memory adapters keep it in a file. For the audit of the ledger. */
import { openDatabaseFile } from '../../adapters/memory/database-file.ts'
import type { Account } from '../../core/ledger/audit.ts'
import type { Outcome, Profile } from '../../core/ledger/ledger.ts'

/** Throws `Fault('store_unavailable')` while another process has the file open. */
export function memoryAccounts(path: string): readonly Account[] {
  const file = openDatabaseFile(path)
  try {
    const profiles = [...file.read<Profile>('profiles')]
    const outcomes = [...file.read<Outcome>('outcomes')]
    const grants = [...file.read<{ amount: number }>('grants')]
    const of = <R extends { partition: string }>(rows: readonly R[], uid: string) =>
      rows.filter(({ partition }) => partition === uid)
    const uids = [profiles, outcomes, grants].flat().map(({ partition }) => partition)
    return [...new Set(uids)].sort().map((uid) => ({
      uid,
      profile: of(profiles, uid)[0]?.row,
      grants: of(grants, uid).map(({ row, sort }) => ({ grantId: sort, amount: row.amount })),
      outcomes: of(outcomes, uid).map(({ row }) => row),
      unreadable: [],
    }))
  } finally {
    file.close()
  }
}
