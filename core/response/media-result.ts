/**
 * Makes results of answers that are MCP content: images and audio, and results that an upstream
 * with `response.as: "mcp"` wrote itself. Bytes cannot be masked, so data with a secret in its
 * bytes is refused. A secret inside compressed data is not found.
 */
import { MIME_TYPE_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { encodeBase64 } from '../json/base64.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { hasRawNumber } from '../json/raw-number.ts'
import type { ContentBlock, ToolResult } from '../mcp/content.ts'
import type { Skill } from '../skills/skill.ts'
import { toQuote, type UpstreamFailure } from './failure-text.ts'
import { INPUT_REQUIRED, type InputQuestions, readInputRequired } from './input-required.ts'
import { type Mask, NO_MASK } from './mask.ts'
import { readBlocks } from './read-blocks.ts'

/** `losesDigits`: clients would change a number in the structured content, so it was left out. */
export type MappedAnswer = ToolResult & { readonly losesDigits?: true }
type MappedResult = Result<MappedAnswer, UpstreamFailure>
type MappedMcpResult = Result<MappedAnswer, UpstreamFailure | InputQuestions>

/** Marks a result whose structured content was left out. */
export function markLostDigits(result: ToolResult): MappedAnswer {
  return { ...result, losesDigits: true }
}

/** Makes an image or audio block. The answer's media type is image/… or audio/…. */
export function toMediaResult(response: UpstreamResponse, mask: Mask): MappedResult {
  const { body, mediaType: mimeType } = response
  if (mimeType.length > MIME_TYPE_CHARS_MAX) {
    return failUpstream(
      `The upstream answered a media type of over ${MIME_TYPE_CHARS_MAX} characters.`,
    )
  }
  if (holdsSecret(body, mask) || mask(mimeType) !== mimeType) return failUpstream(SECRET_INSIDE)
  const type = mimeType.startsWith('image/') ? 'image' : 'audio'
  return ok({ content: [{ type, data: encodeBase64(body), mimeType }], isError: false })
}

/**
 * Makes a result of the upstream's MCP result. `value` is masked already: base64 with a masked
 * secret cannot be decoded, and is refused.
 */
export function toMcpResult(value: Json, mask: Mask, how: ErrorTerms): MappedMcpResult {
  if (!isJsonObject(value)) return refuseAsMcp('is not an object with content')
  switch (value['resultType']) {
    case undefined:
    case 'complete':
      return toCompleteResult(value, mask, how)
    case INPUT_REQUIRED: {
      // A client would show its user another number.
      if (hasRawNumber(value)) return refuseAsMcp('asks with a number that a double cannot hold')
      const questions = readInputRequired(value)
      return questions.ok ? err(questions.value) : refuseAsMcp(questions.error)
    }
    default:
      return refuseAsMcp(`at /resultType is not complete or ${INPUT_REQUIRED}`)
  }
}

/** `mcp`: the tool of an MCP server whose result it is. */
type ErrorTerms = { readonly mcp: Skill['mcp'] | undefined }

function toCompleteResult(
  { content, isError = false, structuredContent }: JsonObject,
  mask: Mask,
  { mcp }: ErrorTerms,
) {
  const blocks = readBlocks(content)
  if (!blocks.ok) return refuseAsMcp(`at ${blocks.error.pointer} ${blocks.error.message}`)
  if (typeof isError !== 'boolean') return refuseAsMcp('at /isError is not true or false')
  const isFree = isError && mcp?.chargesErrors !== true
  if (isFree) return err({ detail: writeErrorText(blocks.value, mask), isReported: true as const })
  if (blocks.value.some((block) => blockHoldsSecret(block, mask)))
    return failUpstream(SECRET_INSIDE)
  const text = structuredContent === undefined ? NOTHING : JSON.stringify(structuredContent)
  const result: ToolResult = {
    content: blocks.value.length > 0 ? blocks.value : [{ type: 'text', text }],
    isError,
  }
  if (structuredContent === undefined) return ok(result)
  return ok(
    hasRawNumber(structuredContent) ? withText(result, text) : { ...result, structuredContent },
  )
}

/** Makes a failure of the error with which an MCP server answered a call. */
export function toMcpError(value: Json, mask: Mask): MappedResult {
  const { code, message } = isJsonObject(value) ? value : {}
  const said = typeof message === 'string' ? toQuote(message, mask) : ''
  const what =
    code === INVALID_PARAMS
      ? 'The MCP server did not accept the call or its arguments'
      : `The MCP server answered the error ${String(code)}`
  return err({ detail: said === '' ? `${what}.` : `${what}: ${said}`, isReported: true })
}

const INVALID_PARAMS = -32602

/** Adds the value as text: the upstream's blocks may have less than its structured content. */
function withText(result: ToolResult, text: string): MappedAnswer {
  const hasText = result.content.some((block) => block.type === 'text' && block.text === text)
  const content = hasText ? result.content : [...result.content, { type: 'text', text } as const]
  return markLostDigits({ ...result, content })
}

/** A model that reads an empty result would call the tool again. */
const NOTHING = 'The tool succeeded and returned no content.'
const SECRET_INSIDE =
  'The upstream answered data that holds a secret of this call, so it is not passed on.'

function writeErrorText(blocks: readonly ContentBlock[], mask: Mask): string {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const message = toQuote(texts.join(' '), mask)
  return message === '' ? 'The tool reported an error.' : `The tool reported an error: ${message}`
}

function blockHoldsSecret(block: ContentBlock, mask: Mask): boolean {
  if (mask === NO_MASK) return false
  const data = findData(block)
  if (data === undefined) return false
  return holdsSecret(
    Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
    mask,
  )
}

function findData(block: ContentBlock): string | undefined {
  if (block.type === 'image' || block.type === 'audio') return block.data
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : undefined
}

const UTF8 = new TextDecoder('utf-8')

function holdsSecret(bytes: Uint8Array, mask: Mask): boolean {
  if (mask === NO_MASK) return false
  const text = UTF8.decode(bytes)
  return mask(text) !== text
}

function refuseAsMcp(why: string): MappedResult {
  return failUpstream(`The skill expects an MCP result, but the upstream's answer ${why}.`)
}

function failUpstream(detail: string): MappedResult {
  return err({ detail })
}
