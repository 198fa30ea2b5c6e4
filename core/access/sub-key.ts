/**
 * Sub-keys: keys that another key of the same user has issued. A sub-key may do what both scopes
 * allow, and the limits of its parent count its calls too. It cannot issue keys itself. Bound by
 * docs/service.md, Sub-keys, and ADR 0111.
 */
import type { KeyScope } from './key-scope.ts'

/**
 * Begins the hash of a sub-key, and so its record's key in the store. Functions that agents reach
 * may put such records only. So a stolen role forges no other keys, and sub-keys only of keys that
 * may issue them.
 */
export const SUB_KEY_HASH_START = 'sub:'

/** Begins a sub-key. */
export const SUB_KEY_START = 'sgs_'

/** The hash under which a key is stored; `sha256` is in base64url. */
export function hashKey(sha256: (text: string) => string, key: string): string {
  return key.startsWith(SUB_KEY_START) ? `${SUB_KEY_HASH_START}${sha256(key)}` : sha256(key)
}

/** The hash of a key, and that of the key which issued it. */
export type KeyFamily = {
  readonly keyHash: string
  /** Absent for a key of an administrator. */
  readonly parentHash?: string
}

/**
 * The hash under which minutes and streams of a key are counted. Sub-keys share those of their
 * parent: otherwise an agent could issue keys to call more often.
 */
export function toCountedHash({ keyHash, parentHash }: KeyFamily): string {
  return parentHash ?? keyHash
}

/** The scope within which a sub-key acts; undefined if neither key has a limit. */
export function narrowScope(
  own: KeyScope | undefined,
  parent: KeyScope | undefined,
): KeyScope | undefined {
  const prices = [own?.maxCreditsPerCall, parent?.maxCreditsPerCall].filter(
    (price) => price !== undefined,
  )
  const scope: KeyScope = {
    ...(own?.tools === undefined ? {} : { tools: own.tools }),
    ...(parent?.tools === undefined ? {} : { parentTools: parent.tools }),
    ...(prices.length === 0 ? {} : { maxCreditsPerCall: Math.min(...prices) }),
  }
  return Object.keys(scope).length === 0 ? undefined : scope
}
