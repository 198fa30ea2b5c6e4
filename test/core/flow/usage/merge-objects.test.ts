/**
 * Objects of past days are merged: no line is lost, whenever a run dies, however many run at once,
 * and whatever a reader does meanwhile.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { type ArchiveEntry, toArchiveLine } from '../../../../core/archive/archive-entry.ts'
import {
  buildObjectName,
  LEDGER_PREFIX,
  packLedgerObjects,
} from '../../../../core/archive/archive-object.ts'
import { readArchive } from '../../../../core/archive/read-archive.ts'
import { readObjects } from '../../../../core/archive/read-objects.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { Fault } from '../../../../core/errors.ts'
import {
  MERGE_AFTER_DAYS,
  MERGE_DAYS,
  MERGE_FOR_MS,
  mergeObjects,
} from '../../../../core/flow/usage/merge-objects.ts'
import { DAY_MS, toUtcDay } from '../../../../core/json/utc-time.ts'
import type { Archive } from '../../../../core/ports/usage.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { memoryArchive } from '../../../contracts/memory-archive.ts'
import { random } from './traffic.ts'

const digests = nodeDigests()
const NOON_MS = Date.UTC(2026, 10, 22, 12)
const RUN_MS = NOON_MS + 3 * DAY_MS
const DAY = '2026-11-22'
const clock = { nowMs: () => RUN_MS }

function entryOf(index: number, atMs = NOON_MS): ArchiveEntry {
  const callId = makeCallId(atMs, `call${index}`)
  return { kind: 'call', outcome: { ...settledOf('ada', callId, 500_000), createdAtMs: atMs } }
}

async function putBatches(
  archive: Archive,
  batches: readonly (readonly ArchiveEntry[])[],
): Promise<void> {
  for (const batch of batches)
    for (const object of packLedgerObjects(digests, batch)) await archive.put(object)
}

const linesOf = (entries: readonly ArchiveEntry[]) =>
  [...new Set(entries.map((entry) => toArchiveLine(entry).text))].sort()

/** What a reader finds: the lines of all entries, and what is wrong. */
async function read(archive: Archive) {
  const { faults, lines } = readObjects(digests, await readArchive(archive, LEDGER_PREFIX))
  return { faults, lines: lines.map(({ text }) => text).sort() }
}

function countedBatches(count: number, linesEach = 3): readonly (readonly ArchiveEntry[])[] {
  return Array.from({ length: count }, (_, batch) =>
    Array.from({ length: linesEach }, (_, line) => entryOf(batch * linesEach + line)),
  )
}

describe('a run', () => {
  test('makes one object of the many of a day, with all their lines, and a second run none', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(40)
    await putBatches(archive, batches)
    const ports = { archive, clock, digests }
    expect(await mergeObjects(ports)).toEqual({ objects: 1, gone: 40, left: 0 })
    const names = await archive.list('')
    expect(names).toEqual([expect.stringMatching(/^ledger\/day=2026-11-22\/120-[\w-]{43}\.ndjson/)])
    expect(await read(archive)).toEqual({ faults: [], lines: linesOf(batches.flat()) })
    expect(await mergeObjects(ports)).toEqual({ objects: 0, gone: 0, left: 0 })
  })

  test('fills objects with 10,000 lines, and lets full ones be', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(21, 1_000)
    await putBatches(archive, batches)
    const ports = { archive, clock, digests }
    expect(await mergeObjects(ports)).toEqual({ objects: 2, gone: 20, left: 0 })
    const full = await archive.list('')
    await putBatches(archive, [[entryOf(50_000)]])
    expect(await mergeObjects(ports)).toEqual({ objects: 1, gone: 2, left: 0 })
    const after = await archive.list('')
    expect(after.filter((name) => name.includes('/10000-'))).toEqual(
      full.filter((name) => name.includes('/10000-')),
    )
    expect(after).toHaveLength(3)
    expect((await read(archive)).lines).toHaveLength(21_001)
  })

  test('leaves the days on which calls may still end, and those of earlier runs', async () => {
    const archive = memoryArchive()
    const ages = [0, 1, MERGE_AFTER_DAYS, MERGE_AFTER_DAYS + MERGE_DAYS - 1, 9]
    for (const days of ages) {
      const atMs = RUN_MS - days * DAY_MS
      await putBatches(archive, [[entryOf(1, atMs)], [entryOf(2, atMs)]])
    }
    await mergeObjects({ archive, clock, digests })
    const counts = await Promise.all(
      ages.map(async (days) => {
        const day = toUtcDay(RUN_MS - days * DAY_MS)
        return (await archive.list(`${LEDGER_PREFIX}day=${day}/`)).length
      }),
    )
    expect(counts).toEqual([2, 2, 1, 1, 2])
  })

  test('leaves objects of the trail, and an object whose lines were changed', async () => {
    const archive = memoryArchive()
    await putBatches(archive, countedBatches(3))
    const changed = buildObjectName(LEDGER_PREFIX, DAY, digests.sha256('as it was\n'))
    await archive.put({ name: changed, text: 'as it is\n' })
    const trail = `audit/day=${DAY}/1-x.ndjson.gz`
    await archive.put({ name: trail, text: 'record\n' })
    await mergeObjects({ archive, clock, digests })
    const names = await archive.list('')
    expect(names).toHaveLength(3)
    expect(names).toEqual(expect.arrayContaining([changed, trail]))
    expect((await read(archive)).faults).toContain(`${changed}: its lines were changed`)
  })

  test('leaves an object that cannot be unpacked as it is, and merges the others of its day', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(3)
    await putBatches(archive, batches)
    const [broken = ''] = await archive.list('')
    const read = (name: string) =>
      name === broken
        ? Promise.reject(new Fault('internal', `archive: ${name} cannot be unpacked`))
        : archive.read(name)
    const merged = await mergeObjects({ archive: { ...archive, read }, clock, digests })
    expect(merged).toEqual({ objects: 1, gone: 2, left: 0 })
    expect(await archive.list('')).toEqual(
      expect.arrayContaining([broken, expect.stringContaining('/6-')]),
    )
  })

  test('ends with the error of an archive that does not answer, which is no broken object', async () => {
    const archive = memoryArchive()
    await putBatches(archive, countedBatches(3))
    const read = () => Promise.reject(new Fault('store_unavailable', 'archive: GET got 503'))
    await expect(mergeObjects({ archive: { ...archive, read }, clock, digests })).rejects.toThrow(
      'archive: GET got 503',
    )
  })

  test('removes nothing if another object has the name of the merged one', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(2)
    await putBatches(archive, batches)
    const before = await archive.list('')
    const text = linesOf(batches.flat())
      .map((line) => `${line}\n`)
      .join('')
    const name = buildObjectName(LEDGER_PREFIX, DAY, `6-${digests.sha256(text)}`)
    await archive.put({ name, text: 'not these lines\n' })
    expect(await mergeObjects({ archive, clock, digests })).toMatchObject({ objects: 0, gone: 0 })
    expect(await archive.list('')).toEqual([...before, name].sort())
  })

  test('begins no more reads after a minute, merges what it has read, and says how many are left', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(40)
    await putBatches(archive, batches)
    let nowMs = RUN_MS
    const slow: Archive = {
      ...archive,
      read: (name) => {
        nowMs += MERGE_FOR_MS / 8
        return archive.read(name)
      },
    }
    const ports = { archive: slow, digests, clock: { nowMs: () => nowMs } }
    expect(await mergeObjects(ports)).toEqual({ objects: 1, gone: 8, left: 32 })
    expect(await read(archive)).toEqual({ faults: [], lines: linesOf(batches.flat()) })
  })
})

