/**
 * The copies of the tool list version: who reads which, how often, and that no process goes back or
 * misses a version, also beside an earlier build and after a write that died half-way.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { intAt } from '../../../../adapters/dynamodb/client/item.ts'
import { dynamoCallLookup } from '../../../../adapters/dynamodb/registry/call-lookup.ts'
import {
  LIST_VERSION_CACHE_MS,
  LIST_VERSION_COPIES,
  LIST_VERSION_HEAD_MS,
  listVersionCache,
} from '../../../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoToolListVersion } from '../../../../adapters/dynamodb/registry/tool-list-version.ts'
import {
  type Key,
  toolListVersionCopyKey,
  toolListVersionKey,
} from '../../../../adapters/dynamodb/table.ts'
import { LIST_VERSION_AGE_MS_MAX } from '../../../../core/session/stream-plan.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
const table = store.tables.gateway
const COPIES = Array.from({ length: LIST_VERSION_COPIES }, (_, copy) => copy)

beforeEach(async () => {
  clock.advance(LIST_VERSION_HEAD_MS)
  for (const key of [toolListVersionKey(), ...COPIES.map(toolListVersionCopyKey)]) {
    await store.remove(table, key)
  }
  seen.length = 0
})

const processOf = (copy: number, over: DynamoStore = store) =>
  dynamoToolListVersion(over, listVersionCache(clock, copy))

/** As a build does that knows no copies. */
const oldBroadcast = (changedAtMs: number) => put(toolListVersionKey(), changedAtMs)

async function put(key: Key, changedAtMs: number): Promise<void> {
  await store.put(table, { item: { ...key, changedAtMs } })
}

async function stored(key: Key): Promise<unknown> {
  const item = await store.get(table, key, 'consistent')
  return item === undefined ? undefined : intAt(item, 'changedAtMs')
}

/** Keys of the requests, `*` for the record itself. */
function noting(over: DynamoStore = store): { store: DynamoStore; keys: string[] } {
  const keys: string[] = []
  const note = ({ pk }: Key) => keys.push(pk.slice(toolListVersionKey().pk.length + 1) || '*')
  return {
    keys,
    store: {
      ...over,
      get: (name, key, how) => {
        note(key)
        return over.get(name, key, how)
      },
    },
  }
}

describe('the copies of the list version', () => {
  test('the limits of the list version are what its page says', () => {
    expect([LIST_VERSION_COPIES, LIST_VERSION_CACHE_MS, LIST_VERSION_HEAD_MS]).toEqual([
      8, 900, 30_000,
    ])
  })

  test('a broadcast is in the record and in every copy when it is answered, for nine units', async () => {
    const nowMs = clock.nowMs()
    expect(await processOf(0).write(nowMs)).toBe(nowMs)
    expect(seen.reduce((sum, { units }) => sum + units, 0)).toBe(9)
    for (const key of [toolListVersionKey(), ...COPIES.map(toolListVersionCopyKey)]) {
      expect(await stored(key), key.pk).toBe(nowMs)
    }
    for (const copy of COPIES) expect(await processOf(copy).read()).toBe(nowMs)
  })

  test('each process reads one copy, and the copies have their turns', () => {
    const keysOf = (copy?: number) => listVersionCache(clock, copy).begin().keys
    expect(COPIES.map((copy) => keysOf(copy)[0])).toEqual(COPIES.map(toolListVersionCopyKey))
    const drawn = new Set(Array.from({ length: 1_000 }, () => keysOf()[0]?.pk))
    expect(drawn.size).toBe(8)
  })

  test('a copy does not go back when broadcasts arrive in the other order', async () => {
    const nowMs = clock.nowMs()
    for (const copy of COPIES) await put(toolListVersionCopyKey(copy), nowMs + 5_000)
    await processOf(0).write(nowMs)
    for (const copy of COPIES)
      expect(await stored(toolListVersionCopyKey(copy))).toBe(nowMs + 5_000)
  })
})

