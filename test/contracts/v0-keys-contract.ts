/** Contract of V0Records and Keys for keys of the earlier service, and of the scan of the store. */
import { describe, expect, test } from 'vitest'
import { listV0Spellings, parseV0KeyHash, type V0Record } from '../../core/access/v0-key.ts'
import { atOnce, freshHash, freshName, keyOf } from './fresh.ts'
import { type MakePorts, openedPorts, type SharedPorts } from './store-ports.ts'
import { number, text } from './v0-service.ts'

function hexOf(keyHash: string): string {
  return Buffer.from(keyHash, 'base64url').toString('hex')
}

async function moveOf({ v0 }: SharedPorts, keyHash: string, uid: string): Promise<boolean> {
  const found = await v0.findKey(keyHash)
  const spellings = found?.kind === 'unmoved' ? found.spellings : listV0Spellings(keyHash)
  return v0.moveKey({ record: keyOf(keyHash, { uid }), spellings })
}

/** Scans the whole store in steps. */
async function scanAll({ v0 }: SharedPorts, limit: number): Promise<readonly V0Record[]> {
  const records: V0Record[] = []
  let after: string | undefined
  for (let steps = 0; steps < 10_000; steps += 1) {
    const page = await v0.scan({ limit, ...(after === undefined ? {} : { after }) })
    records.push(...(page?.records ?? []))
    after = page?.next
    if (after === undefined) return records
  }
  throw new Error('a scan that does not end')
}

