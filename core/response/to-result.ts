/**
 * Turns an upstream's answer into a tool result, or into the reason why there is none (and no
 * charge). Every 2xx that can be read as the skill asks is a success unless `fail_if` of the skill says
 * otherwise, and so is a status of its `ok_statuses`; everything else is a failure of the upstream. No
 * secret of the call is in the output. Bound by
 * docs/service.md, Response mapping.
 */

import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { exactJson } from '../json/changed-numbers.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { atPointer } from '../json/json-pointer.ts'
import { JSON_NAMES_MAX, JSON_PARTS_MAX } from '../json/limits.ts'
import { parseText } from '../json/parse-json.ts'
import { holdsRawNumber, isRawNumber } from '../json/raw-number.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { FailCondition, Skill } from '../skills/skill.ts'
import { type AnswerText, conditionText, failingCondition } from './fail-if.ts'
import { badStatusText, oneLine, type UpstreamFailure, upstreamQuote } from './failure-text.ts'
import { withHttpNote } from './http-note.ts'
import type { InputQuestions } from './input-required.ts'
import { type Mask, maskJson, NO_MASK } from './mask.ts'
import { type MappedAnswer, mcpResult, mediaResult, withoutStructure } from './media-result.ts'
import { bodyKind, readBodyText } from './read-body.ts'

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
>

export function toResult(
  response: UpstreamResponse,
  skill: ResponseMapping,
  mask: Mask = NO_MASK,
): MappedResult {
  const { status } = response
  const isSuccess = status >= 200 && status <= 299
  if (!isSuccess && skill.okStatuses?.includes(status) !== true) {
    return err({ detail: badStatusText(response, mask) })
  }
  const reading = isSuccess ? skill : asWhole(skill)
  const mapped =
    response.body.length === 0 ? empty(status, reading) : bodyResult(response, reading, mask)
  if (mapped.ok) return ok(withHttpNote(mapped.value, response, skill, mask))
  if (asksForInput(mapped.error)) return mapped
  // A detail may quote the upstream too: a pointer into its answer, a media type.
  return err({ ...mapped.error, detail: oneLine(mask(mapped.error.detail)) })
}

/** An answer of `ok_statuses` seldom has the form of a success, so it is taken as it is. */
function asWhole(skill: ResponseMapping): ResponseMapping {
  const responseAs = skill.responseAs === 'text' ? 'text' : 'auto'
  return { ...skill, responseAs, responsePick: undefined }
}

export function asksForInput(error: UpstreamFailure | InputQuestions): error is InputQuestions {
  return 'inputRequests' in error
}

function empty(
  status: number,
  { method, responseAs, responsePick }: ResponseMapping,
): MappedResult {
  if (method === 'HEAD') return ok(textResult(`The upstream answered ${status}.`))
  const text = `The upstream answered ${status} with an empty body`
  if (responsePick !== undefined) return failed(`${text}, where ${picks(responsePick)}.`)
  if (responseAs === 'mcp') return failed(`${text}, where the skill expects an MCP result.`)
  return ok(textResult(`${text}.`))
}

function bodyResult(response: UpstreamResponse, skill: ResponseMapping, mask: Mask): MappedResult {
  const { responseAs, responsePick } = skill
  const kind = bodyKind(response.mediaType)
  const isAuto = responseAs === 'auto'
  if (isAuto && kind === 'media' && responsePick === undefined) return mediaResult(response, mask)
  if (isAuto && (kind === 'media' || kind === 'binary')) return failed(binaryText(response))
  const isStrict = responseAs === 'json' || responseAs === 'mcp' || kind === 'unknown'
  const text = readBodyText(response, isStrict)
  if (!text.ok) return failed(`The upstream answered ${response.status}, but ${text.error.detail}.`)
  const answer = answerText(text.value)
  const failing = failingCondition(answer, skill.failIf)
  if (failing !== undefined) {
    return err({ detail: failIfText(failing, response, mask), isReported: true })
  }
  const isText = responseAs === 'text' || (isAuto && kind === 'text' && responsePick === undefined)
  if (isText) return ok(textResult(mask(text.value)))
  return parsedResult(answer, response, skill, mask)
}

