/** The requests to KMS, their number, and the meaning of its errors. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { makeKmsSecretSeals } from '../../../adapters/kms/kms-seals.ts'
import { DATA_KEY_CACHE_MS, DATA_KEYS_MAX } from '../../../adapters/kms/message-seals.ts'
import { SECRET_CONTEXT_KEYS, SECRET_SEAL_PERMISSIONS } from '../../../adapters/kms/permissions.ts'
import type { SecretContext } from '../../../core/secrets/secret.ts'
import { type ForeignSuite, foreignMessage } from './foreign-message.ts'
import {
  KEY_ID,
  kmsDouble,
  kmsError,
  LOOKALIKE_KEY_IDS,
  OTHER_KEY_ID,
  REPLICA_KEY_ID,
} from './kms-double.ts'

const CONTEXT: SecretContext = { uid: 'u-1', skillId: 'sg_weather', name: 'API_KEY', binding: 'x' }
/** As KMS and CloudTrail see it: the sha256 of the binding's text. */
const SENT = { ...CONTEXT, binding: 'LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE' }
const VALUE = 'correct horse battery staple'

afterEach(() => {
  vi.useRealTimers()
})

function made(keyId = KEY_ID) {
  const kms = kmsDouble()
  const seals = makeKmsSecretSeals({ keyId, client: kms.client })
  const sealed = async (context = CONTEXT) => {
    const result = await seals.seal(context, VALUE)
    if (!result.ok) throw new Error(`not sealed: ${result.error.why}`)
    return result.value
  }
  const actions = () => kms.asked().map(({ action }) => action)
  return { kms, seals, sealed, actions }
}

describe('a request to KMS', () => {
  test('KMS gives a data key to seal and unwraps one to open, each for exactly this user, skill and name', async () => {
    const { kms, seals } = made()
    const context = { ...CONTEXT, username: 'ada' }
    const sealed = await seals.seal(context, VALUE)
    await seals.open(context, sealed.ok ? sealed.value : new Uint8Array())
    const asked = { keyId: KEY_ID, context: SENT }
    expect(kms.asked()).toEqual([
      { ...asked, action: 'GenerateDataKey' },
      { ...asked, action: 'Decrypt' },
    ])
    expect(SECRET_SEAL_PERMISSIONS).toEqual({ seal: ['GenerateDataKey'], open: ['Decrypt'] })
    expect(Object.keys(CONTEXT)).toEqual([...SECRET_CONTEXT_KEYS])
  })

  test('KMS is asked for a new data key with every value that is sealed', async () => {
    const { sealed, actions } = made()
    await sealed()
    await sealed()
    expect(actions()).toEqual(['GenerateDataKey', 'GenerateDataKey'])
  })

  test('KMS is asked once in 5 minutes for a message that is opened again and again', async () => {
    const { seals, sealed, actions } = made()
    const message = await sealed()
    vi.useFakeTimers({ toFake: ['Date'], now: 2_000_000_000_000 })
    for (const atMs of [0, 1, 299_999]) {
      vi.setSystemTime(2_000_000_000_000 + atMs)
      expect((await seals.open(CONTEXT, message)).ok).toBe(true)
    }
    expect(actions()).toEqual(['GenerateDataKey', 'Decrypt'])
    vi.setSystemTime(2_000_000_300_001)
    expect((await seals.open(CONTEXT, message)).ok).toBe(true)
    expect(actions()).toEqual(['GenerateDataKey', 'Decrypt', 'Decrypt'])
    expect(DATA_KEY_CACHE_MS).toBe(300_000)
  })

  test('KMS is asked again for the least used of more than 500 messages', async () => {
    const { seals, sealed, actions } = made()
    const contexts = Array.from({ length: DATA_KEYS_MAX + 1 }, (_, n) => ({
      ...CONTEXT,
      uid: `u-${n}`,
    }))
    const messages = await Promise.all(contexts.map(sealed))
    const open = async (n: number) => {
      const before = actions().length
      const opened = await seals.open(contexts[n] ?? CONTEXT, messages[n] ?? new Uint8Array())
      expect(opened.ok).toBe(true)
      return actions().length - before
    }
    for (let n = 0; n <= DATA_KEYS_MAX; n += 1) expect(await open(n)).toBe(1)
    expect([await open(DATA_KEYS_MAX), await open(1), await open(0)]).toEqual([0, 0, 1])
    expect(DATA_KEYS_MAX).toBe(500)
  })

  test('KMS is asked nothing about a message that was moved to another place', async () => {
    const { seals, sealed, actions } = made()
    const message = await sealed()
    for (const moved of [{ uid: 'u-2' }, { skillId: '-' }, { name: 'OTHER' }]) {
      expect((await seals.open({ ...CONTEXT, ...moved }, message)).ok).toBe(false)
    }
    expect(actions()).toEqual(['GenerateDataKey'])
  })

  test.each<[string, { batch?: string; name?: undefined }, ForeignSuite]>([
    ['says more than its place', { batch: '7' }, 'committing'],
    ['says less than its place', { name: undefined }, 'committing'],
    ['is signed', {}, 'signing'],
    ['does not commit to its key', {}, 'neither'],
  ])('KMS is asked nothing about a message of this key that %s', async (_what, more, suite) => {
    const { kms, seals } = made()
    const message = await foreignMessage(kms, { ...SENT, ...more }, suite)
    expect(await seals.open(CONTEXT, message)).toMatchObject({ error: { why: 'foreign' } })
    expect(kms.asked().map(({ action }) => action)).toEqual(['GenerateDataKey'])
  })

  test('KMS is asked nothing about a message that names another key', async () => {
    const { kms, sealed } = made(OTHER_KEY_ID)
    const message = await sealed()
    const seals = makeKmsSecretSeals({ keyId: KEY_ID, client: kms.client })
    expect(await seals.open(CONTEXT, message)).toMatchObject({ error: { why: 'foreign' } })
    expect(kms.asked()).toHaveLength(1)
  })
})

