/**
 * The contract of SecretStore for writes: how many fit, which of them stand, what a removal takes.
 */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { bytes } from './answered.ts'
import { atOnce, freshName, secretOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

/** The longest sealed value. */
const LONGEST = 5_692

export function describeSecretRecords(opened: () => StorePorts): void {
  test('64 names of the longest form fit and come back whole, and the 65th is refused', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const names = Array.from({ length: 64 }, (_, index) => `N${'X'.repeat(61)}${index + 10}`)
    const sealed = new Map(names.map((name) => [name, new Uint8Array(randomBytes(LONGEST))]))
    for (const name of names) {
      const binding = 'b'.repeat(448)
      const more = { skillId: 'sg_a', binding, sealed: sealed.get(name) ?? bytes(0) }
      const one = secretOf(uid, name, more)
      expect(await secrets.put(one)).toBe('stored')
    }
    expect(await secrets.put(secretOf(uid, 'LAST', { skillId: 'sg_a' }))).toBe('too_many')
    const found = await secrets.find({ uid, skillId: 'sg_a', names: [...names, 'LAST'] })
    expect(new Map(found.map((one) => [one.name, one.sealed]))).toEqual(sealed)
  })

  test('a full list of secrets takes new values of its names, and a new name in the place of a removed one', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    for (let n = 0; n < 64; n += 1) await secrets.put(secretOf(uid, `N${n}`))
    expect(await secrets.put(secretOf(uid, 'N63', { sealed: bytes(9) }))).toBe('stored')
    expect(await secrets.put(secretOf(uid, 'N64'))).toBe('too_many')
    await secrets.remove({ uid, skillId: undefined, name: 'N0' })
    expect(await secrets.put(secretOf(uid, 'N64'))).toBe('stored')
    expect(await secrets.list(uid)).toHaveLength(64)
  })

  test('names of secrets are counted for each skill apart', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    for (let n = 0; n < 64; n += 1) await secrets.put(secretOf(uid, `N${n}`))
    expect(await secrets.put(secretOf(uid, 'N64', { skillId: 'sg_a' }))).toBe('stored')
  })
}

export function describeSecretRemovals(opened: () => StorePorts): void {
  test('removed secrets are gone, once', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY'))
    await secrets.put(secretOf(uid, 'STAYS'))
    const place = { uid, skillId: undefined, name: 'KEY' }
    expect(await secrets.remove(place)).toBe(true)
    expect(await secrets.remove(place)).toBe(false)
    expect(await secrets.list(uid)).toEqual([
      {
        skillId: undefined,
        name: 'STAYS',
        updatedAtMs: 2_000_000_000_000,
        binding: '{"origins":[]}',
      },
    ])
    expect(await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })).toEqual([])
  })

  test('removed secrets are those of this user, skill and name alone', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY'))
    expect(await secrets.remove({ uid, skillId: 'sg_a', name: 'KEY' })).toBe(false)
    expect(await secrets.remove({ uid, skillId: undefined, name: 'OTHER' })).toBe(false)
    expect(await secrets.remove({ uid: `${uid}x`, skillId: undefined, name: 'KEY' })).toBe(false)
    expect(await secrets.list(uid)).toHaveLength(1)
  })

  test('removed secrets can be put again', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY'))
    await secrets.remove({ uid, skillId: undefined, name: 'KEY' })
    expect(await secrets.put(secretOf(uid, 'KEY', { sealed: bytes(7) }))).toBe('stored')
    const [found] = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
    expect(found?.sealed).toEqual(bytes(7))
  })
}

export function describeSecretRaces(opened: () => StorePorts): void {
  test('20 first secrets of a user, put at once, are all stored', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const put = await atOnce(20, (n) => secrets.put(secretOf(uid, `N${n}`)))
    expect(put).toEqual(Array(20).fill('stored'))
    expect(await secrets.list(uid)).toHaveLength(20)
  })

  test('a single one of 20 writes of one name stands with its value and its date', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await atOnce(20, (n) => secrets.put(secretOf(uid, 'KEY', { sealed: bytes(n), updatedAtMs: n })))
    const [stands, ...others] = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
    expect(others).toEqual([])
    expect(stands?.sealed).toEqual(bytes(stands?.updatedAtMs ?? -1))
  })

  test('exactly 64 of 80 names at once are stored, and the others are refused', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const put = await atOnce(80, (n) => secrets.put(secretOf(uid, `N${n}`)))
    expect(put.filter((answer) => answer === 'stored')).toHaveLength(64)
    const stored = put.flatMap((answer, n) => (answer === 'stored' ? [`N${n}`] : []))
    expect((await secrets.list(uid)).map(({ name }) => name)).toEqual(stored.sort())
  })

  test('a single one of 10 removals of one secret reports that it was there', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY'))
    const removed = await atOnce(10, () => secrets.remove({ uid, skillId: undefined, name: 'KEY' }))
    expect(removed.filter((was) => was)).toHaveLength(1)
  })

  test('a new value beside its removal is there whole or gone, as the list says', async () => {
    const { secrets } = opened()
    const place = { skillId: undefined, name: 'KEY' }
    for (let round = 0; round < 5; round += 1) {
      const uid = freshName('u-')
      await secrets.put(secretOf(uid, 'KEY', { sealed: bytes(1), updatedAtMs: 1 }))
      const [removed, put] = await Promise.all([
        secrets.remove({ uid, ...place }),
        secrets.put(secretOf(uid, 'KEY', { sealed: bytes(2), updatedAtMs: 2 })),
      ])
      expect([removed, put]).toEqual([true, 'stored'])
      const found = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
      const listed = await secrets.list(uid)
      expect(found.map(({ sealed }) => sealed)).toEqual(listed.length === 0 ? [] : [bytes(2)])
      expect(listed).toEqual(
        listed.length === 0 ? [] : [{ ...place, updatedAtMs: 2, binding: '{"origins":[]}' }],
      )
    }
  })
}
