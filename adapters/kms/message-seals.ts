/**
 * The port SecretSeals in the message format of the AWS Encryption SDK, over any keyring. A message
 * is opened only if its encryption context is exactly the requested one. This is checked before its
 * key is used. So a value that was moved to another user, skill, name or binding never opens, and
 * costs no request. Data keys of opened messages are cached for a limited time, in limited number,
 * and separately for each user. Each sealed value has a data key of its own. Bound by
 * docs/service.md, Secrets.
 */
import { createHash } from 'node:crypto'
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import type { SealFailure, SecretContext } from '../../core/secrets/secret.ts'
import {
  type EncryptionSdk,
  findSuite,
  type KeyringNode,
  loadEncryptionSdk,
  type MessageClient,
  makeMessageClient,
  type NodeMaterialsManager,
} from './encryption-sdk.ts'
import { SHARED_OWNER } from './permissions.ts'

/** After a key is disabled, values that were opened before still open for this time. */
export const DATA_KEY_CACHE_MS = 300_000
/** Cached data keys of all users; about 2 kB each. The least recently used key is dropped first. */
export const DATA_KEYS_MAX = 500
/**
 * Bytes of a sealed value of 4,096 bytes with the longest names and a data key that KMS wrapped.
 */
export const SEALED_BYTES_MAX = 5_692

export type SealUse = 'open' | 'seal'
/** Receives the key service's own error, which the SDK would turn into a text. */
export type CauseListener = (cause: unknown) => void

export type KeyAccess = {
  keyring(sdk: EncryptionSdk, use: SealUse, report: CauseListener): KeyringNode
  /** Classifies a reported error. */
  whyOf(cause: unknown): SealFailure['why']
}

type Cache = ReturnType<EncryptionSdk['getLocalCryptographicMaterialsCache']>
type Tools = { readonly sdk: EncryptionSdk; readonly client: MessageClient; readonly cache: Cache }

export function makeMessageSeals(access: KeyAccess): SecretSeals {
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
  const sdk = await loadEncryptionSdk()
  const cache = sdk.getLocalCryptographicMaterialsCache(DATA_KEYS_MAX)
  return { sdk, client: makeMessageClient(sdk), cache }
}

function seal(
  { sdk, client }: Tools,
  access: KeyAccess,
  context: SecretContext,
  value: string,
): Promise<Result<Uint8Array, SealFailure>> {
  return toResult(access, async (report) => {
    const options = { suiteId: findSuite(sdk), encryptionContext: makeContext(context) }
    const { result } = await client.encrypt(
      makeKeyring(sdk, access, 'seal', report),
      value,
      options,
    )
    return new Uint8Array(result)
  })
}

function open(
  { sdk, client, cache }: Tools,
  access: KeyAccess,
  context: SecretContext,
  sealed: Uint8Array,
): Promise<Result<string, SealFailure>> {
  return toResult(access, async (report) => {
    const cachingMaterials = new sdk.NodeCachingMaterialsManager({
      backingMaterials: makeKeyring(sdk, access, 'open', report),
      cache,
      maxAge: DATA_KEY_CACHE_MS,
      // No uid contains a space, so this partition belongs to no user.
      partition: context.uid ?? `the ${SHARED_OWNER}`,
    })
    const { plaintext } = await client.decrypt(restrictToContext(context, cachingMaterials), sealed)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext)
  })
}

/**
 * The context has exactly these four fields. A shared secret has `owner` instead of `uid`, so that
 * no uid gives the context of a shared secret. The binding is a digest, because its origins would
 * make messages too long for a full record.
 */
function makeContext({ binding, name, skillId, uid }: SecretContext): { [key: string]: string } {
  const digest = createHash('sha256').update(binding).digest('base64url')
  const whose = uid === undefined ? { owner: SHARED_OWNER } : { uid }
  return { ...whose, skillId, name, binding: digest }
}

function makeKeyring(
  sdk: EncryptionSdk,
  access: KeyAccess,
  use: SealUse,
  report: CauseListener,
): KeyringNode {
  try {
    return access.keyring(sdk, use, report)
  } catch (cause) {
    report(cause)
    throw cause
  }
}

/**
 * Provides materials only for messages with exactly this context. Of the suites with key
 * commitment, only the one used here adds nothing to the context.
 */
function restrictToContext(
  context: SecretContext,
  materials: NodeMaterialsManager,
): NodeMaterialsManager {
  const expected = Object.entries(makeContext(context))
  return {
    getEncryptionMaterials: (request) => materials.getEncryptionMaterials(request),
    decryptMaterials: async (request) => {
      const { encryptionContext } = request
      const isOurs =
        Object.keys(encryptionContext).length === expected.length &&
        expected.every(([key, value]) => encryptionContext[key] === value)
      if (isOurs) return materials.decryptMaterials(request)
      throw new Fault('internal', 'a sealed secret was copied to another user, skill or name')
    },
  }
}

async function toResult<T>(
  { whyOf }: KeyAccess,
  work: (report: CauseListener) => Promise<T>,
): Promise<Result<T, SealFailure>> {
  const causes: unknown[] = []
  try {
    return ok(await work((cause) => causes.push(cause)))
  } catch (cause) {
    if (causes.length > 0) return err({ why: whyOf(causes[0]), cause: causes[0] })
    const foreign = 'a sealed secret does not open: it was sealed with another key, or changed'
    return err({
      why: 'foreign',
      cause: cause instanceof Fault ? cause : new Fault('internal', foreign, cause),
    })
  }
}
