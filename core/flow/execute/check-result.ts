/**
 * Turns an upstream's answer into a result that fits the skill's output schema, questions for the
 * caller's client, or a failure. Moves no money. Bound by docs/service.md, Response mapping, and
 * ADR 0027.
 */
import { findMissingCapabilities } from '../../call/client-capabilities.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { type ErrorCode, err, ok, type Result } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports/ports.ts'
import { type AnswerData, toAnswerUri } from '../../response/answer-data.ts'
import { makeExcerpt } from '../../response/excerpt.ts'
import { quoteUpstream, toOneLine, type UpstreamFailure } from '../../response/failure-text.ts'
import type { InputQuestions } from '../../response/input-required.ts'
import type { Mask } from '../../response/mask.ts'
import type { MappedAnswer } from '../../response/media-result.ts'
import { asksForInput, toResult } from '../../response/to-result.ts'
import { classifyStatus, type StatusFailure } from '../../response/upstream-fault.ts'
import type { ShownLink } from '../../secrets/secret-link.ts'
import type { Skill } from '../../skills/skill.ts'
import { isSafeMethod, MAY_HAVE_RUN } from './work-done.ts'

export type CallFailure = StatusFailure & {
  readonly code: ErrorCode & RefundReason
  readonly detail: string
  /** The capabilities that the client lacks; set with `client_capability_missing`. */
  readonly requiredCapabilities?: JsonObject
  /** Where the user sets the missing secrets; set with `secret_missing` if there is such a page. */
  readonly link?: ShownLink
  /** The start of the upstream's answer, masked; for administrators, never for the caller. */
  readonly excerpt?: string
}

/** The reason for a missing result: the call failed, or the upstream requests input first. */
export type NoResult = CallFailure | InputQuestions

/**
 * `outside`: the service answered, but not as the output schema promises, and the result says so.
 * Such a result is an error: clients discard a success that lacks promised structured content.
 */
export type CheckedAnswer = PlacedAnswer & {
  /** Bytes that come before the content, once they are encoded or kept. */
  readonly data?: AnswerData
}
export type PlacedAnswer = ToolResult & { readonly outside?: true }
/** What carries a result: keep-result.ts keeps what it does not carry. */
export type ResultRoom = {
  /** Bytes of the result as JSON. */
  readonly jsonBytesMax: number
  /** False if the door's revision has no structured content. */
  readonly carriesStructure: boolean
}

type CheckedResult = Result<CheckedAnswer, NoResult>

type ResultTerms = {
  /** The kinds of questions that the caller's client has declared it can answer. */
  readonly capabilities: JsonObject
  readonly mask: Mask
  readonly args: Json
  readonly nowMs: number
  readonly sentSecrets: boolean
  readonly callId: string
}

/** Returns the result, the questions, or a failure with the start of the upstream's answer. */
export function checkResult(
  ports: Pick<Ports, 'schemas'>,
  response: UpstreamResponse,
  skill: Skill,
  terms: ResultTerms,
): CheckedResult {
  const checked = check(ports, response, skill, terms)
  if (checked.ok || 'inputRequests' in checked.error) return checked
  return err({ ...checked.error, excerpt: makeExcerpt(response, terms) })
}

function check(
  ports: Pick<Ports, 'schemas'>,
  response: UpstreamResponse,
  skill: Skill,
  terms: ResultTerms,
): CheckedResult {
  const mapped = toResult(response, skill, terms.mask, toAnswerUri(terms.callId))
  if (mapped.ok) {
    const { outputSchema } = skill
    // A tool that reports an error promises no structured content.
    return outputSchema === undefined || mapped.value.isError
      ? mapped
      : ok(checkOutput(ports, outputSchema, mapped.value, response))
  }
  if (asksForInput(mapped.error)) return checkClient(mapped.error, terms.capabilities)
  const fault = faultOf(response, mapped.error, terms)
  const isDone = fault.upstreamFault === 'unreadable' && !isSafeMethod(skill.method)
  const detail = isDone
    ? mapped.error.detail + writeWorkDone(response, terms.mask)
    : mapped.error.detail
  return err({ code: 'upstream_failed', detail, ...fault })
}

/** The quoted answer may be the only trace of the work, such as an id or a link. */
function writeWorkDone(response: UpstreamResponse, mask: Mask): string {
  const quote = quoteUpstream(response, mask)
  return ` ${MAY_HAVE_RUN}${quote === '' ? '' : ` It said: ${quote}`}`
}

function faultOf(
  response: UpstreamResponse,
  { isReported }: UpstreamFailure,
  terms: ResultTerms,
): StatusFailure {
  // Checked before the status: `ok_statuses` may name statuses outside 2xx.
  if (isReported === true) return { upstreamFault: 'reported' }
  if (response.failure !== undefined) return classifyFailure(response, terms)
  if (response.status < 200 || response.status > 299) return classifyStatus(response, terms)
  return { upstreamFault: 'unreadable' }
}

/** The upstream says what failed; its status says only how long to wait. */
function classifyFailure(response: UpstreamResponse, terms: ResultTerms): StatusFailure {
  const { retryAfterSec } = classifyStatus(response, terms)
  const upstreamFault = response.failure?.upstreamFault
  return {
    ...(upstreamFault === undefined ? {} : { upstreamFault }),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  }
}

/**
 * The upstream has done the work, so an answer that does not fit is shown as text and charged like
 * one that fits. Without the answer the model would do the work again. Without the charge a caller
 * who can cause such answers would call for free.
 */
function checkOutput(
  { schemas }: Pick<Ports, 'schemas'>,
  outputSchema: JsonObject,
  result: MappedAnswer,
  { status }: UpstreamResponse,
): CheckedAnswer {
  const { content, data, losesDigits, structuredContent } = result
  if (data !== undefined) return { ...toOutsideResult(content, status, NO_STRUCTURE), data }
  if (losesDigits === true) return toOutsideResult(content, status, LOSES_DIGITS)
  if (structuredContent === undefined) return toOutsideResult(content, status, NO_STRUCTURE)
  const [fault] = schemas.faults(outputSchema, structuredContent)
  if (fault === undefined) return result
  const where = fault.pointer === '' ? '' : ` at ${toOneLine(fault.pointer)}`
  const why = `its answer does not fit the output schema of this tool:${where} ${toOneLine(fault.message)}`
  return toOutsideResult(content, status, why)
}

const LOSES_DIGITS =
  'its answer has numbers with more digits than clients keep in structured content; copy them from the text'
const NO_STRUCTURE =
  'its answer has no structured content, which the output schema of this tool promises'

function toOutsideResult(
  content: ToolResult['content'],
  status: number,
  why: string,
): CheckedAnswer {
  const isDone = status >= 200 && status <= 299
  const did = isDone ? `did the work and answered ${status}` : `answered ${status}`
  const how = content.length === 0 ? '' : ' as text'
  const again = isDone ? ' Do not call again to repeat the work.' : ''
  const text = `The service ${did}, but ${why}. The whole answer follows${how}.${again}`
  return { content: [{ type: 'text', text }, ...content], isError: true, outside: true }
}

function checkClient(questions: InputQuestions, capabilities: JsonObject): CheckedResult {
  const missing = findMissingCapabilities(questions, capabilities)
  if (missing === undefined) return err(questions)
  const names = Object.keys(missing).join(', ')
  return err({
    code: 'client_capability_missing',
    detail: `This tool needs input from the client before it can answer, and the client has not declared that it can give any (${names}). The call was not charged.`,
    requiredCapabilities: missing,
  })
}
