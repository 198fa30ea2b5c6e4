/**
 * The migration under random schedules, on the memory adapters and (fewer) on SQLite and the
 * embedded DynamoDB, and wrong ways to move that must be found out. The long form and one schedule again, as for the ledger:
 *
 *   SIMULATION_RUNS=200000 npx vitest run --project simulation test/simulation/migration.test.ts
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run test/simulation/migration.test.ts
 */
import { afterAll, describe, expect, test } from 'vitest'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { type Database, ONLY, openDatabase } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { openMemoryDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../adapters/sqlite/store-ports.ts'
import type { V0Records } from '../../core/ports.ts'
import { embeddedStore, TABLES } from '../adapters/dynamodb/embedded-store.ts'
import { testClock } from '../contracts/test-clock.ts'
import { oldServiceInMemory, oldServiceOver } from '../contracts/v0-service.ts'
import { v0ServiceInSqlite } from '../contracts/v0-service-in-sqlite.ts'
import { type MigrationStore, migrateAtRandom } from './migration.ts'
import type { Actor, Turns } from './turns.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
/** A schedule here takes several times as long as one of the ledger. */
const RUNS = Math.ceil(Number(process.env['SIMULATION_RUNS'] ?? 4_000) / 10)
/** Schedules share one store, so each meets the users of those before it. */
const EMBEDDED_RUNS = Math.min(40, Math.ceil(RUNS / 100))
const WRONG_RUNS_MAX = 2_000
const MS_PER_RUN_MAX = 60

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

function inMemory(database: Database = openDatabase()): MigrationStore {
  return { ...memoryStorePorts(database, testClock()), old: oldServiceInMemory(database) }
}

async function firstViolation(make: () => MigrationStore, runs: number): Promise<string> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + runs; seed += 1) {
    const { trace, violations } = await migrateAtRandom(seed, make())
    if (violations.length > 0) return `seed ${seed}: ${[violations[0], ...trace].join('\n')}`
  }
  return ''
}

describe('the migration under random schedules', () => {
  test(
    'the migration under random schedules loses and makes no credits, shows no user more than exists, and moves each key once',
    async () => {
      expect(await firstViolation(() => inMemory(), RUNS)).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test(
    'the migration on SQLite loses and makes no credits, and moves each key once',
    async () => {
      const database = openMemoryDatabase()
      const ports = sqliteStorePorts(database, testClock(), () => {})
      const store = { ...ports, old: v0ServiceInSqlite(database) }
      expect(await firstViolation(() => store, Math.ceil(RUNS / 10))).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test('the migration on the embedded DynamoDB loses and makes no credits, and moves each key once', async () => {
    const clock = testClock()
    const { endpoint, stop, store } = await embeddedStore({ clock })
    const other = dynamoClient({ endpoint })
    stops.push(stop, async () => other.destroy())
    const stored = dynamoStorePorts(store)
    // Each lookup is an environment's first: its 30 s cache is not the subject here.
    const keys = { ...stored.keys, find: (keyHash: string) => dynamoKeys(store).find(keyHash) }
    const ports = { ...stored, keys, old: oldServiceOver(other, TABLES.gateway) }
    expect(await firstViolation(() => ports, EMBEDDED_RUNS)).toBe('')
  })
})

type Wrong = {
  readonly name: string
  readonly foundBy: RegExp
  readonly v0: (of: {
    right: V0Records
    database: Database
    turns: Turns
    actor: Actor
  }) => V0Records
}

const WRONG: readonly Wrong[] = [
  {
    name: 'a move that ignores changes since its read',
    foundBy: /there are \d+, and were given/,
    v0: ({ right, turns, actor }) => {
      const blind: V0Records = {
        ...right,
        move: async (request) => {
          const { credits = request.expected } = await right.read(request.uid)
          return right.move({ ...request, expected: credits })
        },
      }
      return turns.port(actor, blind)
    },
  },
  {
    name: 'a move in two writes',
    foundBy: /there are \d+, and were given/,
    v0: ({ right, database, turns, actor }) => {
      const v0 = turns.port(actor, right)
      const take = {
        take: async (uid: string) => database.v0Records.remove(ONLY, `credits ${uid}`),
      }
      const stepwise = turns.port(actor, take)
      return {
        ...v0,
        read: (uid) => v0.read(uid),
        move: async (request) => {
          const moved = await v0.move({ ...request, rest: request.expected })
          if (moved) await stepwise.take(request.uid)
          return moved
        },
      }
    },
  },
  {
    name: 'a creation that overwrites an existing profile',
    foundBy: /there are \d+, and were given/,
    v0: ({ right, database, turns, actor }) => {
      const careless: V0Records = {
        ...right,
        move: async (request) => {
          if (request.birth !== undefined) database.profiles.remove(request.uid, ONLY)
          return right.move(request)
        },
      }
      return turns.port(actor, careless, ['move'])
    },
  },
  {
    name: 'a key that stays valid in its old record',
    foundBy: /a revoked key lives/,
    v0: ({ right, database, turns, actor }) => {
      const unmarked: V0Records = {
        ...right,
        moveKey: async ({ record }) => {
          if (database.keys.get(record.keyHash, ONLY) !== undefined) return false
          database.userKeys.put(record.uid, record.keyHash, { keyHash: record.keyHash })
          database.keys.put(record.keyHash, ONLY, record)
          return true
        },
      }
      return turns.port(actor, unmarked, ['moveKey'])
    },
  },
]

describe('a planted fault', () => {
  test.each(WRONG)(
    'the simulation finds $name',
    async ({ foundBy, v0 }) => {
      const wrong = () => {
        const database = openDatabase()
        const store = inMemory(database)
        const v0Of = (turns: Turns, actor: Actor) => v0({ right: store.v0, database, turns, actor })
        return { ...store, v0Of }
      }
      expect(await firstViolation(wrong, WRONG_RUNS_MAX)).toMatch(foundBy)
    },
    60_000,
  )
})
