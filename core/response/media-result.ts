/**
 * Makes results of answers that are MCP content, which an upstream with `response.as: "mcp"` wrote
 * itself.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { hasRawNumber } from '../json/raw-number.ts'
import type { ContentBlock, ToolResult } from '../mcp/content.ts'
import type { Skill } from '../skills/skill.ts'
import { type AnswerData, holdsSecret, SECRET_INSIDE, toEncodedBlock } from './answer-data.ts'
import { toQuote, type UpstreamFailure } from './failure-text.ts'
import { INPUT_REQUIRED, type InputQuestions, readInputRequired } from './input-required.ts'
import { type Mask, NO_MASK } from './mask.ts'
import { readBlocks } from './read-blocks.ts'
import { rewriteLinks } from './upstream-links.ts'

/**
 * `losesDigits`: clients would change a number in the structured content, so it was left out.
 * `data`: bytes that come before the content, once they are encoded or kept.
 */
export type MappedAnswer = ToolResult & {
  readonly losesDigits?: true
  readonly data?: AnswerData
}
type MappedResult = Result<MappedAnswer, UpstreamFailure>
type MappedMcpResult = Result<MappedAnswer, UpstreamFailure | InputQuestions>

/** Marks a result whose structured content was left out. */
export function markLostDigits(result: ToolResult): MappedAnswer {
  return { ...result, losesDigits: true }
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

/** `mcp`: the tool of an MCP server whose result it is; `uri` names data in the result itself. */
type ErrorTerms = { readonly mcp: Skill['mcp'] | undefined; readonly uri: string }

function toCompleteResult(
  { content, isError = false, structuredContent }: JsonObject,
  mask: Mask,
  { mcp, uri }: ErrorTerms,
) {
  const blocks = readBlocks(
    mcp === undefined ? content : rewriteLinks(content, mcp),
    mcp?.upstreamId,
  )
  if (!blocks.ok) return refuseAsMcp(`at ${blocks.error.pointer} ${blocks.error.message}`)
  if (typeof isError !== 'boolean') return refuseAsMcp('at /isError is not true or false')
  const isFree = isError && mcp?.chargesErrors !== true
  if (isFree) return err({ detail: writeErrorText(blocks.value, mask), isReported: true as const })
  if (blocks.value.some((block) => blockHoldsSecret(block, mask)))
    return failUpstream(SECRET_INSIDE)
  const text = structuredContent === undefined ? NOTHING : JSON.stringify(structuredContent)
  const result: ToolResult = {
    content: blocks.value.length > 0 ? toSeenBlocks(blocks.value, uri) : [{ type: 'text', text }],
    isError,
  }
  if (structuredContent === undefined) return ok(result)
  return ok(
    hasRawNumber(structuredContent) ? withText(result, text) : { ...result, structuredContent },
  )
}

function toSeenBlocks(blocks: readonly ContentBlock[], uri: string): readonly ContentBlock[] {
  return blocks.map((block, index) =>
    block.type === 'image' ? toEncodedBlock(block.data, block.mimeType, `${uri}/${index}`) : block,
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

function refuseAsMcp(why: string): MappedResult {
  return failUpstream(`The skill expects an MCP result, but the upstream's answer ${why}.`)
}

function failUpstream(detail: string): MappedResult {
  return err({ detail })
}
