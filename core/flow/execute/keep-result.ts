/**
 * Puts an answer where its caller gets it: into the result, or, if the result would be too large
 * for its door or the skill says so, into the store of kept results. Then the result has its head,
 * its size and a link that only its user can read, for an hour. Bound by ADR 0122.
 *
 *   upstream answered ─▶ put ✔ ─▶ answer ─▶ settle   a charged call always has its bytes
 *   upstream answered ─▶ put ✘ ─▶ refund ─▶ answer   bytes that arrived anyway: nobody gets their id
 *   cut by deadline, caller or void during the put   the same; the bytes are over after an hour
 *   a repeat under an Idempotency-Key                gets the first answer, with the same link
 */
import { KEPT_RESULT_MS, RESULT_ID_BYTES, toResultUri } from '../../archive/kept-result.ts'
import { INLINE_BYTES_MAX, RESULT_HEAD_CHARS } from '../../call/limits.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import { countJsonBytes } from '../../json/text-bytes.ts'
import type { ContentBlock, ToolResult } from '../../mcp/content.ts'
import {
  type AnswerData,
  isTextType,
  toAnswerUri,
  toDataBlock,
} from '../../response/answer-data.ts'
import type { Skill } from '../../skills/skill.ts'
import type { CallFailure, CheckedAnswer, PlacedAnswer } from './check-result.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { ResultRoom } from './result-room.ts'
import type { ReadyCall } from './validate-call.ts'
import { isSafeMethod, MAY_HAVE_RUN } from './work-done.ts'

type Needs = Pick<ExecuteNeeds, 'clock' | 'ids' | 'keptResults' | 'log'>

type Placing = {
  readonly answer: CheckedAnswer
  readonly call: Pick<ReadyCall, 'callId' | 'prefix' | 'principal' | 'record' | 'skill'>
  readonly response: Pick<UpstreamResponse, 'mediaType'>
  readonly room: ResultRoom
}

/** Never throws. The failure of a store that cannot keep the answer is the call's. */
export async function keepOrInline(
  ports: Needs,
  placing: Placing,
): Promise<Result<PlacedAnswer, CallFailure>> {
  const { answer, call, room } = placing
  const { data, ...result } = answer
  const inline = data === undefined ? result : toInline(placing, data)
  const mustKeep = call.skill.responseKeep === 'always'
  if (inline !== undefined && !mustKeep && fits(inline, room)) return ok(inline)
  try {
    return ok(
      data === undefined || inline !== undefined
        ? await keepBlocks(ports, placing, inline ?? result)
        : await keepData(ports, placing, data),
    )
  } catch (cause) {
    const { callId, skill } = call
    ports.log.note('error', 'result-not-kept', { callId, skillId: skill.skillId }, cause)
    return err(toNotKept(skill))
  }
}

/** Undefined if the data is too long, which is known before it is encoded. */
function toInline({ answer, call, room }: Placing, data: AnswerData): PlacedAnswer | undefined {
  const { length } = data.bytes
  const isLong = length > INLINE_BYTES_MAX || (length / 3) * 4 > room.jsonBytesMax
  if (isLong || call.skill.responseKeep === 'always') return undefined
  const { data: _encoded, ...result } = answer
  const block = toDataBlock(data, toAnswerUri(call.callId))
  return { ...result, content: [block, ...result.content] }
}

function fits(
  { content, structuredContent }: ToolResult,
  { carriesStructure, jsonBytesMax }: ResultRoom,
): boolean {
  if (jsonBytesMax === Number.POSITIVE_INFINITY) return true
  const bytes = countBlocks(content, jsonBytesMax)
  if (!carriesStructure || structuredContent === undefined) return bytes <= jsonBytesMax
  return bytes + countJsonBytes(structuredContent, jsonBytesMax) <= jsonBytesMax
}

function countBlocks(content: readonly ContentBlock[], bytesMax: number): number {
  return content.reduce((sum, block) => sum + countJsonBytes(block, bytesMax) + 1, 0)
}

async function keepData(ports: Needs, placing: Placing, data: AnswerData): Promise<PlacedAnswer> {
  const { data: _kept, ...result } = placing.answer
  const kept = await keep(ports, placing, data)
  return { ...result, content: [...kept, ...result.content] }
}

