/**
 * Converts an upstream's answer to a tool result, or to the reason why there is no result and no
 * charge. An answer is a success if its status is 2xx or one of the skill's `ok_statuses`, its body
 * has the form that the skill expects, and no condition of `fail_if` is true. Every other answer is
 * a failure of the upstream. The output contains no secret of the call. Bound by docs/service.md,
 * Response mapping.
 */
import { MCP_ERROR_TYPE, type UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { withRawNumbers } from '../json/changed-numbers.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { readPointer } from '../json/json-pointer.ts'
import { JSON_NAMES_MAX, JSON_PARTS_MAX, TEXT_BYTES_MAX } from '../json/limits.ts'
import { parseText } from '../json/parse-json.ts'
import { hasRawNumber, isRawNumber } from '../json/raw-number.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { FailCondition, Skill } from '../skills/skill.ts'
import { isTextType, readAnswerData } from './answer-data.ts'
import { type AnswerText, findFailingCondition, writeCondition } from './fail-if.ts'
import {
  quoteUpstream,
  toOneLine,
  toQuote,
  type UpstreamFailure,
  writeBadStatus,
} from './failure-text.ts'
import { withHttpNote } from './http-note.ts'
import type { InputQuestions } from './input-required.ts'
import { type Mask, maskJson, NO_MASK } from './mask.ts'
import { type MappedAnswer, markLostDigits, toMcpError, toMcpResult } from './media-result.ts'
import {
  type BodyKind,
  findBodyKind,
  looksLikeText,
  readBodyText,
  toSafeLabel,
  toUtf8,
} from './read-body.ts'

/** An error is a failure, or the questions that the upstream asks first. */
type MappedResult = Result<MappedAnswer, UpstreamFailure | InputQuestions>
type ResponseMapping = Pick<
  Skill,
  | 'responseAs'
  | 'responsePick'
  | 'method'
  | 'outputSchema'
  | 'failIf'
  | 'okStatuses'
  | 'shownHeaders'
  | 'mcp'
>

/**
 * Converts an answer. Texts of results and errors are masked. `uri` names data that is in the
 * result itself.
 */
export function toResult(
  response: UpstreamResponse,
  skill: ResponseMapping,
  mask: Mask = NO_MASK,
  uri = 'skillgate://answer',
): MappedResult {
  const { failure, status } = response
  const isSuccess = status >= 200 && status <= 299
  if (failure !== undefined) {
    const reported = isSuccess ? { isReported: true as const } : {}
    return err({ detail: toQuote(failure.detail, mask), ...reported })
  }
  if (!isSuccess && skill.okStatuses?.includes(status) !== true) {
    return err({ detail: writeBadStatus(response, mask) })
  }
  const mapping = isSuccess ? skill : withoutPick(skill)
  const mapped =
    response.body.length === 0
      ? mapEmpty(status, mapping)
      : mapBody(response, mapping, { mask, uri })
  if (mapped.ok) return ok(withHttpNote(mapped.value, response, skill, mask))
  if (asksForInput(mapped.error)) return mapped
  // A detail may quote the upstream: a pointer into its answer, a media type.
  return err({ ...mapped.error, detail: toOneLine(mask(mapped.error.detail)) })
}

/**
 * An answer of `ok_statuses` seldom has the form of a success, so it is not parsed or picked from.
 */
function withoutPick(skill: ResponseMapping): ResponseMapping {
  const responseAs = skill.responseAs === 'text' ? 'text' : 'auto'
  return { ...skill, responseAs, responsePick: undefined }
}

export function asksForInput(error: UpstreamFailure | InputQuestions): error is InputQuestions {
  return 'inputRequests' in error
}

function mapEmpty(
  status: number,
  { method, responseAs, responsePick }: ResponseMapping,
): MappedResult {
  if (method === 'HEAD') return ok(toTextResult(`The upstream answered ${status}.`))
  const text = `The upstream answered ${status} with an empty body`
  if (responsePick !== undefined)
    return failUpstream(`${text}, where ${explainPick(responsePick)}.`)
  if (responseAs === 'mcp') return failUpstream(`${text}, where the skill expects an MCP result.`)
  return ok(toTextResult(`${text}.`))
}

/** The mask of a call's secrets, and the URI of data in its result. */
type How = { readonly mask: Mask; readonly uri: string }

function mapBody(response: UpstreamResponse, skill: ResponseMapping, how: How): MappedResult {
  const { responseAs, responsePick } = skill
  const { mask } = how
  if (response.body.length > TEXT_BYTES_MAX) return mapLong(response, skill, mask)
  const kind = toTextKind(response, findBodyKind(response.mediaType))
  const isAuto = responseAs === 'auto'
  if (isAuto && (kind === 'media' || kind === 'binary')) {
    return responsePick === undefined
      ? toData(response, mask)
      : failUpstream(explainBinary(response))
  }
  return mapText(response, skill, how, kind)
}

function mapText(
  response: UpstreamResponse,
  skill: ResponseMapping,
  how: How,
  kind: BodyKind,
): MappedResult {
  const { responseAs, responsePick } = skill
  const { mask } = how
  const isAuto = responseAs === 'auto'
  const isStrict = responseAs === 'json' || responseAs === 'mcp' || kind === 'unknown'
  const text = readBodyText(response, isStrict)
  if (!text.ok) {
    if (isAuto && kind === 'unknown' && responsePick === undefined) return toData(response, mask)
    return failUpstream(`The upstream answered ${response.status}, but ${text.error.detail}.`)
  }
  const answer = makeAnswerText(text.value)
  const failing = findFailingCondition(answer, skill.failIf)
  if (failing !== undefined) {
    return err({ detail: writeFailIf(failing, response, mask), isReported: true })
  }
  const isText = responseAs === 'text' || (isAuto && kind === 'text' && responsePick === undefined)
  if (isText) return ok(toTextResult(mask(text.value)))
  return mapJson(answer, response, skill, how)
}

/** A body of a type that names no text is read as one without a type if it looks like text. */
function toTextKind(response: UpstreamResponse, kind: BodyKind): BodyKind {
  return kind === 'binary' && looksLikeText(response) ? 'unknown' : kind
}

/**
 * Maps an answer that is too long to be parsed or picked from. A push refuses skills that would
 * need that (core/skills/definition/read-response.ts).
 */
function mapLong(
  response: UpstreamResponse,
  { failIf, responseAs, responsePick }: ResponseMapping,
  mask: Mask,
): MappedResult {
  const isRaw = responseAs === 'auto' || responseAs === 'text'
  if (isRaw && responsePick === undefined && failIf === undefined) {
    const { body, charset, mediaType } = response
    const isText = isTextType(mediaType)
    const bytes = isText ? toUtf8(body, charset) : body
    if (bytes !== undefined) return toData({ body: bytes, mediaType }, mask)
    return failUpstream(
      `The upstream answered text in the unknown charset ${toSafeLabel(charset)}.`,
    )
  }
  return failUpstream(
    `The upstream answered ${response.body.length} bytes; the gateway reads at most ${TEXT_BYTES_MAX} bytes as JSON.`,
  )
}

function toData(response: Pick<UpstreamResponse, 'body' | 'mediaType'>, mask: Mask): MappedResult {
  const data = readAnswerData(response, mask)
  return data.ok ? ok({ content: [], isError: false, data: data.value }) : data
}

const ANSWER_LIMITS = {
  subject: 'the answer',
  parts: { partsMax: JSON_PARTS_MAX, namesMax: JSON_NAMES_MAX },
  repeatedNames: 'last',
} as const

/** Returns a body's text, which is parsed only if it is needed. */
export function makeAnswerText(text: string): AnswerText {
  let parsed: Result<Json> | undefined
  return {
    text,
    parsed: () => {
      const read = parsed ?? parseText(text, ANSWER_LIMITS)
      parsed ??= read.ok ? ok(withRawNumbers(text, read.value)) : read
      return parsed
    },
  }
}

function writeFailIf(condition: FailCondition, response: UpstreamResponse, mask: Mask): string {
  const why = `which response.fail_if of the skill calls a failure: ${writeCondition(condition)}`
  const quote = quoteUpstream(response, mask)
  const addition = quote === '' ? '' : ` It said: ${quote}`
  return `The upstream answered ${response.status}, ${why}.${addition}`
}

/**
 * Maps an answer that should be JSON. With `auto`, text that is not JSON is passed on as text, and
 * so is JSON that is nested too deep for clients or has too many parts for the function's memory.
 */
function mapJson(
  answer: AnswerText,
  { mediaType }: UpstreamResponse,
  skill: ResponseMapping,
  how: How,
): MappedResult {
  const { mcp, responseAs, responsePick } = skill
  const { text } = answer
  const { mask } = how
  const parsed = answer.parsed()
  if (mcp !== undefined && mediaType === MCP_ERROR_TYPE && parsed.ok) {
    return toMcpError(parsed.value, mask)
  }
  if (!parsed.ok) {
    if (responseAs === 'auto' && responsePick === undefined) return ok(toTextResult(mask(text)))
    const [why = ''] = parsed.error.detail.replace(/^the answer: /, 'the answer ').split('; ')
    return failUpstream(
      `The skill expects JSON, but the upstream sent ${mediaType || 'no type'}: ${why}.`,
    )
  }
  if (responsePick === undefined) {
    return mapValue(parsed.value, { text, write: JSON.stringify }, skill, how)
  }
  const picked = readPointer(parsed.value, responsePick)
  if (picked === undefined) {
    return failUpstream(
      `The upstream's answer has nothing at ${responsePick}, which response.pick of the skill names.`,
    )
  }
  return mapValue(picked, { text: writePicked(picked), write: writePicked }, skill, how)
}

/** Writes a picked string without its quotes. */
function writePicked(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Passes on the upstream's own text, so that no digit of a number is lost. If a secret was masked
 * in the value, the text is written from the value, so that text and value agree.
 */
function mapValue(
  value: Json,
  { text, write }: { readonly text: string; write(value: Json): string },
  { mcp, outputSchema, responseAs }: ResponseMapping,
  { mask, uri }: How,
): MappedResult {
  const masked = maskJson(value, mask)
  if (responseAs === 'mcp') return toMcpResult(masked, mask, { mcp, uri })
  const result = toTextResult(mask(masked === value ? text : write(masked)))
  // Most revisions allow only objects; other values are sent only if the skill declares a schema.
  const isObject = isJsonObject(masked) && !isRawNumber(masked)
  const isStructured = isObject || outputSchema !== undefined
  if (!isStructured) return ok(result)
  // A client that parses the number would lose digits, and show or send back another number.
  if (hasRawNumber(masked)) return ok(markLostDigits(result))
  return ok({ ...result, structuredContent: masked })
}

function explainPick(pointer: string): string {
  return `the skill picks ${pointer} of JSON`
}

function explainBinary({ body, mediaType }: UpstreamResponse): string {
  return (
    `The upstream answered ${mediaType} (${body.length} bytes), where the skill picks a part of JSON. ` +
    'The skill has to ask it for JSON, or name no response.pick.'
  )
}

function toTextResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false }
}

function failUpstream(detail: string): MappedResult {
  return err({ detail })
}
