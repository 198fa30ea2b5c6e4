/**
 * Contract of the port SecretSeals, whatever holds the key: a value opens under its own user,
 * skill and name and under no other, and a failure reveals no part of it. Bound by docs/service.md,
 * Secrets.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { SEALED_BYTES_MAX } from '../../adapters/kms/message-seals.ts'
import type { Result } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { GLOBAL_SKILL_ID, type SealFailure, type SecretContext } from '../../core/secrets/secret.ts'
import { atOnce } from './fresh.ts'

export type MadeSeals = {
  readonly seals: SecretSeals
  /** The same port, under another key. */
  readonly elsewhere: SecretSeals
}

const VALUE = 'correct horse battery staple'
const CONTEXT: SecretContext = {
  uid: 'u-1',
  skillId: 'sg_weather',
  name: 'API_KEY',
  binding: '{"origins":[]}',
}

/** The longest ids that stores and keys allow. */
const LONGEST: SecretContext = {
  uid: 'u'.repeat(64),
  skillId: `sg_${'\u{1f600}'.repeat(197)}`,
  name: 'N'.repeat(64),
  binding: 'b'.repeat(448),
}

/** AWS Encryption SDK message format, version 2, suite 0x0478: key commitment and no signature. */
const FORMAT = [0x02, 0x04, 0x78]

export function describeSecretSeals(name: string, make: () => Promise<MadeSeals>): void {
  describe(`${name}: secret seals`, () => {
    let made: MadeSeals | undefined
    beforeAll(async () => {
      made = await make()
    })
    const opened = (): MadeSeals => {
      if (made === undefined) throw new Error('the seals are not made yet')
      return made
    }
    describe('opening a seal', () => describeOpens(opened))
    describe('a seal that does not open', () => describeRefusals(opened))
    describe('sealed messages', () => describeMessages(opened))
  })
}

function describeOpens(opened: () => MadeSeals): void {
  test.each([
    ['four characters', 'abcd'],
    ['4,096 bytes', 'x'.repeat(4_096)],
    ['every script', 'pä$$wörd 秘密 🔑 \u0000\r\n\t"\\'],
    ['a byte order mark', '\ufeffkey'],
  ])('%s open as they were sealed', async (_what, value) => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, value))
    expect(valueIn(await seals.open(CONTEXT, sealed))).toBe(value)
    expect(valueIn(await seals.open(CONTEXT, sealed))).toBe(value)
  })

  test('a secret of all skills opens under its own name', async () => {
    const { seals } = opened()
    const global = { ...CONTEXT, skillId: GLOBAL_SKILL_ID }
    const sealed = valueIn(await seals.seal(global, VALUE))
    expect(valueIn(await seals.open(global, sealed))).toBe(VALUE)
  })

  test('a secret opens under the longest ids', async () => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(LONGEST, VALUE))
    expect(valueIn(await seals.open(LONGEST, sealed))).toBe(VALUE)
  })

  test('one message opens 20 times at once, the first time and later', async () => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, VALUE))
    for (let round = 0; round < 2; round += 1) {
      const all = await atOnce(20, () => seals.open(CONTEXT, sealed))
      expect(all.map(valueIn)).toEqual(Array(20).fill(VALUE))
    }
  })

  test('20 messages of different users open at once, each its own', async () => {
    const { seals } = opened()
    const all = await atOnce(20, async (n) => {
      const context = { ...CONTEXT, uid: `u-${n}` }
      const sealed = valueIn(await seals.seal(context, `${VALUE} ${n}`))
      return valueIn(await seals.open(context, sealed))
    })
    expect(all).toEqual(Array.from({ length: 20 }, (_, n) => `${VALUE} ${n}`))
  })
}