const ANSWER_LIMITS = {
  subject: 'the answer',
  parts: { partsMax: JSON_PARTS_MAX, namesMax: JSON_NAMES_MAX },
  repeatedNames: 'last',
} as const

export function answerText(text: string): AnswerText {
  let parsed: Result<Json> | undefined
  return {
    text,
    parsed: () => {
      const read = parsed ?? parseText(text, ANSWER_LIMITS)
      parsed ??= read.ok ? ok(exactJson(text, read.value)) : read
      return parsed
    },
  }
}

function failIfText(condition: FailCondition, response: UpstreamResponse, mask: Mask): string {
  const why = `which response.fail_if of the skill calls a failure: ${conditionText(condition)}`
  const quote = upstreamQuote(response, mask)
  const addition = quote === '' ? '' : ` It said: ${quote}`
  return `The upstream answered ${response.status}, ${why}.${addition}`
}

/**
 * Under `auto`, JSON that is nested too deep for clients, or has more parts than the process has memory for, is passed on
 * as text, like text that is not JSON.
 */
function parsedResult(
  answer: AnswerText,
  { mediaType }: UpstreamResponse,
  skill: ResponseMapping,
  mask: Mask,
): MappedResult {
  const { responseAs, responsePick } = skill
  const { text } = answer
  const parsed = answer.parsed()
  if (!parsed.ok) {
    if (responseAs === 'auto' && responsePick === undefined) return ok(textResult(mask(text)))
    const [why = ''] = parsed.error.detail.replace(/^the answer: /, 'the answer ').split('; ')
    return failed(
      `The skill expects JSON, but the upstream sent ${mediaType || 'no type'}: ${why}.`,
    )
  }
  if (responsePick === undefined) {
    return valueResult(parsed.value, { text, write: JSON.stringify }, skill, mask)
  }
  const picked = atPointer(parsed.value, responsePick)
  if (picked === undefined) {
    return failed(
      `The upstream's answer has nothing at ${responsePick}, which response.pick of the skill names.`,
    )
  }
  return valueResult(picked, { text: writePicked(picked), write: writePicked }, skill, mask)
}

/** A text picked out of JSON is passed on without its quotes. */
function writePicked(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The upstream's own text is passed on, so that no digit of a number is lost. When a secret was
 * masked in the value, the text is written from the value, so that both agree.
 */
function valueResult(
  value: Json,
  { text, write }: { readonly text: string; write(value: Json): string },
  { outputSchema, responseAs }: ResponseMapping,
  mask: Mask,
): MappedResult {
  const masked = maskJson(value, mask)
  if (responseAs === 'mcp') return mcpResult(masked, mask)
  const result = textResult(mask(masked === value ? text : write(masked)))
  // Most revisions can carry only objects; other values are sent only if the skill declares a schema.
  const isObject = isJsonObject(masked) && !isRawNumber(masked)
  const isStructured = isObject || outputSchema !== undefined
  if (!isStructured) return ok(result)
  // A client would parse the digits away and show a model, or send back, another number.
  if (holdsRawNumber(masked)) return ok(withoutStructure(result))
  return ok({ ...result, structuredContent: masked })
}

function picks(pointer: string): string {
  return `the skill picks ${pointer} of JSON`
}

function binaryText({ body, mediaType }: UpstreamResponse): string {
  return (
    `The upstream answered ${mediaType} (${body.length} bytes): such data cannot be passed on. ` +
    'The skill has to ask it for JSON, text, an image or audio.'
  )
}

function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false }
}

function failed(detail: string): MappedResult {
  return err({ detail })
}
