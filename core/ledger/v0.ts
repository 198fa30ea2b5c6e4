/**
 * A user of the earlier service (`credits:{uid}`, `tier:{uid}`) and the profile that the user gets
 * here. Values are read as stored, text or number, and never guessed: an unreadable value is
 * reported and stays in its record. core/flow/migration/migrate-user.ts moves the records. Bound by
 * docs/service.md, Earlier records.
 */
import { err, ok, type Result } from '../errors.ts'
import { explainHiddenText } from '../json/hidden-text.ts'
import { fromIdentifier } from '../json/identifier-text.ts'
import { CREDITS_MAX, formatCredits } from './amount.ts'
import type { MicroCredits, Profile } from './ledger.ts'

/** The stored attribute `value`: the exact decimal text of a number, a text, or neither. */
export type V0Value =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'other' }

/** A consistent snapshot of a user's three records. */
export type V0User = {
  readonly profile: Profile | undefined
  readonly credits: V0Value | undefined
  readonly tier: V0Value | undefined
}

/** One move of an amount, as the store carries it out. */
export type V0Move = {
  readonly uid: string
  /** The value of credits:{uid} when it was read; the next member is the value after the move. */
  readonly expected: V0Value
  readonly rest: V0Value
  readonly amount: MicroCredits
  /** Names the grant in the ledger. It is random, so that exactly this move is carried out once. */
  readonly moveId: string
  readonly nowMs: number
  /** Upper limit of the user's credits. */
  readonly creditsMax: MicroCredits
  /** The profile to create with the amount; undefined if an existing profile receives it. */
  readonly birth: Profile | undefined
}

/** A record that was not moved, and what to do about it. Contains no stored value. */
export type V0Problem = { readonly record: string; readonly message: string }

/**
 * The part of an amount that can be moved, and the rest below a millionth of a credit in the same
 * type.
 */
export type V0Amount = { readonly whole: MicroCredits; readonly rest: V0Value }

/** Digits, point and exponent: numbers of JavaScript and DynamoDB as text. */
const DECIMAL = /^(-?)(\d{1,64})(?:\.(\d{1,130}))?(?:[eE]([+-]?\d{1,3}))?$/
const MICRO_DECIMALS = 6
/** DynamoDB's smallest number is 1e-130, so it cannot have stored a longer fraction. */
const FRACTION_DIGITS_MAX = 200
const TIER_DEFAULT = 'free'
/** The rule of core/access/user-names.ts for ids and tiers; a test compares the two. */
const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/
/** The limit of core/access/user-names.ts. */
const USERNAME_CHARS_MAX = 40
/** 62 bits: among a million cut ids, two have the same name with a chance of one in ten million. */
const HASH_CHARS = 12

/** True if this user can be moved: its id becomes part of keys, paths and encryption contexts. */
export function isMovableUid(uid: string): boolean {
  return IDENTIFIER.test(uid)
}

/**
 * Rounds down to a millionth. The rest stays in the old record, so that no credits appear or
 * vanish.
 */
export function readV0Credits(value: V0Value): Result<V0Amount, string> {
  if (value.kind === 'other')
    return err('is neither a number nor a text; write a number of credits')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    DECIMAL.exec(value.text.trim()) ?? []
  if (whole === '') return err('is not a decimal number; write a number of credits such as 12.5')
  const places = fraction.length - Number(exponent)
  if (Math.abs(places) > FRACTION_DIGITS_MAX) return err('has too many digits; round it')
  const digits = BigInt(whole + fraction)
  if (sign === '-' && digits !== 0n) return err('is negative; settle the debt and write 0 or more')
  const decimals = BigInt(Math.max(places, MICRO_DECIMALS))
  const units = digits * 10n ** (decimals - BigInt(places))
  const perMicro = 10n ** (decimals - BigInt(MICRO_DECIMALS))
  if (units / perMicro > BigInt(CREDITS_MAX)) {
    return err(`is over the limit of ${formatCredits(CREDITS_MAX)} credits; lower it`)
  }
  const rest = formatRest(units % perMicro, Number(decimals))
  return ok({ whole: Number(units / perMicro), rest: { kind: value.kind, text: rest } })
}

/** A missing record means `free`. */
export function readV0Tier(value: V0Value | undefined): Result<string, string> {
  if (value === undefined) return ok(TIER_DEFAULT)
  if (value.kind === 'text' && IDENTIFIER.test(value.text)) return ok(value.text)
  return err('is not a tier name (1 to 64 characters of A-Z, a-z, 0-9, - and _)')
}

/**
 * A new profile with the amount. The earlier service stored no user names, so the uid becomes the
 * name.
 */
export function toV0Profile(user: {
  readonly uid: string
  readonly tier: string
  readonly credits: MicroCredits
  readonly nowMs: number
}): Profile {
  const { credits, nowMs, tier, uid } = user
  return {
    uid,
    username: toUsername(uid),
    tier,
    credits,
    holds: {},
    createdAtMs: nowMs,
    skillsChangedAtMs: 0,
    v0: 'moved',
  }
}

/**
 * A longer id is cut and ends with a hash of the whole id, so that ids with the same beginning have
 * different names.
 */
function toUsername(uid: string): string {
  const old = fromIdentifier(uid)
  const chars = [...(old.trim() === '' || explainHiddenText(old) !== undefined ? uid : old)]
  if (chars.length <= USERNAME_CHARS_MAX) return chars.join('')
  return `${chars.slice(0, USERNAME_CHARS_MAX - HASH_CHARS - 1).join('')}_${hashUid(uid)}`
}

/**
 * FNV-1a of 64 bits in base 36, without its first digits. It tells names apart and protects
 * nothing.
 */
function hashUid(uid: string): string {
  let hash = 0xcbf29ce484222325n
  for (const char of uid) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n)
  }
  return hash.toString(36).padStart(HASH_CHARS, '0').slice(-HASH_CHARS)
}

/**
 * The profile that a move would make now, without late or unreadable amounts. Undefined if there is
 * no such user.
 */
export function toV0View(uid: string, { credits, profile, tier }: V0User): Profile | undefined {
  if (profile !== undefined) return profile
  if (!isMovableUid(uid) || (credits === undefined && tier === undefined)) return undefined
  const amount = credits === undefined ? undefined : readV0Credits(credits)
  const name = readV0Tier(tier)
  const user = {
    uid,
    tier: name.ok ? name.value : TIER_DEFAULT,
    credits: amount?.ok === true ? amount.value.whole : 0,
    nowMs: 0,
  }
  return { ...toV0Profile(user), v0: 'unmoved' }
}

function formatRest(units: bigint, decimals: number): string {
  if (units === 0n) return '0'
  return `0.${String(units).padStart(decimals, '0').replace(/0+$/, '')}`
}
