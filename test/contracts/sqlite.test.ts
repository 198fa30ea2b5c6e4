/** The SQLite adapters keep the contracts: in memory, and in a file that a second connection writes too. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { openDatabase, openMemoryDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../adapters/sqlite/store-ports.ts'
import type { StorePorts } from '../../core/ports.ts'
import { describeChanges } from './changes-contract.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { v0ServiceInSqlite } from './v0-service-in-sqlite.ts'

const troubles: unknown[] = []
const onTrouble = (cause: unknown) => void troubles.push(cause)

describeStorePorts('sqlite in memory', async () => {
  const clock = testClock()
  const database = openMemoryDatabase()
  return {
    ...sqliteStorePorts(database, clock, onTrouble),
    clock,
    old: v0ServiceInSqlite(database),
  }
})

describe('a store that is kept in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-sqlite-'))
  const path = join(folder, 'store.sqlite')
  const [first, second] = [openDatabase(path, { onTrouble }), openDatabase(path, { onTrouble })]
  afterAll(async () => {
    await first.close()
    await second.close()
    rmSync(folder, { recursive: true })
  })

  describeStorePorts('sqlite in a file', async () => {
    const clock = testClock()
    return { ...sqliteStorePorts(first, clock, onTrouble), clock, old: v0ServiceInSqlite(first) }
  })

  const over = (database: Database) => async () => {
    const clock = testClock()
    return { ...sqliteStorePorts(database, clock, onTrouble), clock }
  }
  describeChanges('sqlite in a file', over(first), over(second))

  describeStorePorts('sqlite through two connections by turns', async () => {
    const clock = testClock()
    const ports = [first, second].map((one) => sqliteStorePorts(one, clock, onTrouble))
    return { ...byTurns(ports), clock, old: v0ServiceInSqlite(second) }
  })
})

test('the sqlite store met no trouble that it waited out', () => {
  expect(troubles).toEqual([])
})

/** Calls go to the connections in turn, so that each call uses another one than the call before. */
function byTurns(all: readonly StorePorts[]): StorePorts {
  const [first] = all
  if (first === undefined) throw new Error('no ports')
  let turn = 0
  const port = (name: keyof StorePorts) =>
    new Proxy(first[name], {
      get: (_, method: string) => {
        turn += 1
        return Reflect.get(all[turn % all.length]?.[name] ?? first[name], method)
      },
    })
  const names = Object.keys(first) as (keyof StorePorts)[]
  return Object.fromEntries(names.map((name) => [name, port(name)])) as StorePorts
}
