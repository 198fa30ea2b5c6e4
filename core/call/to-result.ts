/**
 * Turns an upstream's answer into a tool result, or into the reason why there is none (and no
 * charge). Every 2xx that can be read as the skill asks is a success, whatever it says; everything
 * else is a failure of the upstream. No secret of the call is in the output. Bound by
 * docs/service.md, Response mapping.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { atPointer } from '../json/json-pointer.ts'
import { parseText } from '../json/parse-json.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { Skill } from '../skills/skill.ts'
import { badStatusText, oneLine, type UpstreamFailure } from './failure-text.ts'
import type { InputAsked } from './input-required.ts'
import { type Mask, NO_MASK } from './mask.ts'
import { maskJson } from './mask-json.ts'
import { mcpResult, mediaResult } from './media-result.ts'
import { bodyKind, readBodyText } from './read-body.ts'
import type { UpstreamResponse } from './upstream.ts'

/** An error is a failure, or the questions that the upstream asks first. */
type MappedResult = Result<ToolResult, UpstreamFailure | InputAsked>
type ResponseMapping = Pick<Skill, 'responseAs' | 'responsePick' | 'method' | 'outputSchema'>

export function toResult(
  response: UpstreamResponse,
  skill: ResponseMapping,
  mask: Mask = NO_MASK,
): MappedResult {
  const { status } = response
  if (status < 200 || status > 299) return err({ detail: badStatusText(response, mask) })
  const mapped =
    response.body.length === 0 ? empty(status, skill) : bodyResult(response, skill, mask)
  if (mapped.ok || isAsked(mapped.error)) return mapped
  // A detail may quote the upstream too: a pointer into its answer, a media type.
  return err({ ...mapped.error, detail: oneLine(mask(mapped.error.detail)) })
}

export function isAsked(error: UpstreamFailure | InputAsked): error is InputAsked {
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
  const isText = responseAs === 'text' || (isAuto && kind === 'text' && responsePick === undefined)
  if (isText) return ok(textResult(mask(text.value)))
  return parsedResult(text.value, response, skill, mask)
}

/**
 * Under `auto`, JSON that is nested too deep for clients is passed on as text, like text that is
 * not JSON.
 */
function parsedResult(
  text: string,
  { mediaType }: UpstreamResponse,
  skill: ResponseMapping,
  mask: Mask,
): MappedResult {
  const { responseAs, responsePick } = skill
  const parsed = parseText(text, { what: 'the answer' })
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
    return failed(`The upstream's answer has nothing at ${responsePick}, which ${PICKED}.`)
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
  // Most revisions can carry only objects; other values are sent only if the skill declares a
  // schema.
  const isStructured = isJsonObject(masked) || outputSchema !== undefined
  return ok(isStructured ? { ...result, structuredContent: masked } : result)
}

const PICKED = 'response.pick of the skill names'

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
