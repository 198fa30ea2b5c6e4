/** The ledger as the SQLite store keeps it: every user's money, sums and trail. For its audits. */
import { profileReader } from '../../adapters/sqlite/accounts/read-profile.ts'
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { openDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { textAt } from '../../adapters/sqlite/database/row.ts'
import { sqliteAuditTrail } from '../../adapters/sqlite/evidence/audit-trail.ts'
import { grantFrom } from '../../adapters/sqlite/ledger/grants.ts'
import { outcomeFrom } from '../../adapters/sqlite/ledger/outcome-rows.ts'
import { sqliteUsageSums } from '../../adapters/sqlite/usage/usage-sums.ts'
import type { Account } from '../../core/ledger/audit.ts'
import type { Grant } from '../../core/ledger/ledger.ts'
import type { AuditTrail, Clock, UsageSums } from '../../core/ports.ts'

/** With grants as they are stored. */
export type StoredAccount = Omit<Account, 'grants'> & { readonly grants: readonly Grant[] }

export type SqliteLedger = {
  readonly accounts: AsyncIterable<StoredAccount>
  readonly usageSums: UsageSums
  readonly auditTrail: AuditTrail
  close(): Promise<void>
}

/** Throws `Fault('store_unavailable')` when the file cannot be read. */
export function openSqliteLedger(path: string, clock: Clock): SqliteLedger {
  const database = openDatabase(path)
  return {
    accounts: accountsIn(database),
    usageSums: sqliteUsageSums(database),
    auditTrail: sqliteAuditTrail(database, clock),
    close: () => database.close(),
  }
}

async function* accountsIn(database: Database): AsyncGenerator<StoredAccount> {
  const accountOf = accounts(database)
  for (const uid of uidsIn(database)) yield await accountOf(uid)
}

/** Of users, and of records whose user is gone. */
function uidsIn(database: Database): readonly string[] {
  const uids = database.prepare(
    `SELECT uid FROM profiles UNION SELECT uid FROM outcomes UNION SELECT uid FROM grants
     UNION SELECT uid FROM holds ORDER BY uid`,
  )
  return uids.all().map((row) => textAt(row, 'uid'))
}

function accounts(database: Database): (uid: string) => Promise<StoredAccount> {
  const readProfile = profileReader(database)
  const grants = database.prepare('SELECT * FROM grants WHERE uid = ?')
  const outcomes = database.prepare('SELECT * FROM outcomes WHERE uid = ?')
  return (uid) =>
    database.snapshot(() => ({
      uid,
      profile: readProfile(uid)?.profile,
      grants: grants.all(uid).map(grantFrom),
      outcomes: outcomes.all(uid).map(outcomeFrom),
      unreadable: [],
    }))
}
