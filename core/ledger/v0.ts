/**
 * A user as the earlier service kept one: `credits:{uid}`, `tier:{uid}`, and what they become here.
 * Reads values as they were found, text or number, and never guesses: what it cannot read is named
 * and stays where it is. Pure; who moves what is in core/flow/migration/migrate-user.ts. Bound by
 * docs/service.md, Earlier records.
 */
import { err, ok, type Result } from '../errors.ts'
import { CREDITS_MAX, formatCredits } from './amount.ts'
import type { MicroCredits, Profile } from './ledger.ts'

/** The attribute `value` as it stands: exact decimal text of a number, a text, or neither. */
export type V0Value =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'other' }

/** One moment of a user: all three records were so at the same time. */
export type V0User = {
  readonly profile: Profile | undefined
  readonly credits: V0Value | undefined
  readonly tier: V0Value | undefined
}

/** One move of an amount, as the store is asked for it. */
export type V0Move = {
  readonly uid: string
  /** What credits:{uid} held when it was read, and what is to be left there. */
  readonly seen: V0Value
  readonly rest: V0Value
  readonly amount: MicroCredits
  /** Of the grant in the ledger; random, so that this very move is carried out once. */
  readonly moveId: string
  readonly nowMs: number
  /** The user's credits at most. */
  readonly creditsMax: MicroCredits
  /** The profile to be born with the amount; undefined: the one that is there gets it. */
  readonly birth: Profile | undefined
}

/** A record that was not moved, and what to do about it. Holds no value. */
export type V0Fault = { readonly record: string; readonly message: string }

/** What can be moved of an amount, and what is left: less than a millionth of a credit, of the same kind. */
export type V0Amount = { readonly whole: MicroCredits; readonly rest: V0Value }

/** Digits, point and exponent; JavaScript's and DynamoDB's numbers as text. */
const DECIMAL = /^(-?)(\d{1,64})(?:\.(\d{1,130}))?(?:[eE]([+-]?\d{1,3}))?$/
const MICRO_DECIMALS = 6
/** DynamoDB's smallest number is 1e-130: a longer fraction was never one of its. */
const FRACTION_DIGITS_MAX = 200
const TIER_DEFAULT = 'free'
/** As core/access/user-names.ts has it for ids and tiers; a test compares them. */
const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/
/** Characters of a user name there. */
const USERNAME_CHARS_MAX = 40

/** Whether this user can be moved at all: its id becomes part of keys, paths and contexts of secrets. */
export function isMovableUid(uid: string): boolean {
  return IDENTIFIER.test(uid)
}

/** Rounds down to a millionth: the rest stays in the old record, so that nothing is lost or made. */
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
  const rest = restText(units % perMicro, Number(decimals))
  return ok({ whole: Number(units / perMicro), rest: { kind: value.kind, text: rest } })
}

/** Without a record: `free`. */
export function readV0Tier(value: V0Value | undefined): Result<string, string> {
  if (value === undefined) return ok(TIER_DEFAULT)
  if (value.kind === 'text' && IDENTIFIER.test(value.text)) return ok(value.text)
  return err('is no tier name (1 to 64 characters of A-Z, a-z, 0-9, - and _)')
}

/** Born with an amount. The earlier service's user name is not known: the uid stands in its place. */
export function profileFromV0(user: {
  readonly uid: string
  readonly tier: string
  readonly credits: MicroCredits
  readonly nowMs: number
}): Profile {
  const { credits, nowMs, tier, uid } = user
  return {
    uid,
    username: uid.slice(0, USERNAME_CHARS_MAX),
    tier,
    credits,
    holds: {},
    createdAtMs: nowMs,
    skillsChangedAtMs: 0,
    v0: 'moved',
  }
}

/**
 * The profile that a move would make of this moment; what is late, or cannot be read, is left out.
 * Undefined when there is no such user.
 */
export function viewOfV0(uid: string, { credits, profile, tier }: V0User): Profile | undefined {
  if (profile !== undefined) return profile
  if (!isMovableUid(uid) || (credits === undefined && tier === undefined)) return undefined
  const amount = credits === undefined ? undefined : readV0Credits(credits)
  const name = readV0Tier(tier)
  const seen = {
    uid,
    tier: name.ok ? name.value : TIER_DEFAULT,
    credits: amount?.ok === true ? amount.value.whole : 0,
    nowMs: 0,
  }
  return { ...profileFromV0(seen), v0: 'unmoved' }
}

function restText(units: bigint, decimals: number): string {
  if (units === 0n) return '0'
  return `0.${String(units).padStart(decimals, '0').replace(/0+$/, '')}`
}
