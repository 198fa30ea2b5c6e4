/**
 * Finds whom a key or an invitation belongs to. An unknown and an expired one get the same words,
 * after the same reads.
 */
import { isApiKey, isKeyExpired, KEY_TTL_MS } from '../../access/api-key.ts'
import {
  hashInvite,
  INVITE_START,
  isInvite,
  isInviteHash,
  isInviteOpen,
  isInviteUsed,
} from '../../access/invite.ts'
import type { KeyRecord } from '../../access/principal.ts'
import { SUB_KEY_START } from '../../access/sub-key.ts'
import { toDisabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { INVITE_PATH } from '../../login/paths.ts'
import { isFunctionUrl } from '../../settings/function-url.ts'
import type { PersonContext } from './login-context.ts'

export type Person = { readonly key: KeyRecord; readonly profile: Profile }

/** Why there is nobody. `isGuess`: the text may be an attempt to guess a key. */
export type Nobody = { readonly isGuess: boolean; readonly detail: string }

type Found = Result<Person, Nobody>

/**
 * `text` is what the person entered: an API key, an invitation's link or its secret. A key counts
 * only on a domain of the operator's own.
 */
export async function findPerson(context: PersonContext, text: string): Promise<Found> {
  const invite = readInvite(context, text)
  if (invite !== undefined) return findInvited(context, invite)
  if (isFunctionUrl(context.login.issuer)) {
    return err({ isGuess: text !== '', detail: INVITES_ONLY })
  }
  // An agent issued the sub-key for a while, and no person may pass it on.
  if (text.startsWith(SUB_KEY_START)) return err({ isGuess: true, detail: SUB_KEY })
  if (isApiKey(text)) return findPersonOfKey(context, context.ports.digests.sha256(text))
  const detail = text === '' ? 'Enter your API key or your invitation.' : NOT_A_KEY
  return err({ isGuess: text !== '', detail })
}

/** Finds the user of a key by its hash; of an invitation's key too, used or not. */
export async function findPersonOfKey(context: PersonContext, keyHash: string): Promise<Found> {
  const key = await context.ports.logins.findKey(keyHash)
  const isOpen = (one: KeyRecord) => isInviteOpen(one, context.ports.clock.nowMs())
  if (!isInviteHash(keyHash)) return toPerson(context, key, UNKNOWN_KEY)
  return toPerson(context, key !== undefined && isOpen(key) ? key : undefined, UNUSABLE_INVITE)
}

/** Finds whom an unused invitation is for. `secret`: of any form; only a right one is looked up. */
export async function findInvited(context: PersonContext, secret: string): Promise<Found> {
  if (!isInvite(secret)) return err({ isGuess: true, detail: UNUSABLE_INVITE })
  const keyHash = hashInvite(context.ports.digests, secret)
  const [found, usedFor] = await Promise.all([
    findPersonOfKey(context, keyHash),
    context.ports.logins.findInviteUse(keyHash),
  ])
  return usedFor === undefined ? found : err({ isGuess: true, detail: UNUSABLE_INVITE })
}

/**
 * Uses the invitation of a person for a login, and gives its key the life of a key in use. Returns
 * false if another login has the invitation. The order, with the writes around it:
 *
 *   browser A: login a ✔ ── use for a ✔ ── key renewed ✔ ── code of a
 *   browser B: login b ✔ ── use for b, refused: "used"; nobody gets the code of b
 *   A again:   login a exists ── use for a ✔ ── renewed already ── the same code
 *   revoked:   key removed ── its listed logins ended. The login of a consent that read the key
 *              before is made, and its code gives no token, because the exchange reads the key again
 *
 * Dying between use and renewal: the same form completes it. Otherwise the key ends 7 days after the
 * invitation was made, and the login with it.
 */
export async function spendInvite(
  { ports }: PersonContext,
  key: KeyRecord,
  loginId: string,
): Promise<boolean> {
  const { keyHash, renewedAtMs } = key
  if (!(await ports.logins.useInvite({ keyHash, loginId }))) return false
  if (isInviteUsed(key)) return true
  const nowMs = ports.clock.nowMs()
  const expiresAtMs = nowMs + KEY_TTL_MS
  await ports.keys.renew({ keyHash, expiresAtMs, renewedAtMs: nowMs, ifRenewedAtMs: renewedAtMs })
  return true
}

async function toPerson(
  { ports }: PersonContext,
  key: KeyRecord | undefined,
  unknown: string,
): Promise<Found> {
  if (key === undefined || isKeyExpired(key, ports.clock.nowMs())) {
    return err({ isGuess: true, detail: unknown })
  }
  const profile = await ports.profiles.read(key.uid)
  if (profile === undefined) return err({ isGuess: false, detail: unknown })
  if (profile.disabled !== undefined) {
    return err({ isGuess: false, detail: toDisabledRefusal(profile.disabled).detail })
  }
  return ok({ key, profile })
}

/** The secret of an invitation of this gateway; undefined for any other text. */
function readInvite({ login }: PersonContext, text: string): string | undefined {
  const link = `${login.issuer}${INVITE_PATH}`
  const secret = text.startsWith(link) ? text.slice(link.length) : text
  return secret.startsWith(INVITE_START) ? secret : undefined
}

const NOT_A_KEY =
  'This is neither an API key, which begins with sgk_ and has 43 characters after it, nor an invitation of this gateway.'
const SUB_KEY =
  'This is a sub-key (sgs_), which cannot log in. Enter an API key that an administrator issued (sgk_).'
const UNKNOWN_KEY = 'This API key is unknown or expired. Ask your administrator for a new one.'
const INVITES_ONLY =
  'Enter the link of your invitation. This gateway has no address of its own, so enter no API key here.'
export const UNUSABLE_INVITE =
  'This invitation is unknown, expired or used already. Ask your administrator for a new one.'
