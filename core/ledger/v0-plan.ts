/**
 * Plans the move of one user from the earlier service: what to move, and what cannot be moved. The
 * flow carries out a plan, or makes a new one if the records have changed in between. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 */
import { CREDITS_MAX, formatCredits } from './amount.ts'
import type { Profile } from './ledger.ts'
import {
  readV0Credits,
  readV0Tier,
  toV0Profile,
  type V0Amount,
  type V0Problem,
  type V0User,
} from './v0.ts'

export type V0Plan = {
  /** The profile to create, without the amount, which the move adds. */
  readonly birth: Profile | undefined
  /** The amount to take from credits:{uid}; above 0. */
  readonly amount: V0Amount | undefined
  /** True if the profile exists and no sweep searches for late credits yet. */
  readonly watch: boolean
  readonly faults: readonly V0Problem[]
}

/** `known`: one of the user's keys proves that the user exists, even without other records. */
export function planMigration(
  user: { readonly uid: string; readonly known: boolean; readonly nowMs: number },
  { credits, profile, tier }: V0User,
): V0Plan {
  const { known, nowMs, uid } = user
  const faults: V0Problem[] = []
  const amount = credits === undefined ? undefined : readAmount(uid, credits, profile, faults)
  const tierName = readV0Tier(tier)
  if (!tierName.ok) {
    const remedy = profile === undefined ? MOVED_AS_FREE : NOT_READ_AGAIN
    faults.push({ record: `tier:${uid}`, message: `${tierName.error}; ${remedy}` })
  }
  if (profile !== undefined) {
    const watch = credits !== undefined && profile.v0 === undefined
    return { birth: undefined, amount, watch, faults }
  }
  if (credits === undefined && tier === undefined && !known) {
    return { birth: undefined, amount, watch: false, faults }
  }
  const tierOrFree = tierName.ok ? tierName.value : 'free'
  const birth = toV0Profile({ uid, tier: tierOrFree, credits: 0, nowMs })
  return { birth, amount, watch: false, faults }
}

const MOVED_AS_FREE =
  'the user is moved with the tier free; write a tier name first, or set one afterwards'
/** Reported as long as the record exists, since nobody may have noticed it at the move. */
const NOT_READ_AGAIN =
  'the user was moved already, so this record is not read again; check the tier of the user, then delete this record'

function readAmount(
  uid: string,
  credits: NonNullable<V0User['credits']>,
  profile: Profile | undefined,
  faults: V0Problem[],
): V0Amount | undefined {
  const record = `credits:${uid}`
  const read = readV0Credits(credits)
  if (!read.ok) {
    faults.push({ record, message: read.error })
    return undefined
  }
  if ((profile?.credits ?? 0) + read.value.whole > CREDITS_MAX) {
    const message = `would bring the user over ${formatCredits(CREDITS_MAX)} credits; lower it`
    faults.push({ record, message })
    return undefined
  }
  return read.value.whole > 0 ? read.value : undefined
}