describe('a process that asks for the list version again and again', () => {
  test('a process reads its copy once in 900 ms, also where nothing was ever broadcast', async () => {
    const { keys, store: noted } = noting()
    const version = processOf(3, noted)
    expect([await version.recent(), await version.recent()]).toEqual([0, 0])
    clock.advance(LIST_VERSION_CACHE_MS - 1)
    await version.recent()
    expect(keys).toEqual(['3', '*'])
    clock.advance(1)
    await version.recent()
    expect(keys).toEqual(['3', '*', '3'])
  })

  test('a look that allows 500 ms reads again what is 500 ms old, and shares what is newer', async () => {
    const { keys, store: noted } = noting()
    const version = processOf(3, noted)
    await version.recent()
    clock.advance(LIST_VERSION_AGE_MS_MAX - 1)
    await version.recent(LIST_VERSION_AGE_MS_MAX)
    expect(keys).toEqual(['3', '*'])
    clock.advance(1)
    await version.recent()
    expect(keys).toEqual(['3', '*'])
    await version.recent(LIST_VERSION_AGE_MS_MAX)
    expect(keys).toEqual(['3', '*', '3'])
  })

  test('reads of the list version at the same time share one', async () => {
    const { keys, store: noted } = noting()
    const version = processOf(3, noted)
    expect(await Promise.all([version.recent(), version.recent(), version.recent()])).toEqual([
      0, 0, 0,
    ])
    expect(keys).toEqual(['3', '*'])
  })

  test('calls and streams of a process share a read, whichever comes first', async () => {
    const versions = listVersionCache(clock, 3)
    const version = dynamoToolListVersion(store, versions)
    const lookup = dynamoCallLookup(store, versions)
    const query = { uid: 'u-1', name: 'sg_x', skillId: 'sg_x', cut: undefined }
    await lookup.read(query)
    await version.recent()
    await lookup.read(query)
    clock.advance(LIST_VERSION_CACHE_MS)
    await lookup.read(query)
    await version.recent()
    expect(seen).toEqual([
      { command: 'batchGet', units: 2.5 },
      { command: 'get', units: 0.5 },
      { command: 'get', units: 0.5 },
      { command: 'batchGet', units: 1.5 },
      { command: 'batchGet', units: 2 },
    ])
  })

  test('a list reads the version as it is now, whatever is known', async () => {
    const [reader, writer] = [processOf(3), processOf(0)]
    await reader.recent()
    await writer.write(clock.nowMs())
    expect(await reader.recent()).toBe(0)
    expect(await reader.read()).toBe(clock.nowMs())
    expect(await reader.recent()).toBe(clock.nowMs())
  })

  test('a read of the version that fails is not kept', async () => {
    let isDown = true
    const failing: DynamoStore = {
      ...store,
      get: (...asked) => (isDown ? Promise.reject(new Error('down')) : store.get(...asked)),
    }
    const version = processOf(3, failing)
    await oldBroadcast(7)
    await expect(version.recent()).rejects.toThrow('down')
    isDown = false
    expect(await version.recent()).toBe(7)
  })

  test('calls that wait for the read of another share one of their own when that fails', async () => {
    const versions = listVersionCache(clock, 3)
    const lookup = dynamoCallLookup(store, versions)
    const query = { uid: 'u-1', name: 'sg_x', skillId: 'sg_x', cut: undefined }
    await lookup.read(query)
    const failing = Promise.withResolvers<number>()
    const failed = versions.begin().keep(failing.promise)
    seen.length = 0
    const calls = [1, 2, 3].map(() => lookup.read(query))
    failing.reject(new Error('down'))
    await expect(failed).rejects.toThrow('down')
    for (const read of await Promise.all(calls)) expect(read.candidates.official).toBeUndefined()
    // In whatever order their answers come: each has a batch of its own, and one version is read for all.
    expect(seen.map(({ units }) => units).sort()).toEqual([1, 1.5, 1.5, 1.5])
  })

  test('a read that began before a broadcast of its process does not take it back', async () => {
    const answer = Promise.withResolvers<undefined>()
    const version = processOf(3, { ...store, get: () => answer.promise })
    const late = version.recent()
    const nowMs = clock.nowMs()
    await version.write(nowMs)
    answer.resolve(undefined)
    expect([await late, await version.recent()]).toEqual([nowMs, nowMs])
  })

  test('a replica that lags takes nothing back', async () => {
    const version = processOf(3)
    const nowMs = clock.nowMs()
    await put(toolListVersionCopyKey(3), nowMs)
    expect(await version.recent()).toBe(nowMs)
    await put(toolListVersionCopyKey(3), nowMs - 1)
    clock.advance(LIST_VERSION_CACHE_MS)
    expect(await version.recent()).toBe(nowMs)
  })

  test('a clock that went back has the version read again', async () => {
    const { keys, store: noted } = noting()
    const version = processOf(3, noted)
    await version.recent()
    clock.advance(-1)
    await version.recent()
    expect(keys).toEqual(['3', '*', '3'])
  })
})

