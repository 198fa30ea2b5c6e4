/** The feed of a twin: each call is kept once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeFolderArchive } from '../../../adapters/archive/folder-archive.ts'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import type { ArchiveObject } from '../../../core/archive/archive-entry.ts'
import { foldSlots } from '../../../core/flow/usage/fold-calls.ts'
import { toSlot } from '../../../core/usage/slots.ts'
import { openStore } from '../../../local/store/store.ts'
import { startFeedLoop, type UsageFeed } from '../../../local/usage/feed-loop.ts'
import { profileOf, settledOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'

const WAIT = { timeout: 100_000, interval: 20 }

let folder = ''
let notes: string[] = []
let beganMs = 0
let store: ReturnType<typeof openStore>
let feed: UsageFeed | undefined
const clock = systemClock()
const log = { note: (_level: string, event: string) => void notes.push(event) }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-feed-'))
  notes = []
  beganMs = clock.nowMs()
  store = openStore({ folder, clock, log })
  await store.ports.profiles.create(profileOf('u-1'))
})
afterEach(async () => {
  await feed?.stop()
  feed = undefined
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Calls of one moment, from one number to another. */
async function decide(from: number, to: number): Promise<void> {
  const createdAtMs = beganMs
  for (let call = from; call < to; call += 1) {
    void store.ports.ledger.decide({ ...settledOf('u-1', `c${call}`, 1), createdAtMs })
  }
  await store.ports.ledger.decide({ ...settledOf('u-1', `c${to}`, 1), createdAtMs })
}

function ports() {
  return { ...store.ports, clock, digests: nodeDigests() }
}

function archive() {
  return makeFolderArchive(join(folder, 'archive'))
}

async function archivedIds(): Promise<readonly string[]> {
  const archive = makeFolderArchive(join(folder, 'archive'))
  const texts = await Promise.all((await archive.list('ledger/')).map((name) => archive.read(name)))
  const lines = texts.flatMap((text = '') => text.split('\n').filter((line) => line !== ''))
  return lines.map((line) => JSON.parse(line).id)
}

async function pagedCount(): Promise<number> {
  const ids = await foldSlots(ports(), [toSlot(beganMs)], {
    start: (): string[] => [],
    add: (found, rows) => void found.push(...rows.map(({ callId }) => callId)),
  })
  return ids.flat().length
}

async function newsCount(): Promise<number> {
  return (await store.ledgerNews.read({ limit: 10_000 })).entries.length
}

describe('a feed of a twin that keeps its data', () => {
  test('a feed with more than a thousand calls puts each call into pages and archive once', async () => {
    await decide(1, 2_300)
    feed = startFeedLoop({
      ports: { ...ports(), archive: archive(), ledgerNews: store.ledgerNews },
      log,
    })
    await vi.waitFor(async () => expect(await newsCount()).toBeLessThan(1_000), WAIT)
    await decide(2_301, 2_400)
    await feed?.stop()
    feed = undefined
    const ids = await archivedIds()
    expect([ids.length, new Set(ids).size]).toEqual([2_400, 2_400])
    expect([await pagedCount(), await newsCount()]).toEqual([2_400, 0])
    expect(notes).toEqual([])
  })
})

describe('a feed in the event loop', () => {
  test('a call waits for the archive a minute at most, and is read once', async () => {
    const moved = testClock(clock.nowMs())
    const reads: number[] = []
    const { ledgerNews } = store
    const news = {
      ...ledgerNews,
      read: async (of: Parameters<typeof ledgerNews.read>[0]) => {
        const found = await ledgerNews.read(of)
        reads.push(found.entries.length)
        return found
      },
    }
    const archive = makeFolderArchive(join(folder, 'archive'))
    const needs = { ...ports(), clock: moved, archive, ledgerNews: news }
    feed = startFeedLoop({ ports: needs, log })
    await vi.waitFor(() => expect(reads).toHaveLength(1), WAIT)
    await decide(1, 3)
    await vi.waitFor(() => expect(reads.length).toBeGreaterThan(2), WAIT)
    expect([await archivedIds(), await pagedCount()]).toEqual([[], 3])
    moved.advance(60_000)
    await vi.waitFor(async () => expect(await archivedIds()).toEqual(['c1', 'c2', 'c3']), WAIT)
    expect(reads.reduce((sum, read) => sum + read, 0)).toBe(3)
  })

  test('a call that the archive refused is read again a minute later', async () => {
    const moved = testClock(clock.nowMs())
    const folded = makeFolderArchive(join(folder, 'archive'))
    let isFull = true
    const archive = {
      ...folded,
      put: (object: ArchiveObject) => {
        if (isFull) throw new Error('no space')
        return folded.put(object)
      },
    }
    const { ledgerNews } = store
    await decide(1, 1_500)
    feed = startFeedLoop({
      ports: { ...ports(), clock: moved, archive, ledgerNews },
      log,
    })
    await vi.waitFor(async () => expect(await pagedCount()).toBe(1_500), WAIT)
    expect([await archivedIds(), notes]).toEqual([[], ['archive-failed']])
    isFull = false
    moved.advance(60_000)
    await vi.waitFor(async () => expect(await newsCount()).toBe(0), WAIT)
    const ids = await archivedIds()
    expect([ids.length, new Set(ids).size]).toEqual([1_500, 1_500])
  })
})