/** Keeps the longest blocks until the rest fits; one at least if the skill says `always`. */
async function keepBlocks(
  ports: Needs,
  placing: Placing,
  { structuredContent, ...result }: PlacedAnswer,
): Promise<PlacedAnswer> {
  const { call, room } = placing
  const textType = toTextType(placing, structuredContent !== undefined)
  const parts = result.content.map((block) => ({
    bytes: countJsonBytes(block, Number.POSITIVE_INFINITY),
    data: toData(block, textType),
    blocks: [block],
  }))
  let isFirst = true
  for (const part of [...parts].sort((a, b) => b.bytes - a.bytes)) {
    const mustKeep = isFirst && call.skill.responseKeep === 'always'
    if (!mustKeep && fits({ ...result, content: parts.flatMap(({ blocks }) => blocks) }, room))
      break
    isFirst = false
    if (part.data !== undefined) part.blocks = [...(await keep(ports, placing, part.data))]
  }
  const content = parts.flatMap(({ blocks }) => blocks)
  const isPromised = call.skill.outputSchema !== undefined && result.isError === false
  return isPromised ? toOutside(content) : { ...result, content }
}

/** Clients refuse a success without the structured content that its tool promises. */
function toOutside(content: readonly ContentBlock[]): PlacedAnswer {
  return { content: [{ type: 'text', text: NO_STRUCTURE }, ...content], isError: true }
}

const NO_STRUCTURE =
  'The service did the work, but its answer is too long for the structured content that this tool promises. It follows as a link. Do not call again to repeat the work.'

/** The type of a text block: that of the answer, if the block has the whole answer. */
function toTextType({ call, response }: Placing, isStructured: boolean): string {
  const { responseAs, responsePick } = call.skill
  if (isStructured) return 'application/json'
  const isWhole = responseAs !== 'mcp' && responsePick === undefined
  return isWhole && isTextType(response.mediaType) ? response.mediaType : 'text/plain'
}

const ENCODER = new TextEncoder()

/** The bytes of a block; undefined for a link. */
function toData(block: ContentBlock, textType: string): AnswerData | undefined {
  switch (block.type) {
    case 'text':
      return { mimeType: textType, bytes: ENCODER.encode(block.text) }
    case 'image':
    case 'audio':
      return { mimeType: block.mimeType, bytes: decodeBase64(block.data) }
    case 'resource': {
      const { mimeType = 'text/plain', ...resource } = block.resource
      return 'text' in resource
        ? { mimeType, bytes: ENCODER.encode(resource.text) }
        : { mimeType, bytes: decodeBase64(resource.blob) }
    }
    case 'resource_link':
      return undefined
    default:
      return block satisfies never
  }
}

function decodeBase64(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
}

/** Keeps the bytes, and returns the blocks that lead to them. Throws `Fault` if the store fails. */
async function keep(
  { clock, ids, keptResults }: Needs,
  { call }: Placing,
  { bytes, mimeType }: AnswerData,
): Promise<readonly ContentBlock[]> {
  const resultId = ids.token(RESULT_ID_BYTES)
  const { uid } = call.principal
  const expiresAtMs = clock.nowMs() + KEPT_RESULT_MS
  await keptResults.put({ uid, resultId, mimeType, expiresAtMs, bytes })
  const uri = toResultUri(resultId)
  const text =
    `The answer has ${bytes.length} bytes of ${mimeType} and is kept for one hour. ` +
    `Read it with the tool ${call.prefix}_read_result: {"uri":"${uri}"}.${writeHead(bytes, mimeType)}`
  return [
    { type: 'text', text },
    { type: 'resource_link', uri, name: call.record.toolName, mimeType },
  ]
}

const UTF8 = new TextDecoder('utf-8')

function writeHead(bytes: Uint8Array, mimeType: string): string {
  if (!isTextType(mimeType)) return ''
  // A character has four bytes at most, and the last one may be cut.
  const text = UTF8.decode(bytes.subarray(0, RESULT_HEAD_CHARS * 4))
  const head = text.slice(0, RESULT_HEAD_CHARS).replace(/[\ud800-\udbff\ufffd]$/, '')
  return ` It begins:\n${head}`
}

function toNotKept({ method }: Skill): CallFailure {
  const did = isSafeMethod(method) ? '' : ` ${MAY_HAVE_RUN}`
  const detail = `The answer of the service is too long for a result and could not be kept.${did}`
  return { code: 'internal', detail }
}
