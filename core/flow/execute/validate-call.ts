/**
 * Resolves and validates a call: every reason to refuse it before money moves. Bound by
 * docs/service.md, Skill tiers and Order of a call.
 */
import type { Principal } from '../../access/principal.ts'
import { wordedFaults } from '../../call/argument-faults.ts'
import type { CallTerms } from '../../call/execute.ts'
import { mirroredParams, mirrorFault } from '../../call/mirrored-params.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { checkTarget } from '../../request/check-target.ts'
import { withDefaults } from '../../request/default-arguments.ts'
import { draftRequest, type RequestDraft } from '../../request/draft-request.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import type { CallableRecord, Candidates, Skill } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { resolve } from '../../skills/visible.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { type DraftedRequest, openInput } from './input-state.ts'
import type { LoadedSecrets, SecretsFailure } from './loaded-secrets.ts'

/** A validated call: its user, its skill, and its request, complete except for the secrets. */
export type ReadyCall = {
  readonly callId: string
  readonly principal: Principal
  readonly profile: Profile
  readonly record: CallableRecord
  readonly skill: Skill
  readonly draft: RequestDraft
  /** As they were checked. */
  readonly args: JsonObject
  /** Of the state that the call brings back, which is good for one call. */
  readonly stateHash?: string | undefined
  /** Loading since before the hold. Undefined when the skill names none. */
  readonly secrets: Promise<Result<LoadedSecrets, SecretsFailure>> | undefined
  readonly startedAtMs: number
  readonly deadlineMs: number
  /** The minute in which the call was counted, and its user entered for the sweep. */
  readonly enteredMinute: number
}

/** The skill that the name means, and the request that the arguments make. Reads no store. */
export async function validateCall(
  ports: ExecuteNeeds,
  settings: Settings,
  candidates: Candidates,
  request: DraftedRequest,
): Promise<Result<ValidCall>> {
  const named = callableSkill(settings, candidates, request.body.skill)
  return named.ok ? draftCall(ports, settings, named.value, request) : named
}

/** The skill that the name means, if it can be called. */
export function callableSkill(
  settings: Settings,
  candidates: Candidates,
  name: string,
): Result<Pick<ReadyCall, 'record' | 'skill'>> {
  const record = resolve(candidates)
  if (record === undefined) {
    return refuse(
      'unknown_skill',
      `skill: there is no skill named ${JSON.stringify(name.slice(0, 128))} for this key. tools/list shows the tools that exist.`,
    )
  }
  const runnable = runnableSkill(settings, record)
  if (!runnable.ok) return err(withHidden(runnable.error, candidates))
  const skill = runnable.value
  const enabled = checkEnabled(record, skill)
  return enabled.ok ? ok({ record, skill }) : err(withHidden(enabled.error, candidates))
}

/** A private skill takes precedence whether it can be called or not; its owner is told what it hides. */
function withHidden(refusal: Refusal, found: Candidates): Refusal {
  const hidden = found.official ?? found.market
  if (found.private === undefined || hidden === undefined) return refusal
  const { skillId, source } = hidden
  const more = `It is a skill of this user, and hides the ${source} skill ${skillId}; an administrator can correct or delete it.`
  return { ...refusal, detail: `${refusal.detail} ${more}` }
}

/** The skill of a record; refuses one that this build cannot run. */
export function runnableSkill({ prefix }: Settings, record: CallableRecord): Result<Skill> {
  const read = readStoredSkill(record, prefix)
  if (!read.ok) return cannotRun(record, read.error.detail)
  const { skill } = read.value
  return isRunnable(skill) ? ok(skill) : cannotRun(record, skill.notYet.join('; '))
}

export function checkEnabled({ toolName }: CallableRecord, skill: Skill): Result<undefined> {
  if (skill.state !== 'disabled') return ok(undefined)
  const why = skill.stateReason === undefined ? '' : ` ${skill.stateReason}`
  return refuse('forbidden', `skill: ${toolName} is disabled.${why} It was not charged.`)
}

type ValidCall = Pick<ReadyCall, 'args' | 'draft' | 'record' | 'skill' | 'stateHash'>

/** The request that the arguments make of a skill, whether it is enabled or not. */
export async function draftCall(
  ports: Pick<ExecuteNeeds, 'clock' | 'digests' | 'schemas' | 'seals'>,
  settings: Settings,
  { record, skill }: Pick<ReadyCall, 'record' | 'skill'>,
  request: DraftedRequest,
): Promise<Result<ValidCall>> {
  // Before the hold: patterns that cannot be loaded cost no credits.
  await openSchemas(ports, skill)
  const mirrored = checkMirrored(skill, request.body.arguments, request.terms)
  if (!mirrored.ok) return mirrored
  const check = (args: Json) => ports.schemas.faults(skill.parameters, args)
  const faults = check(request.body.arguments)
  if (faults.length > 0) {
    const detail = `arguments: do not fit the parameters of ${record.toolName}.`
    const worded = wordedFaults(request.body.arguments, faults, check)
    return refuse('invalid_arguments', detail, { faults: worded })
  }
  const input = openInput(ports, request, record.toolName)
  if (!input.ok) return input
  // Defaults come after the check: a caller's arguments are judged as they were sent.
  const args = withDefaults(skill.parameters, request.body.arguments)
  const draft = draftRequest(skill, args, input.value?.fills)
  if (!draft.ok) return draft
  const target = checkEndpoint(skill, draft.value.url, settings)
  const stateHash = input.value?.stateHash
  return target.ok ? ok({ record, skill, draft: draft.value, args, stateHash }) : err(target.error)
}

function cannotRun({ skillId }: CallableRecord, why: string) {
  return refuse(
    'invalid_skill',
    `skill: ${skillId} cannot run in this build: ${why}. It was not charged.`,
  )
}

/** The answer is checked after the call is paid, so its schema is opened here as well. */
async function openSchemas(
  { schemas }: Pick<ExecuteNeeds, 'schemas'>,
  { outputSchema, parameters }: Skill,
): Promise<void> {
  await schemas.open(parameters)
  if (outputSchema !== undefined) await schemas.open(outputSchema)
}

type Validation = { readonly outboundAllow: readonly string[]; readonly target: Result<URL> }

/** Keyed weakly by the skill, so that this cache keeps no skill alive. */
const checked = new WeakMap<Skill, Validation>()

/**
 * Judged once per skill: scheme, host and port are the author's, since no template may stand
 * there. Each URL is judged again when it is sent.
 */
function checkEndpoint(skill: Skill, url: string, { outboundAllow }: Settings): Result<URL> {
  const cached = checked.get(skill)
  if (cached?.outboundAllow === outboundAllow) return cached.target
  const target = checkTarget(url, { outboundAllow })
  checked.set(skill, { outboundAllow, target })
  return target
}

/**
 * Applies to MCP revisions that mirror arguments in headers; other callers send no such headers.
 */
function checkMirrored(
  { parameters }: Skill,
  args: JsonObject,
  terms: CallTerms | undefined,
): Result<undefined> {
  if (terms?.paramHeaders === undefined) return ok(undefined)
  const fault = mirrorFault(mirroredParams(parameters), args, terms.paramHeaders)
  return fault === undefined ? ok(undefined) : refuse('header_mismatch', fault)
}
