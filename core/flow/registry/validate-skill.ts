/**
 * Validates a skill by its text alone: its form, its name, its schemas, its endpoint, and the
 * options of its hooks. Reads no store and writes nothing. Bound by docs/service.md, Skill formats
 * and Skill sync.
 */

import { err, type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { isFunctionListed } from '../../json/function-name.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { findCertainClashes } from '../../request/certain-clashes.ts'
import { findAccessError, findHostError } from '../../request/check-signing.ts'
import { checkTarget } from '../../request/check-target.ts'
import type { Settings } from '../../settings.ts'
import { findClearSecrets } from '../../skills/definition/clear-secrets.ts'
import {
  type MarkdownDefaults,
  makeDefinition,
  withLineNumbers,
} from '../../skills/definition/markdown-skill.ts'
import {
  isOpenApi,
  isOpenApiText,
  OPENAPI_REFUSAL,
} from '../../skills/definition/openapi-document.ts'
import { type ReadSkill, readSkill } from '../../skills/definition/read-skill.ts'
import { detectFormat } from '../../skills/definition/skill-format.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import type { Skill, SkillSource } from '../../skills/skill.ts'
import { checkSchemas } from './check-schemas.ts'
import { addFaults, findPartFaults } from './part-faults.ts'

export type ValidateSkillNeeds = Pick<Ports, 'schemas' | 'skillMarkdown'> & {
  /** Only `optionFaults`, which checks options and sends nothing. */
  readonly hooks: Pick<Hooks, 'optionFaults'>
}

type SkillText = {
  readonly text: string
  readonly source: SkillSource | undefined
  readonly uid: string | undefined
  /** If true, probable mistakes (`slips`) are errors. */
  readonly strict?: boolean | undefined
  /** Credentials in the clear are errors, unless the author says that everybody may read them. */
  readonly clearSecrets?: 'allow' | undefined
  /** Price and description for a Markdown skill of the earlier service, which may have neither. */
  readonly defaults?: MarkdownDefaults | undefined
}

/**
 * Reads a skill from JSON or Markdown. Refuses with `invalid_skill` or `malformed`. Errors of a
 * Markdown skill name its lines.
 */
export async function validateSkill(
  ports: ValidateSkillNeeds,
  settings: Settings,
  request: SkillText,
): Promise<Result<ReadSkill>> {
  if (isOpenApiText(request.text)) return OPENAPI_REFUSAL
  if (detectFormat(request.text) === 'unified-json') {
    const definition = parseJson(request.text)
    return definition.ok
      ? validateDefinition(ports, settings, request, definition.value)
      : definition
  }
  const parts = await ports.skillMarkdown.read(request.text)
  if (!parts.ok) return parts
  const definition = makeDefinition(parts.value, settings.prefix, request.defaults)
  if (!definition.ok) return definition
  const validated = validateDefinition(ports, settings, request, definition.value)
  return validated.ok ? validated : err(withLineNumbers(validated.error, parts.value))
}

/**
 * Validates a parsed definition. The refusal has all errors at once: those of fields, schemas,
 * target, hook options and names.
 */
export function validateDefinition(
  ports: ValidateSkillNeeds,
  settings: Settings,
  request: SkillText,
  definition: Json,
): Result<ReadSkill> {
  if (isOpenApi(definition)) return OPENAPI_REFUSAL
  const source = request.source === undefined ? {} : { source: request.source }
  const { strict } = request
  const clear = findClearSecrets(definition)
  const refused = request.clearSecrets === 'allow' ? [] : clear
  const read = readSkill(definition, { prefix: settings.prefix, strict, ...source })
  if (!read.ok) {
    return addFaults(read.error, [...refused, ...findPartFaults(ports, settings, definition)])
  }
  const { skill, slips } = read.value
  const checks = [
    checkOwner(skill, request),
    checkSchemas(ports, skill),
    checkTarget(skill.endpoint, settings),
    checkSigning(skill, settings),
    checkHookOptions(ports, skill),
    checkNames(skill),
    checkClearSecrets(refused),
  ]
  const [first, ...more] = checks.flatMap((one) => (one.ok ? [] : [one.error]))
  if (first === undefined) {
    const warnings = clear.map(({ pointer }) => `${pointer}: ${IN_THE_CLEAR}`)
    const noticed = withNotices(ports, settings, read.value)
    return ok({ ...noticed, warnings: [...noticed.warnings, ...warnings] })
  }
  // A probable mistake may be the reason of another error, so that its author gets both.
  const mistakes = first.code === 'invalid_skill' ? slips : []
  return addFaults(first, [...more.flatMap(({ faults = [] }) => faults), ...mistakes])
}

const IN_THE_CLEAR = 'everybody who reads the skill can read this credential'

/**
 * Adds warnings about the parts of schemas that calls will not be checked against, and about a role
 * or a function that calls may not use yet.
 */
function withNotices(
  { schemas }: ValidateSkillNeeds,
  settings: Settings,
  read: ReadSkill,
): ReadSkill {
  const { lambda, outputSchema, parameters } = read.skill
  const under = (field: string, schema: JsonObject | undefined) =>
    (schema === undefined ? [] : schemas.notices(schema)).map(
      ({ message, pointer }) => `/meta/${field}${pointer}: ${message}`,
    )
  const notices = [...under('parameters', parameters), ...under('output_schema', outputSchema)]
  const { endpoint, signing } = read.skill
  const denied = signing === undefined ? undefined : findAccessError(endpoint, signing, settings)
  const access = denied === undefined ? [] : [`/config/auth: calls fail: the gateway ${denied}`]
  const { lambdaUpstreams } = settings
  const isUngranted =
    lambda !== undefined &&
    lambdaUpstreams !== undefined &&
    !isFunctionListed(lambdaUpstreams, lambda.functionName)
  const ungranted = isUngranted ? [writeUngranted(lambda.functionName)] : []
  return { ...read, warnings: [...read.warnings, ...notices, ...access, ...ungranted] }
}

/** A market skill is written by others, so it gets no role of the operator. */
function checkSigning(
  { endpoint, places = [], signing, source }: Skill,
  { outboundAllow }: Settings,
): Result<undefined> {
  if (signing === undefined) return ok(undefined)
  const taken = places.find((one) => one.in === 'header' && /^authorization$/i.test(one.name))
  if (taken !== undefined) {
    const pointer = `/config/arguments${toJsonPointer([taken.argument])}/name`
    return refuseSigning(pointer, 'is set by the signature of config.auth; give another name')
  }
  if (source === 'market')
    return refuseSigning('/config/auth', 'may not be sigv4 in a market skill')
  const rules = { outboundAllow }
  // checkTarget tells of an endpoint that no request may go to.
  if (!checkTarget(endpoint, rules).ok) return ok(undefined)
  const wrong = findHostError(endpoint, signing, rules)
  return wrong === undefined ? ok(undefined) : refuseSigning('/config/endpoint', wrong)
}

function refuseSigning(pointer: string, message: string): Result<undefined> {
  return refuse('invalid_skill', `The skill cannot be signed for AWS: ${pointer} ${message}.`, {
    faults: [{ pointer, message }],
  })
}

function writeUngranted(functionName: string): string {
  return `/config/lambda/function: ${functionName} is not in lambdaUpstreams of the stage, so the gateway has no right to invoke it, and calls fail; add ${JSON.stringify(functionName)} there and deploy`
}

function checkOwner({ source }: Skill, { uid }: SkillText): Result<undefined> {
  if (source === 'private' && uid === undefined) {
    return refuseFields('malformed', [NO_OWNER], { remedy: { code: 'name_owner' } })
  }
  if (source === 'private' || uid === undefined) return ok(undefined)
  const message = `goes with private skills only, and this one is ${source}; leave it out, or make the skill private`
  return refuseFields('malformed', [{ pointer: '/query/uid', message }])
}

const NO_OWNER = {
  pointer: '/query/uid',
  message: 'a private skill needs its owner',
}

function checkNames(skill: Skill): Result<undefined> {
  const faults = findCertainClashes(skill)
  const [first] = faults
  if (first === undefined) return ok(undefined)
  return refuse('invalid_skill', `Two names are the same: ${first.pointer} ${first.message}.`, {
    faults: faults.slice(0, FAULTS_MAX),
  })
}

function checkClearSecrets(faults: readonly FieldError[]): Result<undefined> {
  const [first] = faults
  if (first === undefined) return ok(undefined)
  return refuse('invalid_skill', `A secret is in the clear: ${first.pointer} ${first.message}.`, {
    faults: faults.slice(0, FAULTS_MAX),
  })
}

/** The options of a hook that this build does not have are not checked. */
function checkHookOptions({ hooks }: ValidateSkillNeeds, skill: Skill): Result<undefined> {
  const faults = skill.hooks.flatMap(({ name, options, optionsAt }) =>
    (hooks.optionFaults(name, options) ?? []).map((fault) => ({
      ...fault,
      pointer: `${optionsAt}${fault.pointer}`,
    })),
  )
  const [first] = faults
  if (first === undefined) return ok(undefined)
  return refuse('invalid_skill', `The options of a hook: ${first.pointer} ${first.message}.`, {
    faults: faults.slice(0, FAULTS_MAX),
  })
}
