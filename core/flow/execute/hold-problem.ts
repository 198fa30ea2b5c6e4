/** Why a user's account would not let a call hold its price now, in the words of calls. Holds nothing. */
import type { Refusal } from '../../errors.ts'
import { judgeHold } from '../../ledger/judge-hold.ts'
import type { MicroCredits, Profile } from '../../ledger/ledger.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { holdRefusal } from './hold-credits.ts'

export type PlannedHold = {
  readonly record: Pick<SkillRecord, 'skillId' | 'source'>
  readonly price: MicroCredits
  readonly heldAtMs: number
  /** '' where no key is known: then budgets of single keys are not judged. */
  readonly keyHash: string
}

/** Undefined: it would hold. Whether the user is active is judged elsewhere. */
export function holdProblem(
  settings: Settings,
  profile: Profile,
  { heldAtMs, keyHash, price, record }: PlannedHold,
): Refusal | undefined {
  if (price === 0) return undefined
  const { disabled: _, ...seen } = profile
  const { holdsMax } = tierLimits(settings, profile.tier)
  const { skillId, source } = record
  const hold = { amount: price, heldAtMs, writeToken: '', skillId, source }
  const judged = judgeHold(seen, { callId: '', holdsMax, keyHash, hold, seen })
  if (judged.kind !== 'refused') return undefined
  const refused = holdRefusal(judged, { price, holdsMax, heldAtMs, keyHash })
  return refused.ok ? undefined : refused.error
}
