/**
 * A large store: 10,000 skills and 1,000,000 outcomes. No statement holds the event loop for longer than
 * 5 ms. Takes half a minute: npx vitest run --project scale
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import { openDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteLedgerNews } from '../../../adapters/sqlite/usage/ledger-news.ts'
import { callIdAt } from '../../../core/call/call-id.ts'
import { listCalls } from '../../../core/flow/usage/list-calls.ts'
import { readUsage, USAGE_BY } from '../../../core/flow/usage/read-usage.ts'
import { NEWS_BATCH_MAX } from '../../../core/flow/usage/take-news.ts'
import type { LedgerNews } from '../../../core/ports.ts'
import { rowOf } from '../../../core/usage/call-row.ts'
import { HOUR_MS } from '../../../core/usage/slots.ts'
import { inPages } from '../../../core/usage/usage-page.ts'
import { holdOf, profileOf, settledOf, toolOf } from '../../contracts/fresh.ts'
import type { StorePorts } from '../../contracts/store-ports.ts'
import { portsOver } from './fresh-file.ts'

const SKILLS = 10_000
const OUTCOMES = 1_000_000
const USERS = 1_000
const DAY = '2033-05-18'
const HELD_MS_MAX = 5
/** The hour of the clock, whose sums are not written. */
const HOUR = 555_555
const HOUR_CALLS = 100_000
const SPAN = { since: String(HOUR * HOUR_MS), until: String((HOUR + 1) * HOUR_MS) }
/** One turn may include a garbage collection, so the quietest of this many rounds counts. */
const ROUNDS = 9

/** The longest processor time of one turn of the event loop, in the quietest of the rounds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    let longestMs = 0
    let lastMs = threadMs()
    let over = false
    const tick = () => {
      const nowMs = threadMs()
      longestMs = Math.max(longestMs, nowMs - lastMs)
      lastMs = nowMs
      if (!over) setImmediate(tick)
    }
    setImmediate(tick)
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    over = true
    rounds.push(longestMs)
  }
  return Math.min(...rounds)
}

/**
 * Other processes take turns on the machine; their time is not in this. The kernel counts in ticks of up to 4 ms. Exact
 * are `performance.now()` here and `chrt -f 5` before the command, which lets nothing else take a turn.
 */
function threadMs(): number {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

function fill(database: Database): void {
  const outcome = database.prepare(
    `INSERT INTO outcomes VALUES (NULL, ?, ?, 'sg_weather', 'official', 3, 'settled', NULL, 1, 1, ?, ?, 250, 200, NULL, NULL)`,
  )
  const skill = database.prepare(
    "INSERT INTO skills VALUES ('official', '', ?, ?, ?, 1, 1, 1, NULL, NULL)",
  )
  const definition = JSON.stringify({ meta: { description: 'x'.repeat(900) } })
  const change = database.prepare(
    `INSERT INTO audit_records VALUES (?, ?, 'intent', ?, '', ?, '', NULL, ${Number.MAX_SAFE_INTEGER})`,
  )
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  begin.run()
  for (let row = 0; row < OUTCOMES; row += 1) {
    outcome.run(`u-${row % USERS}`, `1${String(row).padStart(8, '0')}-x`, row, row)
  }
  for (let row = 0; row < SKILLS; row += 1) {
    const id = `sg_${String(row).padStart(5, '0')}`
    skill.run(id, id, definition)
  }
  // Each skill that is sent by itself leaves an intent and an outcome.
  for (let row = 1; row <= 2 * SKILLS; row += 1) change.run(DAY, row, row, 'x'.repeat(400))
  commit.run()
}

/** 1,000 calls a page, of which each shares its time with the page before. */
async function fillHour({ usagePages, usageSums }: StorePorts): Promise<void> {
  await usageSums.moveHead({ closed: HOUR - 1 })
  await usageSums.moveHead({ rolled: HOUR - 1 })
  for (let from = 0; from < HOUR_CALLS; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const createdAtMs = HOUR * HOUR_MS + (from + 2 * index) * 10
      const callId = callIdAt(createdAtMs, `${from}`.padStart(22, 'x'))
      const outcome = settledOf(`u-${index}`, callId, 1)
      return rowOf({ ...outcome, createdAtMs, skillId: `sg_${index % 100}` })
    })
    for (const page of inPages(rows)) {
      await usagePages.put({ ...page, id: `${page.rows[0]?.callId}~${from}` })
    }
  }
}

