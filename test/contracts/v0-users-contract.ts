/** Contract of the ports V0Records and Profiles for users of the earlier service. */
import { describe, expect, test } from 'vitest'
import { toIdentifier } from '../../core/json/identifier-text.ts'
import type { V0Move } from '../../core/ledger/v0.ts'
import { atOnce, freshHash, freshName, freshUser, keyOf, profileOf } from './fresh.ts'
import { type MakePorts, openedPorts, type SharedPorts } from './store-ports.ts'
import { number, text } from './v0-service.ts'

const MAX = 100_000_000_000_000

/** A move of 12.5 credits that creates the user, out of a record with a little more than that. */
function birthOf(uid: string, more: Partial<V0Move> = {}): V0Move {
  return {
    uid,
    expected: number('12.5000001'),
    rest: number('0.0000001'),
    amount: 12_500_000,
    moveId: freshName('v0-'),
    nowMs: 2_000_000_000_000,
    creditsMax: MAX,
    birth: profileOf(uid, { credits: 12_500_000, v0: 'moved' }),
    ...more,
  }
}

/** A user's credits in both services, and the grants in the ledger. */
async function balance({ v0, old }: SharedPorts, uid: string) {
  const { profile } = await v0.read(uid)
  return { here: profile?.credits, there: await old.read('credits', uid) }
}

