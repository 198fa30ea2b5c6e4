/**
 * What is to be moved of a user at one moment, and what cannot be. Pure: the flow carries one plan out
 * and makes a new one where the moment has passed. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import { CREDITS_MAX, formatCredits } from './amount.ts'
import type { Profile } from './ledger.ts'
import {
  profileFromV0,
  readV0Credits,
  readV0Tier,
  type V0Amount,
  type V0Fault,
  type V0User,
} from './v0.ts'

export type V0Plan = {
  /** To be made, its amount not in it yet. */
  readonly birth: Profile | undefined
  /** To be taken out of credits:{uid}; more than 0. */
  readonly amount: V0Amount | undefined
  /** The profile is there and nobody looks for what is added late. */
  readonly watch: boolean
  readonly faults: readonly V0Fault[]
}

/** `known`: one of the user's keys says that there is this user, whatever else is missing. */
export function planMigration(
  user: { readonly uid: string; readonly known: boolean; readonly nowMs: number },
  { credits, profile, tier }: V0User,
): V0Plan {
  const { known, nowMs, uid } = user
  const faults: V0Fault[] = []
  const amount = credits === undefined ? undefined : amountOf(uid, credits, profile, faults)
  const named = readV0Tier(tier)
  if (!named.ok) {
    const remedy = profile === undefined ? MOVED_AS_FREE : NOT_READ_AGAIN
    faults.push({ record: `tier:${uid}`, message: `${named.error}; ${remedy}` })
  }
  if (profile !== undefined) {
    const watch = credits !== undefined && profile.v0 === undefined
    return { birth: undefined, amount, watch, faults }
  }
  if (credits === undefined && tier === undefined && !known) {
    return { birth: undefined, amount, watch: false, faults }
  }
  const tierName = named.ok ? named.value : 'free'
  const birth = profileFromV0({ uid, tier: tierName, credits: 0, nowMs })
  return { birth, amount, watch: false, faults }
}

const MOVED_AS_FREE =
  'the user is moved as free: write a tier name before, or set another by PATCH users/{uid} afterwards'
/** Named as long as it is there, since nobody may have seen it when the user was moved. */
const NOT_READ_AGAIN =
  'the user is here already, and this is not read again: see that PATCH users/{uid} has set the right tier, then delete this record'

function amountOf(
  uid: string,
  credits: NonNullable<V0User['credits']>,
  profile: Profile | undefined,
  faults: V0Fault[],
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
