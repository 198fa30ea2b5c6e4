/**
 * Names arguments that a tool has no parameter for, in words for the model that sent them. A schema
 * with `additionalProperties: false` has already refused them. With any other schema they are sent
 * to the upstream, or dropped if the skill writes its body itself. So a model that misspelt an
 * optional argument gets the answer to another question; this note tells it. Reads the names of the
 * arguments, not their values. Bound by docs/service.md, Tool calls, and ADR 0109.
 */
import type { Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { sendsRest } from '../../request/draft-request.ts'
import { type CallableSkill, getRequestPlan } from '../../request/request-plan.ts'
import { readObjectAt } from '../../request/skill-names.ts'
import { toOneLine } from '../../response/failure-text.ts'
import { allowsMoreArguments } from '../../skills/definition/likely-mistakes.ts'
import type { CheckedAnswer, NoResult } from './check-result.ts'

/** Arguments that the note names: a model corrects these and calls again. */
export const UNKNOWN_NAMED_MAX = 5
/** UTF-16 units of each name in the note. */
export const UNKNOWN_NAME_UNITS_MAX = 64

/**
 * Adds the note as the last text of an answer, and to the detail of a failure that the arguments
 * may have caused. Returns the same result if the tool has a parameter for each argument.
 */
export function withUnknownArguments(
  result: Result<CheckedAnswer, NoResult>,
  skill: CallableSkill,
  args: JsonObject,
): Result<CheckedAnswer, NoResult> {
  if (!result.ok && !mayBeTheArguments(result.error)) return result
  const note = noteUnknown(skill, args)
  if (note === undefined) return result
  if (result.ok) {
    const content = [...result.value.content, { type: 'text' as const, text: note }]
    return { ok: true, value: { ...result.value, content } }
  }
  if ('inputRequests' in result.error) return result
  const { detail } = result.error
  return { ok: false, error: { ...result.error, detail: `${detail} ${note}` } }
}

/**
 * Returns false for failures such as a wrong secret, a broken connection or an unreadable answer.
 */
function mayBeTheArguments(failure: NoResult): boolean {
  if ('inputRequests' in failure || failure.code !== 'upstream_failed') return false
  return failure.upstreamFault === undefined || failure.upstreamFault === 'reported'
}

function noteUnknown(skill: CallableSkill, args: JsonObject): string | undefined {
  const { endpoint, named } = getRequestPlan(skill)
  const properties = readObjectAt(skill.parameters, 'properties')
  const unknown = Object.keys(args).filter(
    (name) => !Object.hasOwn(properties, name) && !named.has(name) && !endpoint.used.has(name),
  )
  if (unknown.length === 0) return undefined
  if (!sendsRest(skill, getRequestPlan(skill))) {
    return `Note of the gateway: ignored: ${namesText(unknown)}. This tool has no such parameter, so it was not sent.`
  }
  // The author lets callers send more than the schema names, or names no parameters in it at all.
  if (allowsMoreArguments(skill.parameters) || skill.parameters['properties'] === undefined)
    return undefined
  return `Note of the gateway: sent, but probably ignored: ${namesText(unknown)}. This tool has no such parameter.`
}

function namesText(names: readonly string[]): string {
  const shown = names
    .slice(0, UNKNOWN_NAMED_MAX)
    .map((name) => toOneLine(name.slice(0, UNKNOWN_NAME_UNITS_MAX).toWellFormed()))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
