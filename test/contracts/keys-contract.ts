/** Contract of the port Keys. A record found may be 30 s old, so tests wait that out before they look. */
import { describe, expect, test } from 'vitest'
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import { freshHash } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeKeys(name: string, makePorts: MakePorts): void {
  describe(`${name}: keys`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown hash has no record', async () => {
      expect(await opened().keys.find(freshHash())).toBeUndefined()
    })

    test('a stored key is found as it was put', async () => {
      const { keys } = opened()
      const record = recordOf(freshHash())
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('an expired record is still returned: the caller judges by its attribute', async () => {
      const { keys, clock } = opened()
      const record = recordOf(freshHash(), { expiresAtMs: clock.nowMs() - 1 })
      await keys.put(record)
      expect(await keys.find(record.keyHash)).toEqual(record)
    })

    test('putting a hash again leaves the first record alone', async () => {
      const ports = opened()
      const record = recordOf(freshHash())
      await ports.keys.put(record)
      await ports.keys.put({ ...record, uid: 'u-thief' })
      expect(await findLater(ports, record.keyHash)).toEqual(record)
    })

    test('a renewal moves the expiry and its own time, nothing else', async () => {
      const ports = opened()
      const record = recordOf(freshHash())
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

    test('of two renewals from the same reading the second changes nothing and does not throw', async () => {
      const ports = opened()
      const record = recordOf(freshHash())
      await ports.keys.put(record)
      const from = { keyHash: record.keyHash, ifRenewedAtMs: record.renewedAtMs }
      await ports.keys.renew({ ...from, expiresAtMs: 2_000_003_000_000, renewedAtMs: 11 })
      await ports.keys.renew({ ...from, expiresAtMs: 2_000_009_000_000, renewedAtMs: 22 })
      const found = await findLater(ports, record.keyHash)
      expect(found?.expiresAtMs).toBe(2_000_003_000_000)
      expect(found?.renewedAtMs).toBe(11)
    })

    test('renewing an unknown hash makes no key', async () => {
      const ports = opened()
      const keyHash = freshHash()
      await ports.keys.renew({ keyHash, expiresAtMs: 9e12, renewedAtMs: 1, ifRenewedAtMs: 0 })
      expect(await findLater(ports, keyHash)).toBeUndefined()
    })
  })
}

/** What `find` says once no cache may answer any more. */
function findLater(ports: StorePorts, keyHash: string): Promise<KeyRecord | undefined> {
  ports.clock.advance(KEY_CACHE_MS + 1)
  return ports.keys.find(keyHash)
}

function recordOf(keyHash: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    keyHash,
    uid: 'u-1',
    username: 'ada',
    keyPrefix: 'sgk_ab12',
    createdAtMs: 2_000_000_000_000,
    expiresAtMs: 2_002_592_000_000,
    renewedAtMs: 2_000_000_000_000,
    ...more,
  }
}