/** Yields before each request, in drawn turns, and dies at a drawn request. */
function drawn(archive: Archive, draw: () => number, diesAt: number): Archive {
  let requests = 0
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let waits = Math.floor(draw() * 5); waits > 0; waits -= 1) await Promise.resolve()
    requests += 1
    if (requests > diesAt) throw new Fault('store_unavailable', 'the run has died')
    return work()
  }
  return {
    put: (object) => turn(() => archive.put(object)),
    list: (prefix) => turn(() => archive.list(prefix)),
    read: (name) => turn(() => archive.read(name)),
    remove: (name) => turn(() => archive.remove(name)),
  }
}

const RUNS = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 })
const BATCHES = fc.array(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 14,
})

test('a reader finds each entry at every moment, while runs die, run at once and a batch comes again', async () => {
  await fc.assert(
    fc.asyncProperty(BATCHES, RUNS, fc.nat(), async (drawnBatches, diesAt, seed) => {
      const draw = random(seed)
      const archive = memoryArchive()
      const batches = drawnBatches.map((batch) => batch.map((index) => entryOf(index)))
      await putBatches(archive, batches)
      const wanted = linesOf(batches.flat())
      // A removal is looked at as soon as it is done.
      const watched: Archive = {
        ...archive,
        remove: async (name) => {
          await archive.remove(name)
          expect(await read(archive)).toEqual({ faults: [], lines: wanted })
        },
      }
      const runs = diesAt.map((at) =>
        mergeObjects({ archive: drawn(watched, draw, at), clock, digests }),
      )
      const [again = []] = batches
      const reader = drawn(archive, draw, Number.POSITIVE_INFINITY)
      const [seen] = await Promise.all([
        read(reader),
        putBatches(drawn(archive, draw, 99), [again]),
        Promise.allSettled(runs).then((all) => {
          for (const one of all)
            if (one.status === 'rejected') expect(String(one.reason)).toContain('has died')
        }),
      ])
      expect(seen).toEqual({ faults: [], lines: wanted })
      await mergeObjects({ archive, clock, digests })
      expect(await read(archive)).toEqual({ faults: [], lines: wanted })
      expect((await archive.list('')).length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 150 },
  )
})

describe('a reader', () => {
  test('lists again if an object is gone, and reads the one that has its lines', async () => {
    const archive = memoryArchive()
    const batches = countedBatches(3)
    await putBatches(archive, batches)
    const merging: Archive = {
      ...archive,
      read: async (name) => {
        const text = await archive.read(name)
        await mergeObjects({ archive, clock, digests })
        return text
      },
    }
    expect(await read(merging)).toEqual({ faults: [], lines: linesOf(batches.flat()) })
  })

  test('gives up after five lists whose objects are gone', async () => {
    let lists = 0
    const emptied: Archive = {
      ...memoryArchive(),
      list: async () => {
        lists += 1
        return [`ledger/day=${DAY}/gone.ndjson.gz`]
      },
    }
    await expect(readArchive(emptied, LEDGER_PREFIX)).rejects.toThrow('are listed and gone')
    expect(lists).toBe(5)
  })

  test('ends with the error of an archive that does not answer, which says nothing of an object', async () => {
    const archive = memoryArchive()
    await putBatches(archive, countedBatches(1))
    const read = () => Promise.reject(new Fault('store_unavailable', 'archive: GET got 503'))
    await expect(readArchive({ ...archive, read }, LEDGER_PREFIX)).rejects.toThrow('got 503')
  })
})
