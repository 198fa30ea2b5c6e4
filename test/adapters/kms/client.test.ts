/** What the client of KMS sends and reads, and what it does about each kind of trouble. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ANSWER_BYTES_MAX,
  ATTEMPTS_MAX,
  CONNECTION_TIMEOUT_MS,
  KMS_SERVICE,
  REQUEST_TIMEOUT_MS,
} from '../../../adapters/kms/client.ts'
import { answeringKms, CREDENTIALS, cut, failing, ok, page } from './answering-kms.ts'
import { KEY_ID } from './kms-double.ts'

const CONTEXT = { uid: 'u-1', skillId: '-' }
const DATA_KEY = { KeyId: KEY_ID, Plaintext: '//79/A==', CiphertextBlob: 'AQID' }
const DECRYPT = { KeyId: KEY_ID, CiphertextBlob: new Uint8Array([255, 254, 253]) }
const KEY_BYTES = Buffer.from([255, 254, 253, 252])

beforeEach(() => {
  // Of a pause that doubles, a hundredth.
  vi.spyOn(Math, 'random').mockReturnValue(0.01)
  return () => vi.restoreAllMocks()
})

describe('the client', () => {
  test('the client asks for a data key and has one unwrapped, with bytes in base64 both ways', async () => {
    const { asked, client } = await answeringKms([ok(DATA_KEY)])
    const made = await client.generateDataKey({
      KeyId: KEY_ID,
      NumberOfBytes: 32,
      EncryptionContext: CONTEXT,
      GrantTokens: undefined,
    })
    expect(made).toEqual({
      KeyId: KEY_ID,
      Plaintext: KEY_BYTES,
      CiphertextBlob: Buffer.from([1, 2, 3]),
    })
    const opened = await client.decrypt({ ...DECRYPT, GrantTokens: ['a', 'b'] })
    expect(opened).toEqual({ KeyId: KEY_ID, Plaintext: KEY_BYTES })
    expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
      { KeyId: KEY_ID, NumberOfBytes: 32, EncryptionContext: CONTEXT },
      { KeyId: KEY_ID, CiphertextBlob: '//79', GrantTokens: ['a', 'b'] },
    ])
    expect(asked.map(({ headers }) => headers['x-amz-target'])).toEqual([
      'TrentService.GenerateDataKey',
      'TrentService.Decrypt',
    ])
  })

  test('the client signs for kms in the region of the key, with the session token', async () => {
    const { asked, client } = await answeringKms([ok(DATA_KEY)], { region: 'ap-south-1' })
    await client.decrypt(DECRYPT)
    expect(asked[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ASIATEST\/\d{8}\/ap-south-1\/kms\/aws4_request, /,
    )
    expect(asked[0]?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-security-token': 'token',
    })
  })

  test('the client sends bytes that are a part of a larger buffer', async () => {
    const { asked, client } = await answeringKms([ok(DATA_KEY)])
    const all = new Uint8Array([9, 255, 254, 253, 9])
    await client.decrypt({ ...DECRYPT, CiphertextBlob: all.subarray(1, 4) })
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ CiphertextBlob: '//79' })
  })

  test.each([
    { KeyId: KEY_ID },
    { KeyId: KEY_ID, Plaintext: 7 },
    { KeyId: KEY_ID, Plaintext: null },
  ])('the client reads no key from the answer %j', async (answer) => {
    const { client } = await answeringKms([ok(answer)])
    expect(await client.decrypt(DECRYPT)).toEqual({ KeyId: KEY_ID, Plaintext: undefined })
  })

  test.each(['AAA', '====', 'A===', 'AA-_', 'AAAA\n'])(
    'the client refuses an answer whose key %j is not base64, and asks no second time',
    async (Plaintext) => {
      const { asked, client } = await answeringKms([ok({ KeyId: KEY_ID, Plaintext })])
      await expect(client.decrypt(DECRYPT)).rejects.toMatchObject({
        name: 'BrokenAnswer',
        message: 'kms: Plaintext of the answer is not base64',
      })
      expect(asked).toHaveLength(1)
    },
  )

  test('the client reads an answer of 65,536 bytes, and none of one more', async () => {
    const sized = (bytes: number) => {
      const bare = JSON.stringify({ ...DATA_KEY, more: '' }).length
      return ok({ ...DATA_KEY, more: 'x'.repeat(bytes - bare) })
    }
    const answers = [sized(ANSWER_BYTES_MAX), sized(ANSWER_BYTES_MAX + 1)]
    const { asked, client } = await answeringKms(answers)
    expect((await client.decrypt(DECRYPT)).KeyId).toBe(KEY_ID)
    await expect(client.decrypt(DECRYPT)).rejects.toThrow('kms: an answer over 65536 bytes')
    expect(asked).toHaveLength(2)
  })

  test("the client never waits as long as a call's guard", () => {
    expect([ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS]).toEqual([3, 1_000, 2_000])
    expect(KMS_SERVICE.limits).toMatchObject({
      attemptsMax: 3,
      connectionTimeoutMs: 1_000,
      requestTimeoutMs: 2_000,
    })
    expect(ATTEMPTS_MAX * REQUEST_TIMEOUT_MS).toBeLessThan(15_000)
  })
})

describe('a request to KMS', () => {
  test.each([
    ['is throttled', failing('ThrottlingException')],
    ['has met a limit', failing('LimitExceededException')],
    ['meets a fault of KMS', failing('KMSInternalException', { status: 500 })],
    ['meets a slow part of KMS', failing('DependencyTimeoutException', { status: 503 })],
    ['is answered by a proxy', page('<html>', 502)],
    ['is answered with a page', page('<html>')],
    ['loses its connection', cut],
  ])('a request to KMS that %s is sent again, and no third time', async (_what, trouble) => {
    const { asked, client } = await answeringKms([trouble, trouble, ok(DATA_KEY)])
    expect(await client.decrypt(DECRYPT)).toEqual({ KeyId: KEY_ID, Plaintext: KEY_BYTES })
    expect(asked.map(({ body }) => body)).toEqual(Array(3).fill(asked[0]?.body))
    const failed = await answeringKms([trouble])
    await expect(failed.client.decrypt(DECRYPT)).rejects.toThrow()
    expect(failed.asked).toHaveLength(3)
  })

  test('a request to KMS that is never answered is given up after 3 tries', async () => {
    const { asked, seal } = await answeringKms([() => {}], { requestTimeoutMs: 50 })
    expect(await seal()).toMatchObject({
      error: {
        why: 'unavailable',
        cause: { name: 'TimeoutError', message: 'kms: no answer within 50 ms' },
      },
    })
    expect(asked).toHaveLength(3)
  })

  test('a request to KMS whose answer has no end is given up after 3 tries', async () => {
    const { asked, seal } = await answeringKms([(response) => void response.write('{')], {
      requestTimeoutMs: 50,
    })
    expect(await seal()).toMatchObject({
      error: { why: 'unavailable', cause: { message: 'kms: no end of the answer within 50 ms' } },
    })
    expect(asked).toHaveLength(3)
  })

  test('a request to KMS that is denied is sent once', async () => {
    const { asked, seal } = await answeringKms([failing('AccessDeniedException')])
    expect(await seal()).toMatchObject({
      error: {
        why: 'denied',
        cause: { name: 'AccessDeniedException', message: 'not now', $fault: 'client' },
      },
    })
    expect(asked).toHaveLength(1)
  })

  test('a request to KMS that is throttled 3 times makes the secret unavailable', async () => {
    const { asked, seal } = await answeringKms([failing('ThrottlingException')])
    expect(await seal()).toMatchObject({ error: { why: 'unavailable' } })
    expect(asked).toHaveLength(3)
  })

  test('a request to KMS that nobody takes makes the secret unavailable', async () => {
    const { seal } = await answeringKms([], { endpoint: new URL('http://127.0.0.1:1') })
    expect(await seal()).toMatchObject({
      error: { why: 'unavailable', cause: { code: 'ECONNREFUSED' } },
    })
  })

  test('a request to KMS without credentials makes the secret unavailable, and says what is missing', async () => {
    const missing = new Error('The environment does not fit')
    const credentials = () => {
      throw missing
    }
    const { asked, seal } = await answeringKms([], { credentials })
    expect(await seal()).toEqual({ ok: false, error: { why: 'unavailable', cause: missing } })
    expect(asked).toEqual([])
  })

  test('a request to KMS by expired credentials is made again with those that the environment has by now', async () => {
    let round = 0
    const credentials = () => {
      round += 1
      return { ...CREDENTIALS, sessionToken: `token-${round}` }
    }
    const answers = [failing('ExpiredTokenException'), ok(DATA_KEY)]
    const { asked, client } = await answeringKms(answers, { credentials })
    await client.decrypt(DECRYPT)
    const tokens = asked.map(({ headers }) => headers['x-amz-security-token'])
    expect(tokens).toEqual(['token-1', 'token-2'])
  })

  test('a request to KMS by credentials that stay expired is sent once, and denied', async () => {
    const { asked, seal } = await answeringKms([failing('ExpiredTokenException')])
    expect(await seal()).toMatchObject({ error: { why: 'denied' } })
    expect(asked).toHaveLength(1)
  })

  test('a request to KMS by a clock that is off is signed again by the clock of KMS', async () => {
    const now = Date.now()
    const hour = 3_600_000
    const headers = { date: new Date(now).toUTCString() }
    const answers = [failing('InvalidSignatureException', { headers }), ok(DATA_KEY)]
    const { asked, client } = await answeringKms(answers, { nowMs: () => now - hour })
    await client.decrypt(DECRYPT)
    const dates = asked.map(({ headers: { 'x-amz-date': date } }) => String(date).slice(0, 13))
    const shown = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]/g, '').slice(0, 13)
    expect(dates).toEqual([shown(now - hour), shown(now)])
  })
})
