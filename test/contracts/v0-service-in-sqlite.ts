/** The earlier service at work on the records that a SQLite store keeps of it. */
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { v0Rows } from '../../adapters/sqlite/migration/v0-rows.ts'
import { fromUnits } from '../../core/json/decimal.ts'
import type { V0Value } from '../../core/ledger/v0.ts'
import { number, type OldKind, type OldService, PICO_PER_MICRO, picoOf } from './v0-service.ts'

export function v0ServiceInSqlite(database: Database): OldService {
  const rows = v0Rows(database)
  const put = (kind: OldKind, name: string, value: V0Value) =>
    rows.put({ kind, name, value, moved: false })
  return {
    put: (kind, name, value) => database.write(() => put(kind, name, value)),
    read: (kind, name) => database.read(() => rows.find(kind, name)?.value),
    remove: (kind, name) => database.write(() => void rows.remove(kind, name)),
    add: (uid, micro) =>
      database.write(() => {
        const before = picoOf(rows.find('credits', uid)?.value)
        put('credits', uid, number(fromUnits(before + micro * PICO_PER_MICRO, 12)))
      }),
  }
}
