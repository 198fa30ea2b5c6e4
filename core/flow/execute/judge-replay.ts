/**
 * Whether the kept answer of an Idempotency-Key may be shown to who sends it again. Bound by docs/service.md,
 * Idempotency-Key, and ADR 0096.
 */
import type { Principal } from '../../access/principal.ts'
import type { Refusal, Result } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import type { Candidates } from '../../skills/skill.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import type { Replay } from './judge-standing.ts'
import { candidatesFor } from './read-for-call.ts'
import { callableSkill } from './validate-call.ts'

type Repeat = {
  readonly principal: Principal
  readonly request: Pick<ExecuteRequest, 'body'>
  /** As they are now. */
  readonly candidates: Candidates
  readonly profile: Result<Profile>
  /** The skill of the kept answer; undefined for a conflict. */
  readonly ran: Replay['ran']
}

/**
 * Why this caller gets no kept answer; undefined where they do. A repeat counts in the minute as any request
 * does, and gets what the caller may still ask for: the same skill, as it is found now.
 */
export async function replayRefusal(
  ports: ExecuteNeeds,
  settings: Settings,
  { candidates, principal, profile, ran, request }: Repeat,
): Promise<Refusal | undefined> {
  if (!profile.ok) return profile.error
  const { groups } = profile.value
  const [uid, name] = [principal.uid, request.body.skill]
  const found = await candidatesFor(ports, settings, { uid, name }, { candidates, groups })
  const named = callableSkill(settings, found, name)
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