export function describeV0Keys(name: string, makePorts: MakePorts<SharedPorts>): void {
  describe(`${name}: keys of the earlier service`, () => {
    const opened = openedPorts(makePorts)

    test.each([
      ['base64url', (keyHash: string) => keyHash],
      ['hex', hexOf],
    ])('an old key in %s is found as its move will make it, and is queued', async (_, spell) => {
      const { clock, keys, v0, old } = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await old.put('key', spell(keyHash), text(uid))
      const nowMs = clock.nowMs()
      expect(await keys.find(keyHash)).toEqual({
        keyHash,
        uid,
        username: uid,
        keyPrefix: 'v0',
        createdAtMs: nowMs,
        expiresAtMs: nowMs + 2_592_000_000,
        renewedAtMs: nowMs,
        v0: true,
      })
      expect(await v0.queuedKeys(1_000)).toContain(keyHash)
      expect(await keys.list(uid)).toEqual([])
    })

    test('an unknown key is not queued', async () => {
      const { keys, v0 } = opened()
      const keyHash = freshHash()
      expect(await keys.find(keyHash)).toBeUndefined()
      expect(await v0.queuedKeys(1_000)).not.toContain(keyHash)
    })

    test('queued keys are listed up to the limit, and leave the queue when they are taken out', async () => {
      const { keys, v0, old } = opened()
      const hashes = [freshHash(), freshHash()]
      for (const keyHash of hashes) {
        await old.put('key', keyHash, text('u-1'))
        await keys.find(keyHash)
      }
      expect(await v0.queuedKeys(1)).toHaveLength(1)
      for (const keyHash of hashes) await v0.dequeueKey(keyHash)
      const asked = await v0.queuedKeys(1_000)
      expect(hashes.filter((keyHash) => asked.includes(keyHash))).toEqual([])
    })

    test('a user id that is a number counts as its digits', async () => {
      const ports = opened()
      const keyHash = freshHash()
      await ports.old.put('key', keyHash, number('4711'))
      expect((await ports.keys.find(keyHash))?.uid).toBe('4711')
      expect(await moveOf(ports, keyHash, '4711')).toBe(true)
    })

    test.each([
      ['an id of too many bytes', text(`/${'x'.repeat(45)}`)],
      ['neither a text nor a number', { kind: 'other' } as const],
    ])('an old key that names %s is not accepted', async (_, value) => {
      const { keys, v0, old } = opened()
      const keyHash = freshHash()
      await old.put('key', keyHash, value)
      expect(await keys.find(keyHash)).toBeUndefined()
      expect(await v0.findKey(keyHash)).toMatchObject({ kind: 'unreadable' })
    })

    test('an old key that names two users in two spellings is not accepted', async () => {
      const { keys, v0, old } = opened()
      const keyHash = freshHash()
      await old.put('key', keyHash, text('u-1'))
      await old.put('key', hexOf(keyHash), text('u-2'))
      expect(await keys.find(keyHash)).toBeUndefined()
      expect(await v0.findKey(keyHash)).toEqual({
        kind: 'unreadable',
        message:
          'is stored twice, under the hash in base64url and in hex, and the two name different users; remove one',
      })
    })

    test('a moved key is a key like any other, is in the list of its user, and is no longer found in its old record', async () => {
      const ports = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await ports.old.put('key', keyHash, text(uid))
      await ports.old.put('key', hexOf(keyHash), text(uid))
      expect(await moveOf(ports, keyHash, uid)).toBe(true)
      expect(await ports.keys.find(keyHash)).toEqual(keyOf(keyHash, { uid }))
      expect(await ports.keys.list(uid)).toEqual([keyOf(keyHash, { uid })])
      expect(await ports.v0.findKey(keyHash)).toEqual({ kind: 'moved' })
      expect(await ports.old.read('key', keyHash)).toEqual(text(uid))
    })

    test('a key that is moved twice, or by 20 at once, is put once', async () => {
      const ports = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await ports.old.put('key', keyHash, text(uid))
      const moved = await atOnce(20, () => moveOf(ports, keyHash, uid))
      expect(moved.filter((won) => won)).toHaveLength(1)
      expect(await moveOf(ports, keyHash, uid)).toBe(false)
    })

    test('an old key that was given to another user since it was found is not moved', async () => {
      const ports = opened()
      const keyHash = freshHash()
      await ports.old.put('key', keyHash, text('u-2'))
      const move = { record: keyOf(keyHash, { uid: 'u-1' }), spellings: [keyHash] }
      expect(await ports.v0.moveKey(move)).toBe(false)
      expect((await ports.keys.find(keyHash))?.uid).toBe('u-2')
    })

    test('an old key that has a record here keeps it, and does not come back when that is gone', async () => {
      const ports = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await ports.keys.put(keyOf(keyHash, { uid }))
      await ports.old.put('key', keyHash, text(uid))
      expect(await moveOf(ports, keyHash, uid)).toBe(false)
      expect(await ports.v0.findKey(keyHash)).toEqual({ kind: 'moved' })
    })

    test('a revoked key is gone for good, for the earlier service too, however late a move comes', async () => {
      const ports = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await ports.old.put('key', hexOf(keyHash), text(uid))
      const found = await ports.v0.findKey(keyHash)
      await moveOf(ports, keyHash, uid)
      expect(await ports.keys.revoke({ uid, keyHash })).toBe(true)
      expect(await ports.old.read('key', hexOf(keyHash))).toBeUndefined()
      const spellings = found?.kind === 'unmoved' ? found.spellings : []
      const late = { record: keyOf(keyHash, { uid }), spellings }
      expect(await ports.v0.moveKey(late)).toBe(false)
      expect(await ports.keys.find(keyHash)).toBeUndefined()
    })

    test('a key that is revoked before its move is accepted neither here nor there, however late a move comes', async () => {
      const ports = opened()
      const [keyHash, uid] = [freshHash(), freshName('u-')]
      await ports.old.put('key', hexOf(keyHash), text(uid))
      const found = await ports.v0.findKey(keyHash)
      expect(await ports.keys.revoke({ uid, keyHash })).toBe(true)
      expect(await ports.keys.revoke({ uid, keyHash })).toBe(false)
      expect(await ports.old.read('key', hexOf(keyHash))).toBeUndefined()
      const spellings = found?.kind === 'unmoved' ? found.spellings : []
      const late = { record: keyOf(keyHash, { uid }), spellings }
      expect(await ports.v0.moveKey(late)).toBe(false)
      expect(await ports.keys.find(keyHash)).toBeUndefined()
    })

    test.each([
      ['a text', text('4712')],
      ['a number', number('4712')],
    ])(
      'a key that is revoked in the name of another user stays, its own being %s',
      async (_, value) => {
        const ports = opened()
        const keyHash = freshHash()
        await ports.old.put('key', keyHash, value)
        expect(await ports.keys.revoke({ uid: 'u-1', keyHash })).toBe(false)
        expect(await ports.old.read('key', keyHash)).toEqual(value)
        expect((await ports.keys.find(keyHash))?.uid).toBe('4712')
        expect(await ports.keys.revoke({ uid: '4712', keyHash })).toBe(true)
        expect(await ports.old.read('key', keyHash)).toBeUndefined()
      },
    )

    test('a hash in either spelling is the same hash', () => {
      const keyHash = freshHash()
      expect(listV0Spellings(keyHash)).toEqual([keyHash, hexOf(keyHash)])
      expect(parseV0KeyHash(hexOf(keyHash))).toBe(keyHash)
    })

    test.each([1, 7, 1_000])(
      'a scan of the whole store by steps of %i finds every old record once',
      async (limit) => {
        const ports = opened()
        const [uid, keyHash] = [freshName('scanned-'), freshHash()]
        await ports.old.put('credits', uid, number('1'))
        await ports.old.put('tier', uid, text('pro'))
        await ports.old.put('key', keyHash, text(uid))
        const own = (await scanAll(ports, limit)).filter((record) =>
          record.kind === 'key' ? record.spelling === keyHash : record.uid === uid,
        )
        expect(own.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
          { kind: 'credits', uid },
          { kind: 'key', spelling: keyHash, value: text(uid), moved: false },
          { kind: 'tier', uid },
        ])
      },
    )
  })
}