export function describeV0Users(name: string, makePorts: MakePorts<SharedPorts>): void {
  describe(`${name}: users of the earlier service`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown user is read as nothing', async () => {
      const uid = freshName('u-')
      const nothing = { profile: undefined, credits: undefined, tier: undefined }
      expect(await opened().v0.read(uid)).toEqual(nothing)
      expect(await opened().profiles.read(uid)).toBeUndefined()
    })

    test('values are read as they are stored: numbers, texts, and neither', async () => {
      const { v0, old } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, number('0.30000000000000004'))
      await old.put('tier', uid, text('pro'))
      expect(await v0.read(uid)).toEqual({
        profile: undefined,
        credits: number('0.30000000000000004'),
        tier: text('pro'),
      })
      await old.put('credits', uid, text(' 12.5 '))
      await old.put('tier', uid, { kind: 'other' })
      expect(await v0.read(uid)).toMatchObject({
        credits: text(' 12.5 '),
        tier: { kind: 'other' },
      })
    })

    test('a user whose id is no identifier here is read, listed and moved under one that leads back', async () => {
      const ports = opened()
      const { keys, old, profiles, v0 } = ports
      const oldId = `${freshName('u-')}@example.com`
      const uid = toIdentifier(oldId) ?? ''
      const keyHash = freshHash()
      await old.put('credits', oldId, number('12.5000001'))
      await old.put('tier', oldId, text('pro'))
      await old.put('key', keyHash, text(oldId))
      expect(await profiles.read(uid)).toMatchObject({
        uid,
        username: oldId.slice(0, 40),
        tier: 'pro',
      })
      expect(await keys.find(keyHash)).toMatchObject({ uid, v0: true })
      expect(await v0.findKey(keyHash)).toMatchObject({ kind: 'unmoved', uid })
      expect(await v0.move(birthOf(uid))).toBe(true)
      expect(await old.read('credits', oldId)).toEqual(number('0.0000001'))
      expect((await v0.read(uid)).profile?.credits).toBe(12_500_000)
      const record = keyOf(keyHash, { uid })
      expect(await v0.moveKey({ record, spellings: [keyHash] })).toBe(true)
      expect(await keys.list(uid)).toEqual([record])
    })

    test('a key of such a user that is not moved yet is revoked for its owner alone', async () => {
      const { keys, old } = opened()
      const oldId = `${freshName('u-')}|x`
      const keyHash = freshHash()
      await old.put('key', keyHash, text(oldId))
      await keys.revoke({ uid: freshName('u-'), keyHash })
      expect(await keys.find(keyHash)).toMatchObject({ uid: toIdentifier(oldId) })
      await keys.revoke({ uid: toIdentifier(oldId) ?? '', keyHash })
      expect(await keys.find(keyHash)).toBeUndefined()
    })

    test('an existing profile is read beside the old values', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      await ports.old.put('credits', uid, number('1'))
      expect(await ports.v0.read(uid)).toEqual({
        profile: profileOf(uid, { credits: 7 }),
        credits: number('1'),
        tier: undefined,
      })
    })

    test('profiles.read returns an unmoved user as the move will make it, and stores nothing', async () => {
      const { v0, old, profiles } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, number('2.5'))
      await old.put('tier', uid, text('pro'))
      expect(await profiles.read(uid)).toMatchObject({
        uid,
        username: uid,
        tier: 'pro',
        credits: 2_500_000,
        holds: {},
        v0: 'unmoved',
      })
      expect((await v0.read(uid)).profile).toBeUndefined()
    })

    test('a move takes the amount out, makes the user with it, and leaves the rest', async () => {
      const { v0, old, profiles } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, number('12.5000001'))
      const born = birthOf(uid)
      expect(await v0.move(born)).toBe(true)
      expect(await profiles.read(uid)).toEqual(born.birth)
      expect(await old.read('credits', uid)).toEqual(number('0.0000001'))
    })

    test('a move is a grant in the ledger, so a grant with the same id is a conflict', async () => {
      const { ledger, v0, old } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, number('12.5000001'))
      const born = birthOf(uid)
      await v0.move(born)
      const again = { uid, grantId: born.moveId, creditsMax: MAX, nowMs: 0 }
      expect(await ledger.grant({ ...again, amount: 12_500_000 })).toMatchObject({
        kind: 'repeated',
      })
      expect(await ledger.grant({ ...again, amount: 1 })).toEqual({
        kind: 'conflict',
        amount: 12_500_000,
      })
    })

    test('an amount that is a text stays a text', async () => {
      const { v0, old } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, text('12.5000001'))
      const move = birthOf(uid, { expected: text('12.5000001'), rest: text('0.0000001') })
      expect(await v0.move(move)).toBe(true)
      expect(await old.read('credits', uid)).toEqual(text('0.0000001'))
    })

    test('a number differs from the text that reads like it', async () => {
      const { v0, old } = opened()
      const uid = freshName('u-')
      await old.put('credits', uid, text('12.5000001'))
      expect(await v0.move(birthOf(uid))).toBe(false)
      expect(await old.read('credits', uid)).toEqual(text('12.5000001'))
    })

    test('a move into an existing profile adds the amount, and sweeps look for late credits from now on', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      await ports.old.put('credits', uid, number('3'))
      const move = { expected: number('3'), rest: number('0'), amount: 3_000_000, birth: undefined }
      expect(await ports.v0.move(birthOf(uid, move))).toBe(true)
      expect(await ports.profiles.read(uid)).toEqual(
        profileOf(uid, { credits: 3_000_007, v0: 'moved' }),
      )
      expect(await ports.old.read('credits', uid)).toEqual(number('0'))
    })

    test('a move reaches no user who is leaving, and the amount stays where it is', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      const disabled = { state: 'deleting', reason: 'gone', sinceMs: 1 } as const
      await ports.profiles.change(uid, { disabled })
      await ports.old.put('credits', uid, number('3'))
      const move = { expected: number('3'), rest: number('0'), amount: 3_000_000, birth: undefined }
      expect(await ports.v0.move(birthOf(uid, move))).toBe(false)
      expect(await ports.old.read('credits', uid)).toEqual(number('3'))
      expect((await ports.profiles.read(uid))?.credits).toBe(7)
    })

    test('holds of that profile stay as they are, and a later hold spends the moved credits', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 0)
      await ports.old.put('credits', uid, number('3'))
      const move = { expected: number('3'), rest: number('0'), amount: 3_000_000, birth: undefined }
      await ports.v0.move(birthOf(uid, move))
      const held = await ports.ledger.hold({
        uid,
        callId: 'c-1',
        holdsMax: 32,
        hold: { amount: 1_000_000, heldAtMs: 1, writeToken: 'm', skillId: 's', source: 'official' },
      })
      expect(held).toMatchObject({ kind: 'held', profile: { credits: 2_000_000, v0: 'moved' } })
    })

    const REFUSED: readonly { why: string; taken?: true; more?: Partial<V0Move> }[] = [
      { why: 'the amount differs from the one that was read', more: { expected: number('12.6') } },
      { why: 'the profile that it would create exists', taken: true },
      { why: 'the profile that it would add to is missing', more: { birth: undefined } },
    ]
    test.each(REFUSED)('no amount moves when $why', async ({ more, taken }) => {
      const ports = opened()
      const uid = freshName('u-')
      await ports.old.put('credits', uid, number('12.5000001'))
      if (taken) await ports.profiles.create(profileOf(uid, { credits: 5 }))
      const before = await balance(ports, uid)
      expect(await ports.v0.move(birthOf(uid, more))).toBe(false)
      expect(await balance(ports, uid)).toEqual(before)
    })

    test('a move that was carried out moves nothing a second time, even when the amount is back', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 0)
      const move = birthOf(uid, {
        expected: number('3'),
        rest: number('0'),
        amount: 3_000_000,
        birth: undefined,
      })
      await ports.old.put('credits', uid, number('3'))
      expect(await ports.v0.move(move)).toBe(true)
      await ports.old.add(uid, 3_000_000)
      expect(await ports.v0.move(move)).toBe(false)
      expect(await balance(ports, uid)).toEqual({ here: 3_000_000, there: number('3') })
    })

    test('an amount that just fits moves, one millionth more does not', async () => {
      const ports = opened()
      const uid = await freshUser(ports, MAX - 3_000_000)
      await ports.old.put('credits', uid, number('3.000001'))
      const move = { expected: number('3.000001'), birth: undefined }
      const over = { ...move, rest: number('0'), amount: 3_000_001 }
      expect(await ports.v0.move(birthOf(uid, over))).toBe(false)
      const fits = { ...move, rest: number('0.000001'), amount: 3_000_000 }
      expect(await ports.v0.move(birthOf(uid, fits))).toBe(true)
      expect(await balance(ports, uid)).toEqual({ here: MAX, there: number('0.000001') })
    })

    test('a single one of 20 moves of one amount at once succeeds', async () => {
      const ports = opened()
      const uid = freshName('u-')
      await ports.old.put('credits', uid, number('12.5000001'))
      const moved = await atOnce(20, () => ports.v0.move(birthOf(uid)))
      expect(moved.filter((won) => won)).toHaveLength(1)
      expect(await balance(ports, uid)).toEqual({ here: 12_500_000, there: number('0.0000001') })
    })

    test('the search for late credits is switched on and off, and makes no user', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      await ports.v0.watch(uid, true)
      expect(await ports.profiles.read(uid)).toEqual(profileOf(uid, { credits: 7, v0: 'moved' }))
      await ports.v0.watch(uid, false)
      expect(await ports.profiles.read(uid)).toEqual(profileOf(uid, { credits: 7 }))
      const unknown = freshName('u-')
      await ports.v0.watch(unknown, true)
      expect(await ports.profiles.read(unknown)).toBeUndefined()
    })
  })
}
