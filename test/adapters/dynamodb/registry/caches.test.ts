/** What the registry's adapters cache, counted in requests. */
import { beforeEach, describe, expect, test } from 'vitest'
import { expiringMap } from '../../../../adapters/dynamodb/client/expiring-map.ts'
import { toSkillItem } from '../../../../adapters/dynamodb/records/skill-item.ts'
import { dynamoCallLookup } from '../../../../adapters/dynamodb/registry/call-lookup.ts'
import { LIST_VERSION_CACHE_MS } from '../../../../adapters/dynamodb/registry/list-version-cache.ts'
import {
  SETTLED_MS,
  sharedSkillCache,
} from '../../../../adapters/dynamodb/registry/shared-skill-cache.ts'
import { dynamoSkills } from '../../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../../../adapters/dynamodb/registry/tools-cache.ts'
import { freshName, privateSkillOf, skillOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
beforeEach(() => {
  seen.length = 0
})

function commands(): readonly string[] {
  return seen.splice(0).map((consumed) => consumed.command)
}

describe('a cache', () => {
  test('a full cache keeps as many entries as allowed and drops the oldest first', () => {
    const map = expiringMap<number>(clock, { lifeMs: 1_000, entriesMax: 3 })
    for (const n of [1, 2, 3]) map.set(`k${n}`, n)
    expect(['k1', 'k2', 'k3'].map((key) => map.get(key)?.value)).toEqual([1, 2, 3])
    map.set('k1', 11)
    map.set('k4', 4)
    const values = ['k1', 'k2', 'k3', 'k4'].map((key) => map.get(key)?.value)
    expect(values).toEqual([11, undefined, 3, 4])
  })

  test("drops an entry on request, and counts an entry's time from the given moment", () => {
    const map = expiringMap<number>(clock, { lifeMs: 1_000, entriesMax: 3 })
    map.set('k1', 1)
    map.forget('k1')
    expect(map.get('k1')).toBeUndefined()
    map.set('k2', 2, clock.nowMs() - 999)
    expect(map.get('k2')?.value).toBe(2)
    clock.advance(1)
    expect(map.get('k2')).toBeUndefined()
  })

  test('distinguishes a missing entry from an entry that says "none"', () => {
    const map = expiringMap<number | undefined>(clock, { lifeMs: 1_000, entriesMax: 3 })
    map.set('absent', undefined)
    expect(map.get('absent')).toBeDefined()
    expect(map.get('absent')?.value).toBeUndefined()
    expect(map.get('other')).toBeUndefined()
  })
})

describe('records of a call', () => {
  test('are one batch of six half units, also while the shared ones are cached, and of five while the version is known', async () => {
    const records = dynamoCallLookup(store)
    const query = { uid: freshName('u-'), name: 'ada_x', skillId: freshName('sg_'), cut: 'x' }
    await records.read(query)
    clock.advance(29_000)
    await records.read(query)
    clock.advance(LIST_VERSION_CACHE_MS)
    await records.read(query)
    await records.read(query)
    clock.advance(100)
    await records.read(query)
    expect(seen).toEqual([
      { command: 'batchGet', units: 3 },
      // The version, and its record, which a process reads first.
      { command: 'batchGet', units: 3 },
      { command: 'batchGet', units: 2.5 },
      { command: 'batchGet', units: 2 },
      { command: 'batchGet', units: 3 },
    ])
  })

  test('name a key once when two guesses are the same id', async () => {
    const skillId = freshName('sg_')
    await dynamoCallLookup(store).read({ uid: 'u-1', name: skillId, skillId, cut: skillId })
    expect(seen).toEqual([{ command: 'batchGet', units: 2.5 }])
  })

  test('need a second read only where the claim names a skill that was not read', async () => {
    const [uid, skills] = [freshName('u-'), dynamoSkills(store)]
    await skills.put(privateSkillOf(uid, 'sg_joke'), 0)
    await skills.claimToolName({ uid, toolName: 'ada_sg_joke', skillId: 'sg_joke' })
    await skills.claimToolName({ uid, toolName: 'old_sg_joke', skillId: 'sg_joke' })
    const records = dynamoCallLookup(store)
    seen.length = 0
    const skillId = freshName('sg_')
    const guessed = await records.read({ uid, name: 'ada_sg_joke', skillId, cut: 'sg_joke' })
    expect([guessed.candidates.private?.skillId, commands()]).toEqual(['sg_joke', ['batchGet']])
    const renamed = await records.read({ uid, name: 'old_sg_joke', skillId, cut: undefined })
    expect([renamed.candidates.private?.skillId, commands()]).toEqual([
      'sg_joke',
      ['batchGet', 'get'],
    ])
  })

  test('that are shared and absent stay absent for 30 s without a broadcast', async () => {
    const records = dynamoCallLookup(store)
    const skillId = freshName('sg_')
    const query = { uid: 'u-1', name: skillId, skillId, cut: undefined }
    await records.read(query)
    await dynamoSkills(store).put(skillOf(skillId), 0)
    clock.advance(29_999)
    expect((await records.read(query)).candidates.official).toBeUndefined()
    clock.advance(1)
    expect((await records.read(query)).candidates.official?.skillId).toBe(skillId)
  })

  test('are read twice by the one call that learns of a broadcast, and once by the calls after it', async () => {
    const [records, version] = [dynamoCallLookup(store), dynamoToolListVersion(store)]
    const ids = [freshName('sg_'), freshName('sg_')]
    const read = async (skillId = '') => {
      await records.read({ uid: 'u-1', name: skillId, skillId, cut: undefined })
      return commands()
    }
    await read(ids[0])
    await read(ids[1])
    await version.write(clock.nowMs())
    commands()
    expect(await read(ids[0])).toEqual(['batchGet', 'batchGet'])
    expect(await read(ids[0])).toEqual(['batchGet'])
    expect(await read(ids[1])).toEqual(['batchGet'])
  })

  test('that were read within 5 s of a broadcast are read again: a replica may lag behind it', async () => {
    expect(SETTLED_MS).toBe(5_000)
    const [records, version] = [dynamoCallLookup(store), dynamoToolListVersion(store)]
    const skillId = freshName('sg_')
    const query = { uid: 'u-1', name: skillId, skillId, cut: undefined }
    const units = async () => {
      seen.length = 0
      await records.read(query)
      return seen.map((consumed) => consumed.units)
    }
    clock.advance(10_000)
    await version.write(clock.nowMs())
    // The first reads all without the version, the second learns of it and reads the shared ones again.
    expect([await units(), await units(), await units()]).toEqual([[2.5], [2.5, 1], [2.5]])
    clock.advance(4_999)
    expect([await units(), await units()]).toEqual([[2.5], [2.5]])
    clock.advance(1)
    expect([await units(), await units()]).toEqual([[2.5], [2]])
  })

  test('are dropped by a broadcast while another call reads a replica from before it', async () => {
    const cache = sharedSkillCache(clock)
    const none = { official: undefined, market: undefined }
    cache.keep('sg_a', none, clock.nowMs())
    cache.noteListVersion(clock.nowMs())
    cache.noteListVersion(clock.nowMs() - 60_000)
    expect(cache.find('sg_a')).toBeUndefined()
    clock.advance(SETTLED_MS)
    cache.keep('sg_a', none, clock.nowMs())
    expect(cache.find('sg_a')).toEqual(none)
  })

  test.each([
    ['empty', ''],
    ['of 1,025 bytes', `${'é'.repeat(512)}x`],
  ])('are absent for a name that is %s, and other names are unaffected', async (_what, name) => {
    const read = await dynamoCallLookup(store).read({
      uid: 'u-1',
      name,
      skillId: name,
      cut: name,
    })
    expect(read.candidates).toEqual({
      private: undefined,
      official: undefined,
      market: undefined,
    })
  })

  test('are read for a name of 1,024 bytes', async () => {
    const uid = freshName('u-')
    const skillId = 'é'.repeat(512)
    // An id that no sync takes: its versions' keys would be longer than a key may be.
    const item = toSkillItem(privateSkillOf(uid, skillId, { toolName: 'x' }))
    await store.put(store.tables.gateway, { item })
    const read = await dynamoCallLookup(store).read({ uid, name: 'x', skillId, cut: undefined })
    expect(read.candidates.private?.skillId).toBe(skillId)
  })
})

describe('the cached tools list', () => {
  test('costs one unit for the head while its version is cached', async () => {
    const cache = dynamoToolsCache(store)
    await cache.write([], undefined)
    await cache.read()
    seen.length = 0
    await cache.read()
    await cache.read()
    expect(seen).toEqual([
      { command: 'get', units: 1 },
      { command: 'get', units: 1 },
    ])
  })
})
