/**
 * The KMS client: the two operations that users' secrets need, over the light client of services (ADR 0085). Its waits
 * and attempts are bounded, so that a key service that hangs becomes a failure within seconds and never uses up a
 * call's 15 s guard.
 */
import { type Exchange, type ExchangeOptions, httpExchange } from '../aws/signed/exchange.ts'
import type { JsonService } from '../aws/signed/json-service.ts'
import { BrokenAnswer } from '../aws/signed/service-error.ts'
import {
  type ParsedAnswer,
  type SignedCallsOptions,
  signedCalls,
} from '../aws/signed/signed-calls.ts'

/** KMS answers in some 10 ms; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** All attempts and the pauses between them stay well under the guard. */
export const REQUEST_TIMEOUT_MS = 2_000
/** One attempt and two retries, with the SDK's own backoff. */
export const ATTEMPTS_MAX = 3
/** A wrapped data key has at most 6,144 bytes, and an error some sentences. */
export const ANSWER_BYTES_MAX = 65_536
/** The SDK's; a function serves few requests at once. */
const SOCKETS_MAX = 50
/** The SDK's for all services but DynamoDB. */
const PAUSE_MS = 50

export const KMS_SERVICE: JsonService = {
  label: 'kms',
  signingName: 'kms',
  targetPrefix: 'TrentService.',
  contentType: 'application/x-amz-json-1.1',
  limits: {
    attemptsMax: ATTEMPTS_MAX,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    pauseMs: PAUSE_MS,
    socketsMax: SOCKETS_MAX,
    answerBytesMax: ANSWER_BYTES_MAX,
  },
}

type Shared = {
  readonly EncryptionContext?: { [key: string]: string } | undefined
  readonly GrantTokens?: string[] | undefined
}

export type DecryptInput = Shared & {
  readonly KeyId?: string | undefined
  readonly CiphertextBlob: Uint8Array
}
export type DataKeyInput = Shared & {
  readonly KeyId: string
  readonly NumberOfBytes?: number | undefined
}

/** A member that KMS left out, or that is no text, is undefined. */
export type DecryptAnswer = {
  readonly KeyId?: string | undefined
  readonly Plaintext?: Uint8Array | undefined
}
export type DataKeyAnswer = DecryptAnswer & { readonly CiphertextBlob?: Uint8Array | undefined }

/** In the shapes of the SDK's client, and with errors named as its errors are. */
export type KmsClient = {
  decrypt(input: DecryptInput): Promise<DecryptAnswer>
  generateDataKey(input: DataKeyInput): Promise<DataKeyAnswer>
}

export type KmsClientOptions = ExchangeOptions &
  SignedCallsOptions & {
    /** In place of HTTP. */
    readonly exchange?: Exchange
  }

export function kmsClient(options: KmsClientOptions): KmsClient & { close(): void } {
  const exchange = options.exchange ?? httpExchange(KMS_SERVICE, options)
  const calls = signedCalls(KMS_SERVICE, exchange, options)
  return {
    close: () => exchange.close(),
    decrypt: async ({ CiphertextBlob, EncryptionContext, GrantTokens, KeyId }) => {
      const blob = Buffer.from(CiphertextBlob).toString('base64')
      const input = { CiphertextBlob: blob, EncryptionContext, GrantTokens, KeyId }
      const answer = await calls.send('Decrypt', JSON.stringify(input))
      return { KeyId: textOf(answer, 'KeyId'), Plaintext: bytesOf(answer, 'Plaintext') }
    },
    generateDataKey: async ({ EncryptionContext, GrantTokens, KeyId, NumberOfBytes }) => {
      const input = { EncryptionContext, GrantTokens, KeyId, NumberOfBytes }
      const answer = await calls.send('GenerateDataKey', JSON.stringify(input))
      return {
        CiphertextBlob: bytesOf(answer, 'CiphertextBlob'),
        KeyId: textOf(answer, 'KeyId'),
        Plaintext: bytesOf(answer, 'Plaintext'),
      }
    },
  }
}

function textOf(answer: ParsedAnswer, member: string): string | undefined {
  const text = answer[member]
  return typeof text === 'string' ? text : undefined
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytesOf(answer: ParsedAnswer, member: string): Uint8Array | undefined {
  const text = textOf(answer, member)
  if (text === undefined) return undefined
  if (text.length % 4 === 0 && BASE64.test(text)) return Buffer.from(text, 'base64')
  throw new BrokenAnswer(`kms: ${member} of the answer is not base64`)
}
