/**
 * A large store in a file: 10,000 skills and 1,000,000 outcomes of calls. A page of either is read whole and in order,
 * and the time of the quietest of some reads is printed. Takes some minutes: npx vitest run --project scale
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import type { StorePorts } from '../../../../core/ports/ports.ts'
import { holdOf, profileOf, settledOf, skillOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'

const SKILLS = 10_000
const OUTCOMES = 1_000_000
const USERS = 1_000
/** Writes that share a commit while the store is filled. */
const AT_ONCE = 1_000
const ROUNDS = 9

describe('a store with 10,000 skills and 1,000,000 outcomes', () => {
  let ports: StorePorts
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skillgate-scale-'))
    const store = openLocalStore({ file: join(folder, 'items.sqlite'), clock: testClock() })
    ports = store.ports
    await fill(ports)
    return async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    }
  }, 900_000)

  test('a page of a ledger is its newest 100 of 1,000 outcomes', async () => {
    const read = () => ports.ledger.list({ uid: 'u-1', limit: 100 })
    const { outcomes } = await read()
    expect(outcomes.map(({ callId }) => callId)).toEqual(
      Array.from({ length: 100 }, (_, index) => callIdOf(OUTCOMES - USERS + 1 - index * USERS)),
    )
    await printTime('a page of a ledger', read)
  })

  test('10,000 skills are listed in ten pages of 1,000, in the order of their ids', async () => {
    const seen: string[] = []
    let after: string | undefined
    do {
      const more = after === undefined ? {} : { after }
      const page = await ports.skills.list({ source: 'official', limit: 1_000, ...more })
      seen.push(...page.records.map(({ skillId }) => skillId))
      after = page.next
    } while (after !== undefined)
    expect(seen).toEqual(Array.from({ length: SKILLS }, (_, index) => skillIdOf(index)))
    await printTime('a page of 1,000 skills', () =>
      ports.skills.list({ source: 'official', limit: 1_000 }),
    )
  })

  test('a call is held, settled and released beside them', async () => {
    let call = 0
    await ports.profiles.create(profileOf('u-paid', { credits: 1_000_000 }))
    await printTime('hold, outcome and release', async () => {
      call += 1
      const callId = `2-${call}`
      await ports.ledger.hold({ uid: 'u-paid', callId, holdsMax: 32, hold: holdOf(1) })
      await ports.ledger.decide(settledOf('u-paid', callId, 1))
      await ports.ledger.release({ uid: 'u-paid', callId, giveBack: false })
    })
    expect((await ports.profiles.read('u-paid'))?.credits).toBe(1_000_000 - ROUNDS)
  })
})

async function fill(ports: StorePorts): Promise<void> {
  for (let from = 0; from < OUTCOMES; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        ports.ledger.decide(settledOf(`u-${(from + index) % USERS}`, callIdOf(from + index), 1)),
      ),
    )
  }
  for (let from = 0; from < SKILLS; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        ports.skills.put(skillOf(skillIdOf(from + index)), 0),
      ),
    )
  }
}

function callIdOf(row: number): string {
  return `1${String(row).padStart(8, '0')}-x`
}

function skillIdOf(row: number): string {
  return `sg_${String(row).padStart(5, '0')}`
}

async function printTime(what: string, work: () => Promise<unknown>): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    await work()
    least = Math.min(least, performance.now() - began)
  }
  process.stdout.write(`${what}: ${least.toFixed(2)} ms\n`)
}
