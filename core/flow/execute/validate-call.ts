/**
 * Finds the skill of a call and validates the arguments: refuses a bad call before money moves.
 * Bound by docs/service.md, Skill tiers and Order of a call.
 */
import type { Principal } from '../../access/principal.ts'
import { explainArgumentErrors } from '../../call/argument-faults.ts'
import type { CallTerms } from '../../call/execute.ts'
import { checkMirroredParams, findMirroredParams } from '../../call/mirrored-params.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { Hold, Profile } from '../../ledger/ledger.ts'
import { checkTarget } from '../../request/check-target.ts'
import { withDefaults } from '../../request/default-arguments.ts'
import { draftRequest, type RequestDraft } from '../../request/draft-request.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import type { CallableRecord, Candidates, Skill } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { toToolKey } from '../../skills/tool-name.ts'
import { resolve } from '../../skills/visible.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { type DraftedRequest, openInput } from './input-state.ts'
import type { LoadedSecrets, SecretsFailure } from './loaded-secrets.ts'
import type { ListedCandidates } from './read-for-call.ts'
import { findScopeRefusal } from './refuse-scope.ts'

/** A validated call: its user, its skill, and its request, complete except for the secrets. */
export type ReadyCall = {
  readonly callId: string
  readonly principal: Principal
  readonly profile: Profile
  readonly record: CallableRecord
  readonly skill: Skill
  /** The prefix of the gateway's own tools, for texts that name one. */
  readonly prefix: string
  readonly draft: RequestDraft
  /** The checked arguments, with the defaults of the parameters. */
  readonly args: JsonObject
  /** Hash of the state that the call brings back. A state is valid for one call. */
  readonly stateHash?: string | undefined
  /** Being loaded since before the hold. Undefined if the skill names no secrets. */
  readonly secrets: Promise<Result<LoadedSecrets, SecretsFailure>> | undefined
  readonly startedAtMs: number
  readonly deadlineMs: number
  /** The hold with which a task goes on; undefined for a call that places its own. */
  readonly standing?: Hold | undefined
  /** When the hold of a task is stale; undefined for a call. */
  readonly untilMs?: number | undefined
  /** The minute in which the call was counted and its user got a sweep entry. */
  readonly enteredMinute: number
}

/** Finds the skill of the name and drafts its request from the arguments. Reads no store. */
export async function validateCall(
  ports: ExecuteNeeds,
  settings: Settings,
  candidates: ListedCandidates,
  {
    principal,
    request,
  }: { readonly principal: Principal; readonly request: Omit<DraftedRequest, 'sealingKey'> },
): Promise<Result<ValidCall>> {
  const named = findSkillInScope(settings, candidates, request.body.skill, principal)
  if (!named.ok) return named
  const { sealingKey } = principal
  return draftCall(ports, settings, named.value, { ...request, sealingKey })
}

/**
 * Like {@link findCallableSkill}, for a call with this key. Also refuses with `key_scope`. The
 * scope is compared with the listed name, never with the name that was sent, which may be an id
 * without its prefix or an earlier name.
 */
export function findSkillInScope(
  settings: Settings,
  candidates: ListedCandidates,
  name: string,
  { scope }: Pick<Principal, 'scope'>,
): Result<Pick<ReadyCall, 'record' | 'skill'>> {
  const named = findCallableSkill(settings, candidates, name)
  if (!named.ok || scope === undefined) return named
  const { record, skill } = named.value
  const { priceMicroCredits } = skill
  const tool = { name: toListedName(settings, record, candidates.listedAs), priceMicroCredits }
  const refusal = findScopeRefusal(scope, tool)
  return refusal === undefined ? named : err(refusal)
}

/** A private skill keeps its own name even if the list has a shared entry for its id. */
function toListedName(
  { prefix }: Pick<Settings, 'prefix'>,
  { source, toolName }: CallableRecord,
  listedAs: string | undefined,
): string {
  return source === 'private' ? toolName : (listedAs ?? toToolKey(prefix, toolName))
}

/** Returns the skill of the name. Refuses with `unknown_skill`, `invalid_skill` or `forbidden`. */
export function findCallableSkill(
  settings: Settings,
  candidates: Candidates,
  name: string,
): Result<Pick<ReadyCall, 'record' | 'skill'>> {
  const record = resolve(candidates)
  if (record === undefined) {
    return refuse(
      'unknown_skill',
      `skill: there is no skill named ${JSON.stringify(name.slice(0, 128))} for this key. The tool list and the search show the tools that exist.`,
    )
  }
  const runnable = readRunnableSkill(settings, record)
  if (!runnable.ok) return err(nameHidden(runnable.error, candidates))
  const skill = runnable.value
  const enabled = checkEnabled(record, skill)
  return enabled.ok ? ok({ record, skill }) : err(nameHidden(enabled.error, candidates))
}

