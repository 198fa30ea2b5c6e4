/** The client of KMS against the SDK's: what both send, and what they make of the same answers. */
import { KMS } from '@aws-sdk/client-kms'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { KmsClient } from '../../../adapters/kms/client.ts'
import { whyOfKms } from '../../../adapters/kms/kms-failure.ts'
import { type Answering, answeringKms, CREDENTIALS, failing, ok, page } from './answering-kms.ts'
import { KEY_ID } from './kms-double.ts'

const REQUEST = {
  KeyId: KEY_ID,
  EncryptionContext: { uid: 'ü', skillId: '-' },
  GrantTokens: undefined,
}
const ANSWER = { KeyId: KEY_ID, Plaintext: '//79/A==', CiphertextBlob: 'AQID' }

beforeEach(() => {
  // No pauses.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => vi.restoreAllMocks()
})

/** What each got and asked of one service. */
async function both(answering: Answering) {
  const { asked, client, endpoint } = await answeringKms([answering])
  const sdk = new KMS({
    endpoint,
    region: 'eu-west-1',
    credentials: CREDENTIALS,
    maxAttempts: 3,
  })
  onTestFinished(() => sdk.destroy())
  const of = async (one: KmsClient) => {
    asked.length = 0
    const results = [
      await outcomeOf(one.generateDataKey({ ...REQUEST, NumberOfBytes: 32 })),
      await outcomeOf(
        one.decrypt({ ...REQUEST, CiphertextBlob: new Uint8Array([0, 1, 2, 253, 254, 255]) }),
      ),
    ]
    return { results, asked: [...asked] }
  }
  return { ours: await of(client), theirs: await of(sdk) }
}

async function outcomeOf(sent: Promise<object>) {
  try {
    const { KeyId, Plaintext, CiphertextBlob } = (await sent) as Record<string, unknown>
    return { KeyId, Plaintext: shown(Plaintext), CiphertextBlob: shown(CiphertextBlob) }
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
    return { why: whyOfKms(cause), name, message }
  }
}

function shown(bytes: unknown): unknown {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : bytes
}

describe('the client of KMS', () => {
  test('the client of KMS sends what the SDK sends, and reads the same', async () => {
    const { ours, theirs } = await both(ok(ANSWER))
    expect(ours.results).toEqual(theirs.results)
    const told = (all: typeof ours.asked) =>
      all.map(({ body, headers }) => [
        JSON.parse(body),
        headers['x-amz-target'],
        headers['content-type'],
        headers['x-amz-security-token'],
        /Credential=([^,]*)/.exec(String(headers.authorization))?.[1],
      ])
    expect(told(ours.asked)).toEqual(told(theirs.asked))
  })

  test('the client of KMS reads an answer without a key as the SDK does', async () => {
    const { ours, theirs } = await both(ok({ KeyId: KEY_ID }))
    expect(ours.results).toEqual(theirs.results)
  })

  test.each<[string, number]>([
    ['AccessDeniedException', 400],
    ['DependencyTimeoutException', 503],
    ['DisabledException', 400],
    ['ExpiredTokenException', 400],
    ['IncorrectKeyException', 400],
    ['InvalidCiphertextException', 400],
    ['InvalidGrantTokenException', 400],
    ['InvalidKeyUsageException', 400],
    ['InvalidSignatureException', 400],
    ['KMSInternalException', 500],
    ['KMSInvalidStateException', 400],
    ['KeyUnavailableException', 500],
    ['LimitExceededException', 400],
    ['NotFoundException', 400],
    ['SomethingNewException', 400],
    ['ThrottlingException', 400],
    ['UnrecognizedClientException', 400],
    ['ValidationException', 400],
  ])(
    'the client of KMS reads %s as the SDK does, and gives it the same meaning after as many tries',
    async (name, status) => {
      for (const type of [name, `com.amazonaws.kms#${name}`]) {
        const { ours, theirs } = await both(failing(type, { status }))
        expect(ours.results).toEqual(theirs.results)
        expect(ours.results[0]).toMatchObject({ name })
        expect(ours.asked).toHaveLength(theirs.asked.length)
      }
    },
  )

  test.each([
    ['a page of a proxy', page('<html>', 503)],
    ['a page that denies', page('<html>', 403)],
    ['a page in place of an answer', page('<html>')],
    ['a key that is not base64', ok({ ...ANSWER, Plaintext: '%', CiphertextBlob: '%' })],
  ])(
    'the client of KMS takes %s for a failure that may pass, as the SDK does',
    async (_what, answering) => {
      const { ours, theirs } = await both(answering)
      for (const { results } of [ours, theirs]) {
        expect(results).toMatchObject([{ why: 'unavailable' }, { why: 'unavailable' }])
      }
    },
  )
})
