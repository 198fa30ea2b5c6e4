/**
 * The archive agrees with the ledger, however the stream brings its entries: again, late, in other batches,
 * in another order, with failures between the sums and the archive.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { type ArchiveEntry, toArchiveLine } from '../../../../core/archive/archive-entry.ts'
import { LEDGER_PREFIX } from '../../../../core/archive/archive-object.ts'
import { findLedgerDifferences } from '../../../../core/archive/compare-ledger.ts'
import { readObjects } from '../../../../core/archive/read-objects.ts'
import { Fault } from '../../../../core/errors.ts'
import { takeEntries } from '../../../../core/flow/usage/take-entries.ts'
import type { Archive } from '../../../../core/ports/usage.ts'
import { toHour } from '../../../../core/usage/slots.ts'
import { readUserSums } from '../../../../scripts/audit/user-sums.ts'
import { memoryArchive } from '../../../contracts/memory-archive.ts'
import { manualClock } from '../manual-clock.ts'
import { deliveries, HOUR_MS, random, START_MS, TRAFFIC, voidedOf } from './traffic.ts'

const GRANTS = fc.array(
  fc.record({
    uid: fc.constantFrom('ada', 'bob'),
    afterMs: fc.nat({ max: 40 * HOUR_MS }),
    amount: fc.integer({ min: -5_000_000, max: 5_000_000 }),
  }),
  { maxLength: 8 },
)

function world() {
  const clock = manualClock()
  clock.jump(START_MS - clock.nowMs())
  const archive = memoryArchive()
  return { clock, digests: nodeDigests(), archive, ...openLocalStore({ clock }).ports }
}

/** A put fails before or after its work, or the store of sums does. */
function flaky(ports: ReturnType<typeof world>, draw: () => number): ReturnType<typeof world> {
  const fails = () => {
    if (draw() < 0.15) throw new Fault('store_unavailable', 'drawn')
  }
  const archive: Archive = {
    ...ports.archive,
    put: async (object) => {
      fails()
      await ports.archive.put(object)
      fails()
    },
  }
  const usagePages: typeof ports.usagePages = {
    ...ports.usagePages,
    put: async (page) => {
      await ports.usagePages.put(page)
      fails()
    },
  }
  return { ...ports, archive, usagePages }
}

async function objectsOf(archive: Archive) {
  const names = await archive.list(LEDGER_PREFIX)
  return Promise.all(names.map(async (name) => ({ name, text: (await archive.read(name)) ?? '' })))
}

test('the archive has each call and each grant once, as it stands, after batches that came again, late, cut and in parts', async () => {
  await fc.assert(
    fc.asyncProperty(TRAFFIC, GRANTS, fc.nat(), async (traffic, grants, seed) => {
      const draw = random(seed)
      const ports = world()
      const granted = grants.map(
        ({ afterMs, amount, uid }, index): ArchiveEntry => ({
          kind: 'grant',
          uid,
          grant: {
            grantId: `g${index}`,
            amount,
            reason: undefined,
            createdAtMs: START_MS + afterMs,
          },
        }),
      )
      const calls = deliveries(traffic, draw).map((batch) =>
        batch.map((outcome): ArchiveEntry => ({ kind: 'call', outcome })),
      )
      let waiting = [...calls, granted.slice(0, 4), granted.slice(4), granted]
      for (let rounds = 0; waiting.length > 0; rounds += 1) {
        expect(rounds).toBeLessThan(800)
        const together = waiting.splice(0, 1 + Math.floor(draw() * 3))
        const taken = await Promise.allSettled(
          together.map((batch) => takeEntries(flaky(ports, draw), batch)),
        )
        // Lambda brings a batch that failed again, at times in halves.
        const failed = together.filter((_, index) => taken[index]?.status === 'rejected')
        const halves = failed.flatMap((batch) => {
          const middle = draw() < 0.5 ? 0 : Math.floor(batch.length / 2)
          return [batch.slice(0, middle), batch.slice(middle)]
        })
        waiting = [...halves.filter(({ length }) => length > 0), ...waiting]
      }
      ports.clock.jump(50 * HOUR_MS)
      await takeEntries(ports, [])

      const { faults, lines } = readObjects(ports.digests, await objectsOf(ports.archive))
      const ledger = [
        ...traffic.map(({ isVoided, outcome }) =>
          toArchiveLine({ kind: 'call', outcome: isVoided ? voidedOf(outcome) : outcome }),
        ),
        ...granted.map(toArchiveLine),
      ]
      expect(faults).toEqual([])
      const texts = (all: readonly { text: string }[]) => all.map(({ text }) => text).sort()
      expect(texts(lines)).toEqual(texts(ledger))
      const hours = { from: toHour(START_MS), to: toHour(START_MS + 6 * HOUR_MS) }
      const sums = await readUserSums(ports.usageSums, hours)
      expect(sums.size).toBeGreaterThan(0)
      expect(
        findLedgerDifferences({ lines, sums, hours, records: ledger, coldBeforeMs: 0 }),
      ).toEqual([])
    }),
    { numRuns: 150 },
  )
})

test('the same batch again writes nothing, and another cut of it repeats its lines', async () => {
  const ports = world()
  const entries = [1, 2, 3].map(
    (index): ArchiveEntry => ({
      kind: 'grant',
      uid: 'ada',
      grant: { grantId: `g${index}`, amount: index, reason: 'why', createdAtMs: START_MS },
    }),
  )
  await takeEntries(ports, entries)
  await takeEntries(ports, [...entries].reverse())
  expect(await ports.archive.list('')).toHaveLength(1)
  await takeEntries(ports, entries.slice(1))
  const read = readObjects(ports.digests, await objectsOf(ports.archive))
  expect(await ports.archive.list('')).toHaveLength(2)
  expect(read).toMatchObject({ repeated: 2, faults: [] })
  expect(read.lines).toHaveLength(3)
})

test('a call of before midnight is in the object of its day, whenever its outcome comes', async () => {
  const ports = world()
  const entry: ArchiveEntry = {
    kind: 'grant',
    uid: 'ada',
    grant: { grantId: 'g', amount: 1, reason: undefined, createdAtMs: START_MS - 1 },
  }
  ports.clock.jump(9 * HOUR_MS)
  await takeEntries(ports, [entry])
  expect(await ports.archive.list('')).toEqual([
    expect.stringMatching(/^ledger\/day=2026-11-20\/[A-Za-z0-9_-]{43}\.ndjson\.gz$/),
  ])
})
