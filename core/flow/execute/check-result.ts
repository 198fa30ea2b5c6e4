/**
 * Judges an upstream's answer: a result that keeps what the skill promises, questions for the
 * caller's client, or a failure. Moves no money. Bound by docs/service.md, Response mapping, and
 * ADR 0027.
 */
import { missingCapabilities } from '../../call/client-capabilities.ts'
import { excerptOf } from '../../call/excerpt.ts'
import { oneLine, type UpstreamFailure } from '../../call/failure-text.ts'
import type { InputQuestions } from '../../call/input-required.ts'
import type { Mask } from '../../call/mask.ts'
import { asksForInput, toResult } from '../../call/to-result.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { type StatusFault, statusFault } from '../../call/upstream-fault.ts'
import { type ErrorCode, err, ok, type Result } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports.ts'
import type { Skill } from '../../skills/skill.ts'

export type Failure = StatusFault & {
  readonly code: ErrorCode & RefundReason
  readonly detail: string
  /** The capabilities that the client lacks; set with `client_capability_missing`. */
  readonly requiredCapabilities?: JsonObject
  /** The start of the upstream's answer, masked; for administrators, never for the caller. */
  readonly excerpt?: string
}

/** Why there is no result: the call failed, or the upstream asks for input first. */
export type NoResult = Failure | InputQuestions

type CheckedResult = Result<ToolResult, NoResult>

type ResultTerms = {
  /** The kinds of questions that the caller's client has declared it can answer. */
  readonly capabilities: JsonObject
  readonly mask: Mask
  readonly args: Json
  readonly nowMs: number
  readonly sentSecrets: boolean
}

export function checkResult(
  ports: Pick<Ports, 'schemas'>,
  response: UpstreamResponse,
  skill: Skill,
  terms: ResultTerms,
): CheckedResult {
  const checked = check(ports, response, skill, terms)
  if (checked.ok || 'inputRequests' in checked.error) return checked
  return err({ ...checked.error, excerpt: excerptOf(response, terms) })
}

function check(
  ports: Pick<Ports, 'schemas'>,
  response: UpstreamResponse,
  skill: Skill,
  terms: ResultTerms,
): CheckedResult {
  const mapped = toResult(response, skill, terms.mask)
  if (mapped.ok) {
    return skill.outputSchema === undefined
      ? mapped
      : checkOutput(ports, skill.outputSchema, mapped.value)
  }
  if (asksForInput(mapped.error)) return checkClient(mapped.error, terms.capabilities)
  const { detail } = mapped.error
  return err({ code: 'upstream_failed', detail, ...faultOf(response, mapped.error, terms) })
}

function faultOf(
  response: UpstreamResponse,
  { isReported }: UpstreamFailure,
  terms: ResultTerms,
): StatusFault {
  // First: a status that the skill takes as an answer may be one that is no success.
  if (isReported === true) return { upstreamFault: 'reported' }
  if (response.status < 200 || response.status > 299) return statusFault(response, terms)
  return { upstreamFault: 'unreadable' }
}

/** Clients discard a result that does not fit the output schema in the tool list. */
function checkOutput(
  { schemas }: Pick<Ports, 'schemas'>,
  outputSchema: JsonObject,
  result: ToolResult,
): CheckedResult {
  const { structuredContent } = result
  if (structuredContent === undefined) {
    return promiseBroken(
      'has no structured content, which meta.output_schema of the skill promises',
    )
  }
  const [fault] = schemas.faults(outputSchema, structuredContent)
  if (fault === undefined) return ok(result)
  const where = fault.pointer === '' ? '' : ` at ${oneLine(fault.pointer)}`
  return promiseBroken(
    `does not fit meta.output_schema of the skill:${where} ${oneLine(fault.message)}`,
  )
}

function promiseBroken(problem: string): CheckedResult {
  const detail = `The upstream's answer ${problem}.`
  return err({ code: 'upstream_failed', upstreamFault: 'unreadable', detail })
}

function checkClient(questions: InputQuestions, capabilities: JsonObject): CheckedResult {
  const missing = missingCapabilities(questions, capabilities)
  if (missing === undefined) return err(questions)
  const names = Object.keys(missing).join(', ')
  return err({
    code: 'client_capability_missing',
    detail: `This tool needs input from the client before it can answer, and the client has not declared that it can give any (${names}). The call was not charged.`,
    requiredCapabilities: missing,
  })
}
