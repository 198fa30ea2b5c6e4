/**
 * KMS as the Encryption SDK meets it: data keys wrapped under a key of its own, and opened for the same
 * encryption context only. Answers through the SDK's client, so that what is asked can be looked at.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  KMS,
  KMSServiceException,
} from '@aws-sdk/client-kms'
import { mockClient } from 'aws-sdk-client-mock'

export const KEY_ID = 'arn:aws:kms:eu-west-1:111111111111:key/11111111-2222-3333-4444-555555555555'
export const OTHER_KEY_ID = 'arn:aws:kms:eu-west-1:111111111111:key/mrk-1234abcd'

type Context = { readonly [key: string]: string }

export type KmsDouble = {
  readonly client: KMS
  /** What was asked, in order. */
  asked(): readonly { readonly action: string; readonly keyId: string; readonly context: Context }[]
  /** From now on every request fails so; undefined mends it. */
  failWith(cause: Error | undefined): void
}

export function kmsDouble(keyIds: readonly string[] = [KEY_ID, OTHER_KEY_ID]): KmsDouble {
  const keys = new Map(keyIds.map((keyId) => [keyId, randomBytes(32)]))
  const client = new KMS({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  })
  const mock = mockClient(client)
  let failure: Error | undefined
  mock.on(GenerateDataKeyCommand).callsFake((input) => {
    if (failure !== undefined) throw failure
    const plain = randomBytes(input.NumberOfBytes)
    const wrapped = wrap(keyOf(keys, input.KeyId), plain, input.EncryptionContext)
    return { KeyId: input.KeyId, Plaintext: new Uint8Array(plain), CiphertextBlob: wrapped }
  })
  mock.on(DecryptCommand).callsFake((input) => {
    if (failure !== undefined) throw failure
    const plain = unwrap(keyOf(keys, input.KeyId), input.CiphertextBlob, input.EncryptionContext)
    return { KeyId: input.KeyId, Plaintext: plain }
  })
  return {
    client,
    asked: () =>
      mock.calls().map((call) => {
        const { input } = call.args[0]
        return {
          action: call.args[0].constructor.name.replace(/Command$/, ''),
          keyId: 'KeyId' in input ? String(input.KeyId) : '',
          context: 'EncryptionContext' in input ? { ...Object(input.EncryptionContext) } : {},
        }
      }),
    failWith: (cause) => {
      failure = cause
    },
  }
}

/** As the SDK throws what KMS answers. */
export function kmsError(name: string, fault: 'client' | 'server' = 'client'): KMSServiceException {
  return new KMSServiceException({ name, $fault: fault, message: `${name} of KMS`, $metadata: {} })
}

function keyOf(keys: ReadonlyMap<string, Buffer>, keyId: string): Buffer {
  const key = keys.get(keyId)
  if (key === undefined) throw kmsError('NotFoundException')
  return key
}

/** As long as those of KMS. */
const PADDING = 184 - 12 - 16 - 32

function wrap(key: Buffer, plain: Buffer, context: Context): Uint8Array {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(context))
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return new Uint8Array(Buffer.concat([nonce, body, Buffer.alloc(PADDING)]))
}

function unwrap(key: Buffer, wrapped: Uint8Array, context: Context): Uint8Array {
  const bytes = Buffer.from(wrapped)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAAD(boundTo(context)).setAuthTag(bytes.subarray(44, 60))
    if (bytes.subarray(60).some((byte) => byte !== 0)) throw new Error('changed')
    return new Uint8Array(
      Buffer.concat([decipher.update(bytes.subarray(12, 44)), decipher.final()]),
    )
  } catch {
    throw kmsError('InvalidCiphertextException')
  }
}

function boundTo(context: Context): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort()))
}
