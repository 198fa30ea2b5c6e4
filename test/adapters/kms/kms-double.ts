/**
 * KMS as the Encryption SDK uses it: wraps data keys under a key of its own, and opens them for the
 * same encryption context only. Answers through the SDK's client, so that tests can inspect the
 * requests.
 */
import { randomBytes } from 'node:crypto'
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  KMS,
  KMSServiceException,
} from '@aws-sdk/client-kms'
import { mockClient } from 'aws-sdk-client-mock'
import { type KmsContext, unwrap, wrap } from './wrapped-key.ts'

export const KEY_ID = 'arn:aws:kms:eu-west-1:111111111111:key/11111111-2222-3333-4444-555555555555'
/** A key of several regions. */
export const OTHER_KEY_ID = 'arn:aws:kms:eu-west-1:111111111111:key/mrk-1234abcd'
/** Its replica in a second region. */
export const REPLICA_KEY_ID = 'arn:aws:kms:eu-central-1:111111111111:key/mrk-1234abcd'
/** Keys that only look like a replica of one of the others. */
export const LOOKALIKE_KEY_IDS = [
  'arn:aws:kms:eu-central-1:222222222222:key/mrk-1234abcd',
  'arn:aws:kms:eu-central-1:111111111111:key/mrk-1234abce',
  'arn:aws:kms:eu-central-1:111111111111:key/11111111-2222-3333-4444-555555555555',
  'arn:aws-cn:kms:cn-north-1:111111111111:key/mrk-1234abcd',
] as const

export type KmsDouble = {
  readonly client: KMS
  /** The requests so far, in order. */
  asked(): readonly {
    readonly action: string
    readonly keyId: string
    readonly context: KmsContext
  }[]
  /** Every later request fails with this; undefined ends the failures. */
  failWith(cause: Error | undefined): void
}

const KEY_IDS = [KEY_ID, OTHER_KEY_ID, REPLICA_KEY_ID, ...LOOKALIKE_KEY_IDS]

/** Stands for all regions. A key and its replicas have the same material, as in KMS. */
export function kmsDouble(keyIds: readonly string[] = KEY_IDS): KmsDouble {
  const materials = new Map<string, Buffer>()
  const keys = new Map(
    keyIds.map((keyId) => {
      const material = materials.get(toMaterialName(keyId)) ?? randomBytes(32)
      materials.set(toMaterialName(keyId), material)
      return [keyId, material]
    }),
  )
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
    const plain = openedBy(keyOf(keys, input.KeyId), input.CiphertextBlob, input.EncryptionContext)
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

/** The SDK's error for an answer of KMS. */
export function kmsError(name: string, fault: 'client' | 'server' = 'client'): KMSServiceException {
  return new KMSServiceException({ name, $fault: fault, message: `${name} of KMS`, $metadata: {} })
}

/** Returns the ARN without its region for a key of several regions, and the ARN for any other. */
function toMaterialName(keyId: string): string {
  const [arn, partition, service, , ...rest] = keyId.split(':')
  return keyId.includes(':key/mrk-') ? [arn, partition, service, ...rest].join(':') : keyId
}

function keyOf(keys: ReadonlyMap<string, Buffer>, keyId: string): Buffer {
  const key = keys.get(keyId)
  if (key === undefined) throw kmsError('NotFoundException')
  return key
}

function openedBy(key: Buffer, wrapped: Uint8Array, context: KmsContext): Uint8Array {
  const plain = unwrap(key, wrapped, context)
  if (plain === undefined) throw kmsError('InvalidCiphertextException')
  return plain
}
