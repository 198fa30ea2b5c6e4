/**
 * Decides whether a repeated call may get the kept answer of its Idempotency-Key. Refuses a caller
 * who may no longer call the skill, and a name that now means another skill. Bound by
 * docs/service.md, Idempotency-Key, and ADR 0096.
 */
import type { Principal } from '../../access/principal.ts'
import type { Refusal, Result } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import type { Candidates } from '../../skills/skill.ts'
import type { Replay } from './decide-repeat.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { findCandidates } from './read-for-call.ts'
import { findSkillInScope } from './validate-call.ts'

type Repeat = {
  readonly principal: Principal
  readonly request: Pick<ExecuteRequest, 'body'>
  /** The skills that the name may mean at the time of the repeat. */
  readonly candidates: Candidates
  readonly profile: Result<Profile>
  /** The skill of the kept answer; undefined for a conflict. */
  readonly ran: Replay['ran']
}

/**
 * Returns the refusal of the repeat, or undefined if the caller gets the kept answer. The rate
 * limit counts a repeat like any request. The caller gets the answer only if they may still call
 * the same skill under this name.
 */
export async function findReplayRefusal(
  ports: ExecuteNeeds,
  settings: Settings,
  { candidates, principal, profile, ran, request }: Repeat,
): Promise<Refusal | undefined> {
  if (!profile.ok) return profile.error
  const { groups } = profile.value
  const [uid, name] = [principal.uid, request.body.skill]
  const found = await findCandidates(ports, settings, { uid, name }, { candidates, groups })
  const named = findSkillInScope(settings, found, name, principal)
  if (!named.ok) return named.error
  if (ran === undefined) return undefined
  const { skillId, source } = named.value.record
  return skillId === ran.skillId && source === ran.source ? undefined : OTHER_SKILL
}

const OTHER_SKILL: Refusal = {
  code: 'conflict',
  detail:
    'Idempotency-Key: the first call with this key called another skill, and its answer is kept for that one alone. Use a new key to call the skill of this name.',
}
