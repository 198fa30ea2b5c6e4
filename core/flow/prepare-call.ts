/**
 * Resolution and validation: everything that can refuse a call before money moves. Bound by the
 * spec (Skill tiers and resolution) and design section 4 (POST /v1/execute).
 */
import type { Principal } from '../access/principal.ts'
import { checkTarget } from '../call/check-target.ts'
import { secretNamesOf } from '../call/draft-names.ts'
import { draftRequest, type RequestDraft } from '../call/draft-request.ts'
import { err, ok, type Result, refuse } from '../errors.ts'
import type { Profile } from '../ledger/ledger.ts'
import type { Settings } from '../settings.ts'
import { isRunnable } from '../skills/read-skill.ts'
import { resolve } from '../skills/resolve.ts'
import type { Candidates, Skill, SkillRecord } from '../skills/skill.ts'
import { readStoredSkill } from '../skills/stored-skill.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { loadSecrets, type Secrets, type SecretsFailure } from './load-secrets.ts'

/** A call that may be paid for: who, what, and the request that lacks nothing but its secrets. */
export type ReadyCall = {
  readonly callId: string
  readonly principal: Principal
  readonly profile: Profile
  readonly record: SkillRecord
  readonly skill: Skill
  readonly draft: RequestDraft
  /** Under way since before the hold; undefined: the skill names none. */
  readonly secrets: Promise<Result<Secrets, SecretsFailure>> | undefined
  readonly startedAtMs: number
  readonly deadlineMs: number
}

/** Resolution and validation: everything that can refuse before money moves. */
export function prepare(
  ports: ExecuteNeeds,
  settings: Settings,
  candidates: Candidates,
  request: ExecuteRequest,
): Result<{ record: SkillRecord; skill: Skill; draft: RequestDraft }> {
  const record = resolve(candidates)
  if (record === undefined) {
    return refuse(
      'unknown_skill',
      `skill: there is no skill of the name ${JSON.stringify(request.body.skill.slice(0, 128))} for this key. tools/list names those there are.`,
    )
  }
  const read = readStoredSkill(record, settings.prefix)
  if (!read.ok || !isRunnable(read.value.skill)) {
    const why = read.ok ? read.value.skill.notYet.join('; ') : read.error.detail
    return refuse(
      'invalid_skill',
      `skill: ${record.skillId} cannot run in this build: ${why}. It was not charged.`,
    )
  }
  const { skill } = read.value
  const faults = ports.schemas.faults(skill.parameters, request.body.arguments)
  if (faults.length > 0) {
    const detail = `arguments: do not fit the parameters of ${record.toolName}.`
    return refuse('invalid_arguments', detail, { faults })
  }
  const draft = draftRequest(skill, request.body.arguments)
  if (!draft.ok) return draft
  const target = checkTarget(draft.value.url, { outboundAllow: settings.outboundAllow })
  return target.ok ? ok({ record, skill, draft: draft.value }) : err(target.error)
}

/** Beside the hold, so that it costs no round trip of its own. Whose: the key's owner, nobody else. */
export function secretsFor(
  ports: ExecuteNeeds,
  skill: Skill,
  { uid }: Principal,
): ReadyCall['secrets'] {
  const { hookOptions, pluginHook, skillId } = skill
  const hooked = pluginHook === undefined ? [] : ports.hooks.secretNames(pluginHook, hookOptions)
  const names = [...new Set([...secretNamesOf(skill), ...hooked])]
  return names.length === 0 ? undefined : loadSecrets(ports, { uid, skillId, names })
}
