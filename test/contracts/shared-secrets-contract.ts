/**
 * Contract of the port SharedSecrets, and of what SecretStore finds of it: one sealed value per skill and
 * name, with the value before it while that is kept. No user's secret is among them, and of concurrent
 * writes one stands, whole.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SharedSecret } from '../../core/secrets/secret.ts'
import { bytes } from './answered.ts'
import { atOnce, freshName, secretOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

const LONGEST = 5_692

export function describeSharedSecrets(name: string, makePorts: MakePorts): void {
  describe(`${name}: shared secrets`, () => {
    const opened = openedPorts(makePorts)
    describe('shared secrets found by a call', () => describeFinds(opened))
    describe('rotated shared secrets', () => describeRotations(opened))
    describe('listed and removed shared secrets', () => describeLists(opened))
    describe('shared secrets in one record', () => describeRecords(opened))
  })
}

function sharedOf(skillId: string | undefined, name: string, more: Partial<SharedSecret> = {}) {
  const rest = { sealed: bytes(1), updatedAtMs: 11, binding: '{}', setBy: 'admin' }
  return { skillId, name, ...rest, ...more }
}

function describeFinds(opened: () => StorePorts): void {
  test('shared secrets are found beside those of the user where they are asked for, and told apart', async () => {
    const { secrets, sharedSecrets } = opened()
    const [uid, skillId, name] = [freshName('u-'), freshName('sg_'), freshName('KEY_')]
    await secrets.put(secretOf(uid, name, { sealed: bytes(7) }))
    await sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(8) }))
    await sharedSecrets.put(sharedOf(undefined, name, { sealed: bytes(9) }))
    const asked = { uid, skillId, names: [name] }
    expect((await secrets.find(asked)).map(({ sealed }) => sealed)).toEqual([bytes(7)])
    const found = await secrets.find({ ...asked, withShared: true })
    expect(inOrder(found)).toEqual([
      [7, undefined, undefined],
      [8, skillId, true],
      [9, undefined, true],
    ])
    expect(found.find(({ sealed }) => sealed[0] === 8)).toEqual({
      skillId,
      name,
      sealed: bytes(8),
      updatedAtMs: 11,
      binding: '{}',
      isShared: true,
    })
  })

  test('shared secrets found are never those of another skill or name, and none before one is put', async () => {
    const { secrets, sharedSecrets } = opened()
    const [uid, skillId, name] = [freshName('u-'), freshName('sg_'), freshName('KEY_')]
    const asked = { uid, skillId, names: [name], withShared: true }
    expect(await secrets.find(asked)).toEqual([])
    await sharedSecrets.put(sharedOf(freshName('sg_'), name))
    await sharedSecrets.put(sharedOf(skillId, freshName('KEY_')))
    expect(await secrets.find(asked)).toEqual([])
  })

  test('shared secrets are not in the list of any user, not even of one called like their place', async () => {
    const { secrets, sharedSecrets } = opened()
    const name = freshName('KEY_')
    await sharedSecrets.put(sharedOf(undefined, name))
    for (const uid of ['shared', '-', freshName('u-')]) {
      expect((await secrets.list(uid)).map((one) => one.name)).not.toContain(name)
    }
  })
}

function inOrder(found: Awaited<ReturnType<StorePorts['secrets']['find']>>) {
  return found
    .map(({ isShared, sealed, skillId }) => [sealed[0], skillId, isShared])
    .sort((a, b) => Number(a[0]) - Number(b[0]))
}

function describeRotations(opened: () => StorePorts): void {
  const find = async (ports: StorePorts, skillId: string, name: string) => {
    const asked = { uid: 'u-1', skillId, names: [name], withShared: true }
    const [found] = await ports.secrets.find(asked)
    return found
  }

  test('a rotation keeps the value that it replaces, with its own binding, where that is asked for', async () => {
    const ports = opened()
    const [skillId, name] = [freshName('sg_'), freshName('KEY_')]
    await ports.sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(1), binding: 'a' }), 50)
    expect(await find(ports, skillId, name)).not.toHaveProperty('previous')
    const second = sharedOf(skillId, name, { sealed: bytes(2), binding: 'b', updatedAtMs: 22 })
    expect(await ports.sharedSecrets.put(second, 99)).toBe('stored')
    expect(await find(ports, skillId, name)).toEqual({
      skillId,
      name,
      sealed: bytes(2),
      updatedAtMs: 22,
      binding: 'b',
      isShared: true,
      previous: { sealed: bytes(1), binding: 'a', untilMs: 99 },
    })
    await ports.sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(3) }), 120)
    expect((await find(ports, skillId, name))?.previous).toEqual({
      sealed: bytes(2),
      binding: 'b',
      untilMs: 120,
    })
  })

  test('a rotation drops the value before where none shall be kept, and so does a removal', async () => {
    const ports = opened()
    const [skillId, name] = [freshName('sg_'), freshName('KEY_')]
    await ports.sharedSecrets.put(sharedOf(skillId, name))
    await ports.sharedSecrets.put(sharedOf(skillId, name), 99)
    await ports.sharedSecrets.put(sharedOf(skillId, name))
    expect(await find(ports, skillId, name)).not.toHaveProperty('previous')
    await ports.sharedSecrets.put(sharedOf(skillId, name), 99)
    expect(await ports.sharedSecrets.remove({ skillId, name })).toBe(true)
    await ports.sharedSecrets.put(sharedOf(skillId, name), 99)
    expect(await find(ports, skillId, name)).not.toHaveProperty('previous')
  })

  test('rotations at once leave one value, and its previous one is another that was put, whole', async () => {
    const ports = opened()
    const [skillId, name] = [freshName('sg_'), freshName('KEY_')]
    await ports.sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(100), binding: '100' }))
    await atOnce(8, (n) =>
      ports.sharedSecrets.put(
        sharedOf(skillId, name, { sealed: bytes(101 + n), binding: String(101 + n) }),
        99,
      ),
    )
    const found = await find(ports, skillId, name)
    expect(found?.binding).toBe(String(found?.sealed[0]))
    expect(found?.previous?.binding).toBe(String(found?.previous?.sealed[0]))
    expect(found?.previous?.sealed).not.toEqual(found?.sealed)
  })

  test('rotations beside a removal leave the secret whole or gone', async () => {
    const ports = opened()
    const [skillId, name] = [freshName('sg_'), freshName('KEY_')]
    for (let round = 0; round < 5; round += 1) {
      await ports.sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(1) }))
      const [put] = await Promise.all([
        ports.sharedSecrets.put(sharedOf(skillId, name, { sealed: bytes(2) }), 99),
        ports.sharedSecrets.remove({ skillId, name }),
      ])
      expect(put).toBe('stored')
      const found = await find(ports, skillId, name)
      if (found !== undefined) expect(found.sealed).toEqual(bytes(2))
    }
  })
}

function describeLists(opened: () => StorePorts): void {
  test('a list shows all but the values, by skill and name, with the day of the last use', async () => {
    const { sharedSecrets } = opened()
    const skillId = freshName('sg_')
    await sharedSecrets.put(sharedOf(skillId, 'B', { setBy: 'eve' }))
    await sharedSecrets.put(sharedOf(skillId, 'A'))
    await sharedSecrets.put(sharedOf(skillId, 'A', { updatedAtMs: 33, binding: 'x' }), 99)
    for (const day of [20_000, 20_002, 20_001]) {
      await sharedSecrets.noteUse({ skillId, name: 'B', day })
    }
    const listed = (await sharedSecrets.list()).filter((one) => one.skillId === skillId)
    const rest = { skillId, previousUntilMs: undefined, lastUsedDay: undefined }
    expect(listed).toEqual([
      { ...rest, name: 'A', updatedAtMs: 33, binding: 'x', setBy: 'admin', previousUntilMs: 99 },
      { ...rest, name: 'B', updatedAtMs: 11, binding: '{}', setBy: 'eve', lastUsedDay: 20_002 },
    ])
  })

  test('a list begins with the shared secrets for all skills', async () => {
    const { sharedSecrets } = opened()
    await sharedSecrets.put(sharedOf(freshName('sg_'), 'A'))
    await sharedSecrets.put(sharedOf(undefined, freshName('Z_')))
    expect((await sharedSecrets.list())[0]?.skillId).toBeUndefined()
  })

  test('a list no longer has a shared secret that was removed, which is removed once', async () => {
    const { sharedSecrets } = opened()
    const place = { skillId: freshName('sg_'), name: 'A' }
    await sharedSecrets.put(sharedOf(place.skillId, 'A'))
    expect(await sharedSecrets.remove(place)).toBe(true)
    expect(await sharedSecrets.remove(place)).toBe(false)
    expect(await sharedSecrets.remove({ ...place, skillId: freshName('sg_') })).toBe(false)
    const listed = await sharedSecrets.list()
    expect(listed.filter(({ skillId }) => skillId === place.skillId)).toEqual([])
  })
}

function describeRecords(opened: () => StorePorts): void {
  test('24 shared secrets of the longest form fit with two values each, and the 25th name is refused', async () => {
    const { secrets, sharedSecrets } = opened()
    const skillId = `sg_${'x'.repeat(50)}${freshName('')}`.slice(0, 64)
    const names = Array.from({ length: 24 }, (_, index) => `N${'X'.repeat(61)}${index + 10}`)
    const long = () => ({
      sealed: new Uint8Array(randomBytes(LONGEST)),
      binding: 'b'.repeat(448),
      setBy: 's'.repeat(64),
    })
    for (const name of [...names, ...names]) {
      const until = 9_007_199_254_740_991
      expect(await sharedSecrets.put(sharedOf(skillId, name, long()), until)).toBe('stored')
    }
    expect(await sharedSecrets.put(sharedOf(skillId, 'LAST'))).toBe('too_many')
    expect(await sharedSecrets.put(sharedOf(skillId, 'LAST'), 99)).toBe('too_many')
    const asked = { uid: 'u-1', skillId, names: [...names, 'LAST'], withShared: true }
    const found = await secrets.find(asked)
    expect(found.map(({ previous }) => previous?.sealed.length)).toEqual(Array(24).fill(LONGEST))
  })

  test('exactly 24 of 30 names at once are stored, and the others are refused', async () => {
    const { sharedSecrets } = opened()
    const skillId = freshName('sg_')
    const answers = await atOnce(30, (n) => sharedSecrets.put(sharedOf(skillId, `N${n}`)))
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(24)
    const listed = await sharedSecrets.list()
    expect(listed.filter((one) => one.skillId === skillId)).toHaveLength(24)
  })
}