function describeRefusals(opened: () => MadeSeals): void {
  test.each([
    ['another user', { uid: 'u-2' }],
    ['another skill', { skillId: 'sg_other' }],
    ['all skills', { skillId: GLOBAL_SKILL_ID }],
    ['another name', { name: 'API_KEY_2' }],
    ['another binding', { binding: '{"origins":["https://evil.example"]}' }],
    ['no binding', { binding: '' }],
    ['nobody', { uid: '' }],
    ['the gateway itself', { uid: undefined }],
    ['a user and skill that join to the same', { uid: 'u-1sg_', skillId: 'weather' }],
  ])('a message never opens under %s, also after it opened under its own', async (_whom, moved) => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, VALUE))
    expectForeign(await seals.open({ ...CONTEXT, ...moved }, sealed))
    expect(valueIn(await seals.open(CONTEXT, sealed))).toBe(VALUE)
    expectForeign(await seals.open({ ...CONTEXT, ...moved }, sealed))
  })

  test('a shared message does not open under any user, whatever its id', async () => {
    const { seals } = opened()
    const shared = { ...CONTEXT, uid: undefined }
    const sealed = valueIn(await seals.seal(shared, VALUE))
    for (const uid of ['u-1', '-', '', 'gateway', 'undefined']) {
      expectForeign(await seals.open({ ...shared, uid }, sealed))
      expect(valueIn(await seals.open(shared, sealed))).toBe(VALUE)
    }
  })

  test('a message does not open under another key', async () => {
    const { seals, elsewhere } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, VALUE))
    expectForeign(await elsewhere.open(CONTEXT, sealed))
  })

  test('a message does not open with any one byte changed, or cut anywhere', async () => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, VALUE))
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.map((byte, index) => (index === at ? byte ^ 0x01 : byte))
      // The reason may depend on the byte: a key service reads some of them as the name of a key.
      expectClosed(await seals.open(CONTEXT, changed))
      expectForeign(await seals.open(CONTEXT, sealed.slice(0, at)))
    }
  })

  test.each([
    ['nothing', []],
    ['zeros', Array(300).fill(0)],
    ['a text', [...new TextEncoder().encode(VALUE)]],
  ])('a text that is no message does not open: %s', async (_what, bytes: number[]) => {
    expectForeign(await opened().seals.open(CONTEXT, new Uint8Array(bytes)))
  })
}

function describeMessages(opened: () => MadeSeals): void {
  test('messages have the format of the AWS Encryption SDK, with commitment and without signature', async () => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(CONTEXT, VALUE))
    expect([...sealed.slice(0, 3)]).toEqual(FORMAT)
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('aws-crypto-public-key')
  })

  test('messages name the owner and hide the value', async () => {
    const { seals } = opened()
    const text = Buffer.from(valueIn(await seals.seal(CONTEXT, VALUE))).toString('latin1')
    for (const word of ['uid', 'u-1', 'skillId', 'sg_weather', 'name', 'API_KEY']) {
      expect(text).toContain(word)
    }
    expect(text).not.toContain(VALUE.slice(0, 7))
  })

  test('no two messages are alike, even for one value', async () => {
    const { seals } = opened()
    const all = await atOnce(10, async () => valueIn(await seals.seal(CONTEXT, VALUE)))
    expect(new Set(all.map((sealed) => Buffer.from(sealed).toString('hex'))).size).toBe(10)
  })

  test('messages have 5,692 bytes at most', async () => {
    const { seals } = opened()
    const sealed = valueIn(await seals.seal(LONGEST, 'x'.repeat(4_096)))
    expect(sealed.length).toBeLessThanOrEqual(5_692)
    expect(SEALED_BYTES_MAX).toBe(5_692)
  })
}

function valueIn<T>(result: Result<T, SealFailure>): T {
  if (result.ok) return result.value
  throw new Error(`it failed: ${result.error.why}`, { cause: result.error.cause })
}

function expectForeign(result: Result<string, SealFailure>): void {
  expect(expectClosed(result).why).toBe('foreign')
}

/** Also checks that no cause, however deep, holds a part of the value. */
function expectClosed(result: Result<string, SealFailure>): SealFailure {
  if (result.ok) throw new Error('it opened')
  expect(result.error.why).not.toBe('unavailable')
  for (let at: unknown = result.error.cause; at instanceof Error; at = at.cause) {
    expect(`${at.message} ${at.stack}`).not.toContain(VALUE)
  }
  return result.error
}
