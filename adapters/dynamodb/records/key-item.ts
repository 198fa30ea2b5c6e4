/** auth:hash:{keyHash} as an item, and its entry keys:{uid}/{keyHash}. Neither holds a key. */
import { NEVER_MS } from '../../../core/access/identity.ts'
import type { KeyScope } from '../../../core/access/key-scope.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import { toStoredCredits } from '../client/credits-codec.ts'
import { creditsAt, type Item, intAt, textAt, textsAt } from '../client/item.ts'
import { authKey, userKeyKey } from '../table.ts'

export function toKeyItem({ identity, scope, ...record }: KeyRecord): Item {
  return {
    ...authKey(record.keyHash),
    ...record,
    ...identity,
    ...toScopeItem(scope),
    // The store must not remove what never expires.
    ...(record.expiresAtMs === NEVER_MS ? {} : { ttl: toKeyTtlSec(record.expiresAtMs) }),
  }
}

/** The members of a scope are attributes of the key. */
export function toScopeItem({ maxCreditsPerCall, mayIssueKeys, tools }: KeyScope = {}): Item {
  return {
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(maxCreditsPerCall === undefined
      ? {}
      : { maxCreditsPerCall: toStoredCredits(maxCreditsPerCall) }),
    ...(mayIssueKeys === undefined ? {} : { mayIssueKeys }),
  }
}

function readScope(item: Item): { readonly scope?: KeyScope } {
  const scope: KeyScope = {
    ...(item['tools'] === undefined ? {} : { tools: textsAt(item, 'tools') }),
    ...(item['maxCreditsPerCall'] === undefined
      ? {}
      : { maxCreditsPerCall: creditsAt(item, 'maxCreditsPerCall') }),
    ...(item['mayIssueKeys'] === true ? { mayIssueKeys: true } : {}),
  }
  return Object.keys(scope).length === 0 ? {} : { scope }
}

/** The entry has no TTL: otherwise each renewal of the key would have to update the entry too. */
export function toKeyEntryItem({ uid, keyHash, createdAtMs }: KeyRecord): Item {
  return { ...userKeyKey(uid, keyHash), keyHash, createdAtMs }
}

export function fromKeyItem(item: Item): KeyRecord {
  return {
    keyHash: textAt(item, 'keyHash'),
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    keyPrefix: textAt(item, 'keyPrefix'),
    createdAtMs: intAt(item, 'createdAtMs'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
    renewedAtMs: intAt(item, 'renewedAtMs'),
    ...readScope(item),
    ...(item['parentHash'] === undefined ? {} : { parentHash: textAt(item, 'parentHash') }),
    ...(item['subject'] === undefined
      ? {}
      : { identity: { issuer: textAt(item, 'issuer'), subject: textAt(item, 'subject') } }),
    ...(item['login'] === undefined ? {} : { login: textAt(item, 'login') }),
    ...(item['account'] === true ? { account: true } : {}),
    ...(item['anchor'] === true ? { anchor: true } : {}),
    ...(item['proof'] === undefined ? {} : { proof: textAt(item, 'proof') }),
  }
}

export function toKeyTtlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}
