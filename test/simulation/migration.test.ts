/**
 * The migration under random schedules, on the memory adapters and (fewer) on the embedded DynamoDB, and
 * wrong ways to move that must be found out. The long form and one schedule again, as for the ledger:
 *
 *   SIMULATION_RUNS=200000 npx vitest run --project simulation test/simulation/migration.test.ts
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run test/simulation/migration.test.ts
 */
import { afterAll, describe, expect, test } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { type Cells, ONLY, openCells } from '../../adapters/memory/cells.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import type { LegacyRecords } from '../../core/ports.ts'
import { embeddedStore, TABLES } from '../adapters/dynamodb/embedded-store.ts'
import { oldServiceInMemory, oldServiceOver } from '../contracts/old-service.ts'
import { testClock } from '../contracts/test-clock.ts'
import { type MigrationStore, migrateAtRandom } from './migration.ts'
import type { Actor, Turns } from './turns.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
/** A schedule of this takes some times as long as one of the ledger. */
const RUNS = Math.ceil(Number(process.env['SIMULATION_RUNS'] ?? 10_000) / 10)
/** Each finds the users of those before it. */
const EMBEDDED_RUNS = Math.min(40, Math.ceil(RUNS / 100))
const WRONG_RUNS_MAX = 2_000
const MS_PER_RUN_MAX = 60

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

function inMemory(cells: Cells = openCells()): MigrationStore {
  return { ...memoryStorePorts(cells, testClock()), old: oldServiceInMemory(cells) }
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
    'loses and makes no credits, shows nobody more than exists, and moves each key once',
    async () => {
      expect(await firstViolation(() => inMemory(), RUNS)).toBe('')
    },
    30_000 + RUNS * MS_PER_RUN_MAX,
  )

  test('and so on the embedded DynamoDB', async () => {
    const clock = testClock()
    const { endpoint, stop, store } = await embeddedStore({ clock })
    const other = dynamoClient({ endpoint })
    stops.push(stop, async () => other.destroy())
    const stored = dynamoStorePorts(store)
    // Each look is an environment's first: what one remembers for 30 s is not what is judged here.
    const keys = { ...stored.keys, find: (keyHash: string) => dynamoKeys(store).find(keyHash) }
    const ports = { ...stored, keys, old: oldServiceOver(other, TABLES.gateway) }
    expect(await firstViolation(() => ports, EMBEDDED_RUNS)).toBe('')
  })
})

type Wrong = {
  readonly name: string
  readonly foundBy: RegExp
  readonly legacy: (of: {
    right: LegacyRecords
    cells: Cells
    turns: Turns
    actor: Actor
  }) => LegacyRecords
}

const WRONG: readonly Wrong[] = [
  {
    name: 'a move that does not look at what it saw',
    foundBy: /there are \d+, and were given/,
    legacy: ({ right, turns, actor }) => {
      const blind: LegacyRecords = {
        ...right,
        move: async (what) => {
          const { credits = what.seen } = await right.read(what.uid)
          return right.move({ ...what, seen: credits })
        },
      }
      return turns.port(actor, blind)
    },
  },
  {
    name: 'a move in two writes',
    foundBy: /there are \d+, and were given/,
    legacy: ({ right, cells, turns, actor }) => {
      const legacy = turns.port(actor, right)
      const take = {
        take: async (uid: string) => cells.legacyRecords.remove(ONLY, `credits ${uid}`),
      }
      const stepwise = turns.port(actor, take)
      return {
        ...legacy,
        read: (uid) => legacy.read(uid),
        move: async (what) => {
          const moved = await legacy.move({ ...what, rest: what.seen })
          if (moved) await stepwise.take(what.uid)
          return moved
        },
      }
    },
  },
  {
    name: 'a birth that does not mind who is there',
    foundBy: /there are \d+, and were given/,
    legacy: ({ right, cells, turns, actor }) => {
      const careless: LegacyRecords = {
        ...right,
        move: async (what) => {
          if (what.birth !== undefined) cells.profiles.remove(what.uid, ONLY)
          return right.move(what)
        },
      }
      return turns.port(actor, careless, ['move'])
    },
  },
  {
    name: 'a key that leaves no mark where it was',
    foundBy: /a revoked key lives/,
    legacy: ({ right, cells, turns, actor }) => {
      const unmarked: LegacyRecords = {
        ...right,
        moveKey: async ({ record }) => {
          if (cells.keys.get(record.keyHash, ONLY) !== undefined) return false
          cells.userKeys.put(record.uid, record.keyHash, { keyHash: record.keyHash })
          cells.keys.put(record.keyHash, ONLY, record)
          return true
        },
      }
      return turns.port(actor, unmarked, ['moveKey'])
    },
  },
]

describe('a wrong way to move is found out', () => {
  test.each(WRONG)(
    '$name',
    async ({ foundBy, legacy }) => {
      const wrong = () => {
        const cells = openCells()
        const store = inMemory(cells)
        const legacyOf = (turns: Turns, actor: Actor) =>
          legacy({ right: store.legacy, cells, turns, actor })
        return { ...store, legacyOf }
      }
      expect(await firstViolation(wrong, WRONG_RUNS_MAX)).toMatch(foundBy)
    },
    60_000,
  )
})