describe('a key with a replica in a second region', () => {
  test.each([
    ['the replica', OTHER_KEY_ID, REPLICA_KEY_ID],
    ['the primary', REPLICA_KEY_ID, OTHER_KEY_ID],
  ])(
    '%s opens what the other one sealed, and asks KMS for itself alone',
    async (_which, sealer, opener) => {
      const { kms, sealed } = made(sealer)
      const message = await sealed()
      const seals = makeKmsSecretSeals({ keyId: opener, client: kms.client })
      expect(await seals.open(CONTEXT, message)).toEqual({ ok: true, value: VALUE })
      expect(kms.asked()).toEqual([
        { action: 'GenerateDataKey', keyId: sealer, context: SENT },
        { action: 'Decrypt', keyId: opener, context: SENT },
      ])
    },
  )

  test('a message that the primary sealed opens at the replica under no other place', async () => {
    const { kms, sealed } = made(OTHER_KEY_ID)
    const message = await sealed()
    const seals = makeKmsSecretSeals({ keyId: REPLICA_KEY_ID, client: kms.client })
    const moved = await seals.open({ ...CONTEXT, uid: 'u-2' }, message)
    expect(moved).toMatchObject({ error: { why: 'foreign' } })
    expect(kms.asked()).toHaveLength(1)
  })

  test.each(LOOKALIKE_KEY_IDS)(
    'KMS is asked nothing for a key that is no replica: %s',
    async (keyId) => {
      for (const sealer of [OTHER_KEY_ID, KEY_ID]) {
        const { kms, sealed } = made(sealer)
        const message = await sealed()
        const seals = makeKmsSecretSeals({ keyId, client: kms.client })
        expect(await seals.open(CONTEXT, message)).toMatchObject({ error: { why: 'foreign' } })
        expect(kms.asked()).toHaveLength(1)
      }
    },
  )
})

const FAULTS = [
  ['denied', kmsError('AccessDeniedException')],
  ['denied', kmsError('DisabledException')],
  ['denied', kmsError('KMSInvalidStateException')],
  ['denied', kmsError('NotFoundException')],
  ['denied', kmsError('UnrecognizedClientException')],
  ['unavailable', kmsError('ThrottlingException')],
  ['unavailable', kmsError('RequestThrottledException')],
  ['unavailable', kmsError('LimitExceededException')],
  ['unavailable', kmsError('KMSInternalException', 'server')],
  ['unavailable', kmsError('DependencyTimeoutException', 'server')],
  ['unavailable', kmsError('KeyUnavailableException', 'server')],
  ['unavailable', Object.assign(new Error('socket'), { name: 'TimeoutError' })],
  ['unavailable', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ['foreign', kmsError('InvalidCiphertextException')],
  ['foreign', kmsError('IncorrectKeyException')],
] as const

describe('an error of KMS', () => {
  test.each(FAULTS)('is %s: %o, and its cause is passed on unchanged', async (why, cause) => {
    const { kms, seals, sealed } = made()
    const message = await sealed()
    kms.failWith(cause)
    expect(await seals.open(CONTEXT, message)).toEqual({ ok: false, error: { why, cause } })
    expect(await seals.seal(CONTEXT, VALUE)).toEqual({ ok: false, error: { why, cause } })
  })

  test('has no effect once it is over', async () => {
    const { kms, seals, sealed } = made()
    const message = await sealed()
    kms.failWith(kmsError('AccessDeniedException'))
    await seals.open(CONTEXT, message)
    kms.failWith(undefined)
    expect(await seals.open(CONTEXT, message)).toEqual({ ok: true, value: VALUE })
  })

  test('of one call does not reach another that runs at the same time', async () => {
    const { kms, seals, sealed } = made()
    const [message, other] = [await sealed(), await sealed()]
    await seals.open(CONTEXT, other)
    kms.failWith(kmsError('AccessDeniedException'))
    const both = await Promise.all([
      seals.open(CONTEXT, message),
      seals.open(CONTEXT, other),
      seals.open({ ...CONTEXT, uid: 'u-2' }, other),
    ])
    expect(both.map((one) => (one.ok ? 'opened' : one.error.why))).toEqual([
      'denied',
      'opened',
      'foreign',
    ])
  })

  test('means an answer without a key, too', async () => {
    const { kms } = made()
    const client = {
      decrypt: kms.client.decrypt.bind(kms.client),
      generateDataKey: async () => ({ $metadata: {} }),
    }
    const seals = makeKmsSecretSeals({ keyId: KEY_ID, client })
    expect(await seals.seal(CONTEXT, VALUE)).toMatchObject({ error: { why: 'unavailable' } })
  })
})
