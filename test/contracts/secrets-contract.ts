/**
 * Contract of the port SecretStore: one sealed value per user, skill and name. A user's read never
 * returns another's secret, and of concurrent writes one stands, whole. A process sees its own
 * writes at once; the caches of other processes are for the adapter's own tests.
 */
import { describe, expect, test } from 'vitest'
import type { StoredSecret } from '../../core/secrets/secret.ts'
import { bytes } from './answered.ts'
import { freshName, secretOf } from './fresh.ts'
import {
  describeSecretRaces,
  describeSecretRecords,
  describeSecretRemovals,
} from './secret-records-contract.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeSecrets(name: string, makePorts: MakePorts): void {
  describe(`${name}: secrets`, () => {
    const opened = openedPorts(makePorts)
    describe('secrets found by a call', () => describeFinds(opened))
    describe('listed secrets', () => describeLists(opened))
    describe('secrets in one record', () => describeSecretRecords(opened))
    describe('removed secrets', () => describeSecretRemovals(opened))
    describe('writes at once', () => describeSecretRaces(opened))
  })
}

function describeFinds(opened: () => StorePorts): void {
  test('a call finds no secrets before one is put', async () => {
    const { secrets } = opened()
    expect(await secrets.find({ uid: freshName('u-'), skillId: 'sg_a', names: ['KEY'] })).toEqual(
      [],
    )
  })

  test("a call finds the skill's and the global secret of a name, as they were put", async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const global = secretOf(uid, 'KEY', { sealed: bytes(1), updatedAtMs: 11 })
    const own = secretOf(uid, 'KEY', { skillId: 'sg_a', sealed: bytes(3), updatedAtMs: 22 })
    expect([await secrets.put(global), await secrets.put(own)]).toEqual(['stored', 'stored'])
    const found = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
    expect(inOrder(found)).toEqual([
      {
        skillId: undefined,
        name: 'KEY',
        sealed: bytes(1),
        updatedAtMs: 11,
        binding: '{"origins":[]}',
      },
      {
        skillId: 'sg_a',
        name: 'KEY',
        sealed: bytes(3),
        updatedAtMs: 22,
        binding: '{"origins":[]}',
      },
    ])
  })

  test('a call finds the secrets that were requested and exist, and no others', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    for (const name of ['A', 'B', 'C']) await secrets.put(secretOf(uid, name))
    const found = await secrets.find({ uid, skillId: 'sg_a', names: ['C', 'A', 'NONE'] })
    expect(found.map(({ name }) => name).sort()).toEqual(['A', 'C'])
  })

  test('a call never finds the secrets of another skill', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY', { skillId: 'sg_a' }))
    expect(await secrets.find({ uid, skillId: 'sg_b', names: ['KEY'] })).toEqual([])
  })

  test('a call never finds the secrets of another user, however the ids are cut', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY'))
    await secrets.put(secretOf(uid, 'KEY', { skillId: 'sg_a' }))
    for (const other of [`${uid}x`, uid.slice(0, -1), `${uid}:sg_a`, `${uid}/-`, '', '-']) {
      expect(await secrets.find({ uid: other, skillId: 'sg_a', names: ['KEY'] })).toEqual([])
    }
    expect(await secrets.list(`${uid}x`)).toEqual([])
  })

  test('a call finds secrets as new as the last write of this process', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const find = async () => {
      const found = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
      return inOrder(found).map(({ sealed }) => sealed)
    }
    await secrets.put(secretOf(uid, 'KEY', { sealed: bytes(1) }))
    expect(await find()).toEqual([bytes(1)])
    await secrets.put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    expect(await find()).toEqual([bytes(2)])
    await secrets.put(secretOf(uid, 'KEY', { skillId: 'sg_a', sealed: bytes(3) }))
    expect(await find()).toEqual([bytes(2), bytes(3)])
    await secrets.remove({ uid, skillId: undefined, name: 'KEY' })
    expect(await find()).toEqual([bytes(3)])
  })
}

function describeLists(opened: () => StorePorts): void {
  test('the list of a user without secrets is empty', async () => {
    expect(await opened().secrets.list(freshName('u-'))).toEqual([])
  })

  test('a list shows names and dates and nothing sealed, global ones first, then by skill and name', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    const places = [
      ['sg_b', 'A'],
      [undefined, 'Z'],
      ['sg_B', 'A'],
      ['sg_b', 'A_1'],
      [undefined, 'A'],
      ['sg_\u{1f600}', 'A'],
      ['sg_\u{ffee}', 'A'],
    ] as const
    for (const [index, [skillId, name]] of places.entries()) {
      await secrets.put(secretOf(uid, name, { skillId, updatedAtMs: index }))
    }
    expect(await secrets.list(uid)).toEqual([
      { skillId: undefined, name: 'A', updatedAtMs: 4, binding: '{"origins":[]}' },
      { skillId: undefined, name: 'Z', updatedAtMs: 1, binding: '{"origins":[]}' },
      { skillId: 'sg_B', name: 'A', updatedAtMs: 2, binding: '{"origins":[]}' },
      { skillId: 'sg_b', name: 'A', updatedAtMs: 0, binding: '{"origins":[]}' },
      { skillId: 'sg_b', name: 'A_1', updatedAtMs: 3, binding: '{"origins":[]}' },
      { skillId: 'sg_\u{1f600}', name: 'A', updatedAtMs: 5, binding: '{"origins":[]}' },
      { skillId: 'sg_\u{ffee}', name: 'A', updatedAtMs: 6, binding: '{"origins":[]}' },
    ])
  })

  test('a list shows the binding of each secret, and the last one that was put', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'NEW', { binding: 'of NEW, at first' }))
    await secrets.put(secretOf(uid, 'NEW', { binding: 'of NEW' }))
    await secrets.put(secretOf(uid, 'OLD', { binding: 'of OLD, at first' }))
    const bindings = (all: readonly { readonly name: string; readonly binding?: unknown }[]) =>
      new Map(all.map(({ binding, name }) => [name, binding]))
    const expected = new Map<string, unknown>([
      ['NEW', 'of NEW'],
      ['OLD', 'of OLD, at first'],
    ])
    expect(bindings(await secrets.list(uid))).toEqual(expected)
    const found = await secrets.find({ uid, skillId: 'sg_a', names: ['NEW', 'OLD'] })
    expect(bindings(found)).toEqual(expected)
    await secrets.put(secretOf(uid, 'OLD', { binding: 'of OLD' }))
    expect(bindings(await secrets.list(uid)).get('OLD')).toBe('of OLD')
  })

  test('a list shows a secret that was put again once, with its new date', async () => {
    const { secrets } = opened()
    const uid = freshName('u-')
    await secrets.put(secretOf(uid, 'KEY', { updatedAtMs: 1 }))
    await secrets.put(secretOf(uid, 'KEY', { updatedAtMs: 2 }))
    expect(await secrets.list(uid)).toEqual([
      { skillId: undefined, name: 'KEY', updatedAtMs: 2, binding: '{"origins":[]}' },
    ])
  })
}

function inOrder(found: readonly StoredSecret[]): readonly StoredSecret[] {
  return [...found].sort((a, b) => ((a.skillId ?? '') < (b.skillId ?? '') ? -1 : 1))
}
