/**
 * Answers that are MCP content: images and audio as blocks, and results that an upstream with
 * `response.as: "mcp"` wrote itself. Bytes cannot be masked, so data with a secret in its bytes is
 * refused. A secret inside compressed data is not found.
 */

import { MIME_TYPE_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { base64OfBytes } from '../json/base64.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { holdsRawNumber } from '../json/raw-number.ts'
import type { ContentBlock, ToolResult } from '../mcp/content.ts'
import { quotable, type UpstreamFailure } from './failure-text.ts'
import { INPUT_REQUIRED, type InputQuestions, readInputRequired } from './input-required.ts'
import { type Mask, NO_MASK } from './mask.ts'
import { readBlocks } from './read-blocks.ts'

/** `losesDigits`: its structured content was left out, since clients would change a number in it. */
export type MappedAnswer = ToolResult & { readonly losesDigits?: true }
type MappedResult = Result<MappedAnswer, UpstreamFailure>
type MappedMcpResult = Result<MappedAnswer, UpstreamFailure | InputQuestions>

export function withoutStructure(result: ToolResult): MappedAnswer {
  return { ...result, losesDigits: true }
}

/** `response` has a media type image/… or audio/…. */
export function mediaResult(response: UpstreamResponse, mask: Mask): MappedResult {
  const { body, mediaType: mimeType } = response
  if (mimeType.length > MIME_TYPE_CHARS_MAX) {
    return failed(`The upstream answered a media type of over ${MIME_TYPE_CHARS_MAX} characters.`)
  }
  if (holdsSecret(body, mask) || mask(mimeType) !== mimeType) return failed(SECRET_INSIDE)
  const type = mimeType.startsWith('image/') ? 'image' : 'audio'
  return ok({ content: [{ type, data: base64OfBytes(body), mimeType }], isError: false })
}

/**
 * `value` is already masked: base64 in which a secret was masked no longer decodes, and is refused.
 */
export function mcpResult(value: Json, mask: Mask): MappedMcpResult {
  if (!isJsonObject(value)) return notMcp('is not an object with content')
  switch (value['resultType']) {
    case undefined:
    case 'complete':
      return completeResult(value, mask)
    case INPUT_REQUIRED: {
      // A client would ask its user about another number.
      if (holdsRawNumber(value)) return notMcp('asks with a number that a double cannot hold')
      const questions = readInputRequired(value)
      return questions.ok ? err(questions.value) : notMcp(questions.error)
    }
    default:
      return notMcp(`at /resultType is not complete or ${INPUT_REQUIRED}`)
  }
}

function completeResult({ content, isError = false, structuredContent }: JsonObject, mask: Mask) {
  const blocks = readBlocks(content)
  if (!blocks.ok) return notMcp(`at ${blocks.error.pointer} ${blocks.error.message}`)
  if (typeof isError !== 'boolean') return notMcp('at /isError is not true or false')
  if (isError) return err({ detail: errorText(blocks.value, mask), isReported: true as const })
  if (blocks.value.some((block) => blockHoldsSecret(block, mask))) return failed(SECRET_INSIDE)
  const text = structuredContent === undefined ? NOTHING : JSON.stringify(structuredContent)
  const result: ToolResult = {
    content: blocks.value.length > 0 ? blocks.value : [{ type: 'text', text }],
    isError: false,
  }
  if (structuredContent === undefined) return ok(result)
  return ok(
    holdsRawNumber(structuredContent) ? withText(result, text) : { ...result, structuredContent },
  )
}

/** The upstream's own blocks may hold less than its structured content. */
function withText(result: ToolResult, text: string): MappedAnswer {
  const isThere = result.content.some((block) => block.type === 'text' && block.text === text)
  const content = isThere ? result.content : [...result.content, { type: 'text', text } as const]
  return withoutStructure({ ...result, content })
}

/** A model that reads an empty result calls again. */
const NOTHING = 'The tool succeeded and returned no content.'
const SECRET_INSIDE =
  'The upstream answered data that holds a secret of this call, so it is not passed on.'

function errorText(blocks: readonly ContentBlock[], mask: Mask): string {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const message = quotable(texts.join(' '), mask)
  return message === '' ? 'The tool reported an error.' : `The tool reported an error: ${message}`
}

function blockHoldsSecret(block: ContentBlock, mask: Mask): boolean {
  if (mask === NO_MASK) return false
  const data = dataOf(block)
  if (data === undefined) return false
  return holdsSecret(
    Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
    mask,
  )
}

function dataOf(block: ContentBlock): string | undefined {
  if (block.type === 'image' || block.type === 'audio') return block.data
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : undefined
}

const UTF8 = new TextDecoder('utf-8')

function holdsSecret(bytes: Uint8Array, mask: Mask): boolean {
  if (mask === NO_MASK) return false
  const text = UTF8.decode(bytes)
  return mask(text) !== text
}

function notMcp(why: string): MappedResult {
  return failed(`The skill expects an MCP result, but the upstream's answer ${why}.`)
}

function failed(detail: string): MappedResult {
  return err({ detail })
}