/**
 * A private skill takes precedence even if it cannot be called. So its refusal names the skill that
 * it hides.
 */
function nameHidden(refusal: Refusal, found: Candidates): Refusal {
  const hidden = found.official ?? found.market
  if (found.private === undefined || hidden === undefined) return refusal
  const { skillId, source } = hidden
  const more = `It is a skill of this user, and hides the ${source} skill ${skillId}; an administrator can correct or delete it.`
  return { ...refusal, detail: `${refusal.detail} ${more}` }
}

/** Reads the skill of a record. Refuses a skill that this build cannot run with `invalid_skill`. */
export function readRunnableSkill({ prefix }: Settings, record: CallableRecord): Result<Skill> {
  const read = readStoredSkill(record, prefix)
  if (!read.ok) return refuseToRun(record, read.error.detail)
  const { skill } = read.value
  return isRunnable(skill) ? ok(skill) : refuseToRun(record, skill.notYet.join('; '))
}

/** Refuses a disabled skill with `forbidden`. */
export function checkEnabled({ toolName }: CallableRecord, skill: Skill): Result<undefined> {
  if (skill.state !== 'disabled') return ok(undefined)
  const why = skill.stateReason === undefined ? '' : ` ${skill.stateReason}`
  return refuse('forbidden', `skill: ${toolName} is disabled.${why} It was not charged.`)
}

type ValidCall = Pick<ReadyCall, 'args' | 'draft' | 'prefix' | 'record' | 'skill' | 'stateHash'>

/**
 * Checks the arguments and drafts the request, whether the skill is enabled or not. Refuses with
 * `invalid_arguments`, `header_mismatch`, `input_state_invalid` or the refusals of the target.
 */
export async function draftCall(
  ports: Pick<ExecuteNeeds, 'clock' | 'digests' | 'schemas' | 'seals'>,
  settings: Settings,
  { record, skill }: Pick<ReadyCall, 'record' | 'skill'>,
  request: DraftedRequest,
): Promise<Result<ValidCall>> {
  // Opened before the hold: schemas that cannot be loaded cost no credits.
  await openSchemas(ports, skill)
  const mirrored = checkMirrored(skill, request.body.arguments, request.terms)
  if (!mirrored.ok) return mirrored
  const check = (args: Json) => ports.schemas.faults(skill.parameters, args)
  const faults = check(request.body.arguments)
  if (faults.length > 0) {
    const detail = `arguments: do not fit the parameters of ${record.toolName}.`
    const worded = explainArgumentErrors(request.body.arguments, faults, check)
    return refuse('invalid_arguments', detail, { faults: worded })
  }
  const input = openInput(ports, request, record.toolName)
  if (!input.ok) return input
  // Defaults are added after the check, so that errors describe the arguments as they were sent.
  const args = withDefaults(skill.parameters, request.body.arguments)
  const draft = draftRequest(skill, args, input.value?.fills)
  if (!draft.ok) return draft
  const target = checkEndpoint(skill, draft.value.url, settings)
  const stateHash = input.value?.stateHash
  if (!target.ok) return err(target.error)
  const { prefix } = settings
  return ok({ record, skill, prefix, draft: draft.value, args, stateHash })
}

function refuseToRun({ skillId }: CallableRecord, why: string) {
  return refuse(
    'invalid_skill',
    `skill: ${skillId} cannot run in this build: ${why}. It was not charged.`,
  )
}

/** Also opens the schema of the answer, since the answer is checked when the price is on hold. */
async function openSchemas(
  { schemas }: Pick<ExecuteNeeds, 'schemas'>,
  { outputSchema, parameters }: Skill,
): Promise<void> {
  await schemas.open(parameters)
  if (outputSchema !== undefined) await schemas.open(outputSchema)
}

type CheckedTarget = { readonly outboundAllow: readonly string[]; readonly target: Result<URL> }

/** A weak map, so that this cache keeps no skill alive. */
const checkedTargets = new WeakMap<Skill, CheckedTarget>()

/**
 * Checks the target once per skill: scheme, host and port come from the author, since no template
 * is allowed there. The adapter checks each URL again when it is sent.
 */
function checkEndpoint(skill: Skill, url: string, { outboundAllow }: Settings): Result<URL> {
  const cached = checkedTargets.get(skill)
  if (cached?.outboundAllow === outboundAllow) return cached.target
  const target = checkTarget(url, { outboundAllow })
  checkedTargets.set(skill, { outboundAllow, target })
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
  const fault = checkMirroredParams(findMirroredParams(parameters), args, terms.paramHeaders)
  return fault === undefined ? ok(undefined) : refuse('header_mismatch', fault)
}