describe('a store with 1,000,000 outcomes', () => {
  let ports: StorePorts
  let news: LedgerNews
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skillgate-scale-'))
    const database = openDatabase(join(folder, 'store.sqlite'))
    fill(database)
    ports = portsOver(database)
    news = sqliteLedgerNews(database)
    await news.done({ calls: OUTCOMES, grants: 0 })
    await ports.profiles.create(profileOf('u-1', { credits: 1_000_000 }))
    await fillHour(ports)
    return async () => {
      await database.close()
      rmSync(folder, { recursive: true })
    }
  }, 120_000)

  const tools = Array.from({ length: SKILLS }, (_, index) =>
    toolOf(`sg_${index}`, { description: 'x'.repeat(900) }),
  )
  let call = 0
  let cold = 0
  const WORK: readonly [string, () => Promise<unknown>][] = [
    ['a page of a ledger', () => ports.ledger.list({ uid: 'u-1', limit: 100 })],
    ['a page of 1,000 skills', () => ports.skills.list({ source: 'official', limit: 1_000 })],
    [
      'what a call reads',
      () => ports.callLookup.read({ uid: 'u-1', name: 'x', skillId: 'sg_00007', cut: undefined }),
    ],
    [
      'a call from its hold to its release',
      async () => {
        call += 1
        const callId = `2-${call}`
        await ports.ledger.hold({ uid: 'u-1', callId, holdsMax: 32, hold: holdOf(1) })
        await ports.ledger.decide(settledOf('u-1', callId, 1))
        await ports.ledger.release({ uid: 'u-1', callId, giveBack: false })
      },
    ],
    [
      'writing a list of 10,000 tools, and reading it',
      async () => {
        await ports.toolsCache.write(tools, (await ports.toolsCache.read())?.version)
        await ports.toolsCache.read()
      },
    ],
    ...USAGE_BY.map((by): [string, () => Promise<unknown>] => [
      `sums of an open hour by ${by}`,
      () => readUsage(ports, by, SPAN),
    ]),
    ['a page of calls of an open hour', () => listCalls(ports, SPAN)],
    [
      'a list of an open hour that no call passes',
      () => listCalls(ports, { ...SPAN, min_ms: '1000' }),
    ],
    ['a day of 20,000 changes', () => ports.auditTrail.day(DAY)],
    [
      'removing 500 old calls, then finding that all others are young',
      async () => {
        cold += 500
        await news.removeCold({ beforeMs: cold, limit: 500 })
        await news.removeCold({ beforeMs: cold, limit: 500 })
      },
    ],
    ['a batch of news of calls', () => news.read({ limit: NEWS_BATCH_MAX })],
    [
      'replies of 900 kB, each of which removes two that are over',
      async () => {
        for (let index = 0; index < 10; index += 1) {
          const hash = `s-${call}-${index}`
          await ports.replies.append({ hash, seq: 1, sealed: new Uint8Array(900_000) })
          await new Promise((resolve) => setImmediate(resolve))
        }
        call += 1
        ports.clock.advance(3_600_001)
      },
    ],
  ]
  test.each(WORK)(
    '%s holds the event loop for at most 5 ms',
    async (name, work) => {
      const heldMs = await longestTurn(work)
      process.stdout.write(`${name}: ${heldMs.toFixed(2)} ms\n`)
      expect(heldMs).toBeLessThan(HELD_MS_MAX)
    },
    120_000,
  )
})
