/**
 * SecretSeals in the message format of the AWS Encryption SDK, over any keyring. A message is
 * opened only if its encryption context is exactly the one that is asked for, which is judged
 * before its key is: what was moved to another user, skill, name or binding costs no request and opens
 * nowhere. Data keys of opened messages are remembered, bounded in time, in number and apart for
 * each user; each sealed value has a data key of its own. Bound by docs/service.md, Secrets.
 */
import { createHash } from 'node:crypto'
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports.ts'
import type { SealFailure, SecretContext } from '../../core/secrets/secret.ts'
import {
  type EncryptionSdk,
  encryptionSdk,
  type KeyringNode,
  type MessageClient,
  messageClient,
  type NodeMaterialsManager,
  suiteOf,
} from './encryption-sdk.ts'

/** A key that is switched off goes on opening what was opened before for so long. */
export const DATA_KEY_CACHE_MS = 300_000
/** Of all users; about 2 kB each. The one that was not used for longest goes first. */
export const DATA_KEYS_MAX = 500
/** A value of 4,096 bytes under the longest names, with a data key wrapped by KMS. */
export const SEALED_BYTES_MAX = 5_692

export type SealUse = 'open' | 'seal'
/** Told what the key said, since the SDK makes a text of its own of it. */
export type CauseListener = (cause: unknown) => void

export type KeyAccess = {
  keyring(sdk: EncryptionSdk, use: SealUse, told: CauseListener): KeyringNode
  /** What a told cause means. */
  whyOf(cause: unknown): SealFailure['why']
}

type Cache = ReturnType<EncryptionSdk['getLocalCryptographicMaterialsCache']>
type Tools = { readonly sdk: EncryptionSdk; readonly client: MessageClient; readonly cache: Cache }

export function messageSeals(access: KeyAccess): SecretSeals {
  let making: Promise<Tools> | undefined
  const tools = () => {
    making ??= makeTools()
    return making
  }
  return {
    seal: async (context, value) => seal(await tools(), access, context, value),
    open: async (context, sealed) => open(await tools(), access, context, sealed),
  }
}

async function makeTools(): Promise<Tools> {
  const sdk = await encryptionSdk()
  const cache = sdk.getLocalCryptographicMaterialsCache(DATA_KEYS_MAX)
  return { sdk, client: messageClient(sdk), cache }
}

function seal(
  { sdk, client }: Tools,
  access: KeyAccess,
  context: SecretContext,
  value: string,
): Promise<Result<Uint8Array, SealFailure>> {
  return judged(access, async (told) => {
    const options = { suiteId: suiteOf(sdk), encryptionContext: contextOf(context) }
    const { result } = await client.encrypt(keyringOf(sdk, access, 'seal', told), value, options)
    return new Uint8Array(result)
  })
}

function open(
  { sdk, client, cache }: Tools,
  access: KeyAccess,
  context: SecretContext,
  sealed: Uint8Array,
): Promise<Result<string, SealFailure>> {
  return judged(access, async (told) => {
    const remembering = new sdk.NodeCachingMaterialsManager({
      backingMaterials: keyringOf(sdk, access, 'open', told),
      cache,
      maxAge: DATA_KEY_CACHE_MS,
      partition: context.uid,
    })
    const { plaintext } = await client.decrypt(boundTo(context, remembering), sealed)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext)
  })
}

/**
 * Exactly these four, and nothing that a caller's object may carry besides. The binding as its digest:
 * its origins would make each message longer than a full record has room for.
 */
function contextOf({ binding, name, skillId, uid }: SecretContext): { [key: string]: string } {
  const digest = createHash('sha256').update(binding).digest('base64url')
  return { uid, skillId, name, binding: digest }
}

function keyringOf(
  sdk: EncryptionSdk,
  access: KeyAccess,
  use: SealUse,
  told: CauseListener,
): KeyringNode {
  try {
    return access.keyring(sdk, use, told)
  } catch (cause) {
    told(cause)
    throw cause
  }
}

/**
 * The materials of this context; for a message of any other there are none. Of the suites that commit
 * to their key only ours has no more in its context than we put there.
 */
function boundTo(context: SecretContext, materials: NodeMaterialsManager): NodeMaterialsManager {
  const wanted = Object.entries(contextOf(context))
  return {
    getEncryptionMaterials: (request) => materials.getEncryptionMaterials(request),
    decryptMaterials: async (request) => {
      const { encryptionContext } = request
      const isOurs =
        Object.keys(encryptionContext).length === wanted.length &&
        wanted.every(([key, value]) => encryptionContext[key] === value)
      if (isOurs) return materials.decryptMaterials(request)
      throw new Fault('internal', 'a sealed secret stands where it was not set')
    },
  }
}

async function judged<T>(
  { whyOf }: KeyAccess,
  work: (told: CauseListener) => Promise<T>,
): Promise<Result<T, SealFailure>> {
  const told: unknown[] = []
  try {
    return ok(await work((cause) => told.push(cause)))
  } catch (cause) {
    if (told.length > 0) return err({ why: whyOf(told[0]), cause: told[0] })
    const foreign = 'a sealed secret does not open: its key is another, or it was changed'
    return err({
      why: 'foreign',
      cause: cause instanceof Fault ? cause : new Fault('internal', foreign, cause),
    })
  }
}
