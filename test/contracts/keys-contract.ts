/**
 * Contract of the port Keys. A store may answer from its cache for 30 s, so tests wait that long
 * before they read, except where the same process must know at once.
 */
import { describe, expect, test } from 'vitest'
import type { ScopeChange } from '../../core/access/key-scope.ts'
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import { atOnce, freshHash, freshName, keyOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeKeys(name: string, makePorts: MakePorts): void {
  describe(`${name}: keys`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown hash has no record', async () => {
      expect(await opened().keys.find(freshHash())).toBeUndefined()
    })

    test('a stored key is found as it was put', async () => {
      const { keys } = opened()
      const record = keyOf(freshHash())
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('an expired record is still returned, since the caller compares its expiry', async () => {
      const { keys, clock } = opened()
      const record = keyOf(freshHash(), { expiresAtMs: clock.nowMs() - 1 })
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('putting a hash again leaves the first record alone', async () => {
      const ports = opened()
      const record = keyOf(freshHash())
      await ports.keys.put(record)
      await ports.keys.put({ ...record, uid: 'u-thief' })
      expect(await findLater(ports, record.keyHash)).toEqual(record)
    })

    test('a renewal moves the expiry and its own time, nothing else', async () => {
      const ports = opened()
      const record = keyOf(freshHash())
      await ports.keys.put(record)
      await ports.keys.renew({
        keyHash: record.keyHash,
        expiresAtMs: 2_000_003_000_000,
        renewedAtMs: 2_000_000_500_000,
        ifRenewedAtMs: record.renewedAtMs,
      })
      expect(await findLater(ports, record.keyHash)).toEqual({
        ...record,
        expiresAtMs: 2_000_003_000_000,
        renewedAtMs: 2_000_000_500_000,
      })
    })

    test('the second of two renewals from the same reading changes nothing and does not throw', async () => {
      const ports = opened()
      const record = keyOf(freshHash())
      await ports.keys.put(record)
      const from = { keyHash: record.keyHash, ifRenewedAtMs: record.renewedAtMs }
      await ports.keys.renew({ ...from, expiresAtMs: 2_000_003_000_000, renewedAtMs: 11 })
      await ports.keys.renew({ ...from, expiresAtMs: 2_000_009_000_000, renewedAtMs: 22 })
      const found = await findLater(ports, record.keyHash)
      expect(found?.expiresAtMs).toBe(2_000_003_000_000)
      expect(found?.renewedAtMs).toBe(11)
    })

    test('a key keeps the scope that it was put with', async () => {
      const { keys } = opened()
      const scope = { tools: [], maxCreditsPerCall: 2_500_000 }
      const record = keyOf(freshHash(), { scope })
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('a change of the scope changes the members that it names, and null removes them', async () => {
      const { keys } = opened()
      const record = keyOf(freshHash(), { scope: { maxCreditsPerCall: 5 } })
      const { keyHash, uid } = record
      await keys.put(record)
      const change = (to: ScopeChange) => keys.changeScope({ uid, keyHash, change: to })
      const both = { ...record, scope: { tools: ['sg_*'], maxCreditsPerCall: 5 } }
      expect(await change({ tools: ['sg_*'] })).toEqual(both)
      expect(await keys.find(keyHash)).toEqual(both)
      const { scope: _, ...free } = record
      expect(await change({ tools: null, maxCreditsPerCall: null })).toEqual(free)
      expect(await keys.list(uid)).toContainEqual(free)
    })

    test('changes of two members at once both stay', async () => {
      const { keys } = opened()
      const record = keyOf(freshHash())
      const { keyHash, uid } = record
      await keys.put(record)
      await Promise.all([
        keys.changeScope({ uid, keyHash, change: { tools: ['a'] } }),
        keys.changeScope({ uid, keyHash, change: { maxCreditsPerCall: 1 } }),
      ])
      const scope = { tools: ['a'], maxCreditsPerCall: 1 }
      expect(await keys.find(keyHash)).toEqual({ ...record, scope })
    })

    test('the scope of a revoked key, or of a key of another user, is not changed', async () => {
      const ports = opened()
      const record = keyOf(freshHash())
      const { keyHash, uid } = record
      const change = { tools: ['a'] }
      await ports.keys.put(record)
      expect(await ports.keys.changeScope({ uid: 'u-thief', keyHash, change })).toBeUndefined()
      expect(await findLater(ports, keyHash)).toEqual(record)
      await ports.keys.revoke({ uid, keyHash })
      expect(await ports.keys.changeScope({ uid, keyHash, change })).toBeUndefined()
      expect(await findLater(ports, keyHash)).toBeUndefined()
    })

    test('renewing an unknown hash makes no key', async () => {
      const ports = opened()
      const keyHash = freshHash()
      await ports.keys.renew({ keyHash, expiresAtMs: 9e12, renewedAtMs: 1, ifRenewedAtMs: 0 })
      expect(await findLater(ports, keyHash)).toBeUndefined()
    })

    test('a key that was looked up before it was stored is found at once by the process that stored it', async () => {
      const { keys } = opened()
      const record = keyOf(freshHash())
      expect(await keys.find(record.keyHash)).toBeUndefined()
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('a key is found by 20 lookups at once', async () => {
      const { keys } = opened()
      const record = keyOf(freshHash())
      await keys.put(record)
      expect(await atOnce(20, () => keys.find(record.keyHash))).toEqual(Array(20).fill(record))
    })

    describe('the keys of a user', () => describeLists(opened))
    describe('a revoked key', () => describeRevocations(opened))
  })
}

function describeLists(opened: () => StorePorts): void {
  test('the keys of a user without any are an empty list', async () => {
    expect(await opened().keys.list(freshName('u-'))).toEqual([])
  })

  test('the keys of a user are listed newest first, expired ones too, and as they are after a renewal', async () => {
    const { keys } = opened()
    const uid = freshName('u-')
    const [oldest, newest, middle] = [
      keyOf(freshHash(), { uid, createdAtMs: 1_000, renewedAtMs: 1_000, expiresAtMs: 2_000 }),
      keyOf(freshHash(), { uid, createdAtMs: 3_000 }),
      keyOf(freshHash(), { uid, createdAtMs: 2_000 }),
    ]
    for (const record of [oldest, newest, middle]) await keys.put(record)
    await keys.put(keyOf(freshHash()))
    const renewal = { expiresAtMs: 9_000, renewedAtMs: 5_000 }
    await keys.renew({ keyHash: oldest.keyHash, ...renewal, ifRenewedAtMs: 1_000 })
    expect(await keys.list(uid)).toEqual([newest, middle, { ...oldest, ...renewal }])
  })

  test('the keys of a user are listed whole, more than one batch of 100', async () => {
    const { keys } = opened()
    const uid = freshName('u-')
    await atOnce(103, (index) => keys.put(keyOf(freshHash(), { uid, createdAtMs: index })))
    const listed = await keys.list(uid)
    expect(listed.map((record) => record.createdAtMs)).toEqual(
      Array.from({ length: 103 }, (_, index) => 102 - index),
    )
  })

  test('the keys of a user are not in the list of another user who put the same hash, then or later', async () => {
    const { clock, keys } = opened()
    const [uid, thief] = [freshName('u-'), freshName('u-')]
    const record = keyOf(freshHash(), { uid })
    await keys.put(record)
    await keys.put({ ...record, uid: thief })
    expect(await keys.list(uid)).toEqual([record])
    expect(await keys.list(thief)).toEqual([])
    // By then a store may remove entries that point to no key.
    clock.advance(3_600_000)
    expect(await keys.list(thief)).toEqual([])
    expect(await keys.list(uid)).toEqual([record])
  })
}

function describeRevocations(opened: () => StorePorts): void {
  test('a revoked key is gone at once in the process that revoked it, and from the list, and cannot be renewed', async () => {
    const ports = opened()
    const uid = freshName('u-')
    const [kept, record] = [keyOf(freshHash(), { uid }), keyOf(freshHash(), { uid })]
    await ports.keys.put(kept)
    await ports.keys.put(record)
    const { keyHash, renewedAtMs } = record
    expect(await ports.keys.find(keyHash)).toEqual(record)
    expect(await ports.keys.revoke({ uid, keyHash })).toBe(true)
    expect(await ports.keys.find(keyHash)).toBeUndefined()
    await ports.keys.renew({
      keyHash,
      expiresAtMs: 9e12,
      renewedAtMs: 1,
      ifRenewedAtMs: renewedAtMs,
    })
    expect(await ports.keys.list(uid)).toEqual([kept])
    expect(await findLater(ports, keyHash)).toBeUndefined()
    expect(await findLater(ports, kept.keyHash)).toEqual(kept)
  })

  test('a second revocation, or one of a key that never existed, answers false', async () => {
    const { keys } = opened()
    const record = keyOf(freshHash(), { uid: freshName('u-') })
    await keys.put(record)
    await keys.revoke(record)
    expect(await keys.revoke(record)).toBe(false)
    expect(await keys.revoke({ uid: record.uid, keyHash: freshHash() })).toBe(false)
  })

  test('a revocation by another user answers false, and the key stays', async () => {
    const ports = opened()
    const record = keyOf(freshHash(), { uid: freshName('u-') })
    await ports.keys.put(record)
    expect(await ports.keys.revoke({ ...record, uid: freshName('u-') })).toBe(false)
    expect(await findLater(ports, record.keyHash)).toEqual(record)
    expect(await ports.keys.list(record.uid)).toEqual([record])
  })
}

/** The answer of `find` once every cache has expired. */
function findLater(ports: StorePorts, keyHash: string): Promise<KeyRecord | undefined> {
  ports.clock.advance(KEY_CACHE_MS + 1)
  return ports.keys.find(keyHash)
}