describe('the record beside its copies', () => {
  test('a table of an earlier build has no copies, and its version is found', async () => {
    await oldBroadcast(1_000)
    const versions = listVersionCache(clock, 5)
    expect(await dynamoToolListVersion(store, versions).recent()).toBe(1_000)
    expect(await processOf(5).read()).toBe(1_000)
  })

  test('the first broadcast after an earlier build is later than its last', async () => {
    const laterMs = clock.nowMs() + 60_000
    await oldBroadcast(laterMs)
    expect(await processOf(0).write(clock.nowMs())).toBe(laterMs + 1)
  })

  test('a broadcast of an earlier build during a deploy is found within 30 s by every process', async () => {
    const processes = COPIES.map((copy) => processOf(copy))
    await processes[0]?.write(clock.nowMs())
    for (const one of processes) await one.recent()
    const laterMs = clock.nowMs() + 1
    await oldBroadcast(laterMs)
    clock.advance(LIST_VERSION_HEAD_MS)
    for (const one of processes) expect(await one.recent()).toBe(laterMs)
  })

  test('a broadcast whose process died between two copies is found within 30 s, by calls too', async () => {
    const versions = listVersionCache(clock, 5)
    const query = { uid: 'u-1', name: 'sg_x', skillId: 'sg_x', cut: undefined }
    const lookup = dynamoCallLookup(store, versions)
    await lookup.read(query)
    const reader = dynamoToolListVersion(store, versions)
    await reader.recent()
    const dying: DynamoStore = {
      ...store,
      change: (name, change) =>
        change.key.pk.endsWith(':5')
          ? Promise.reject(new Error('died'))
          : store.change(name, change),
    }
    await expect(processOf(0, dying).write(clock.nowMs())).rejects.toThrow('died')
    const writtenMs = clock.nowMs()
    clock.advance(LIST_VERSION_CACHE_MS)
    expect(await reader.recent()).toBe(0)
    clock.advance(LIST_VERSION_HEAD_MS - LIST_VERSION_CACHE_MS - 1_000)
    await lookup.read(query)
    expect(await reader.recent()).toBe(writtenMs)
  })

  test('processes that began at once read the record at different times', async () => {
    const dueMs = []
    for (const copy of COPIES) {
      const versions = listVersionCache(clock, copy)
      await versions.begin().keep(Promise.resolve(0))
      const startMs = clock.nowMs()
      while (versions.begin().keys.length < 2) clock.advance(125)
      dueMs.push(clock.nowMs() - startMs)
    }
    expect(dueMs).toEqual([30_000, 28_125, 26_250, 24_375, 22_500, 20_625, 18_750, 16_875])
  })
})
