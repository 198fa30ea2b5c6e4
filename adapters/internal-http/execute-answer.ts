/**
 * Parses the answers of the execute door. The door may be of another deployment, so the shape is
 * checked. An answer that is no success, no question and no problem is a fault.
 */
import type {
  CallCredits,
  ExecuteAnswer,
  ExecuteInputRequired,
  ExecuteSource,
  ExecuteSuccess,
  Problem,
} from '../../core/call/execute.ts'
import {
  ERRORS,
  type ErrorCode,
  FAILURE_CLASSES,
  Fault,
  type FieldError,
} from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import type { ContentBlock } from '../../core/mcp/content.ts'
import { INPUT_REQUIRED } from '../../core/response/input-required.ts'
import { SKILL_SOURCES, type SkillSource } from '../../core/skills/skill.ts'
import { type Fields, isArrayOf, isRecord, parseRecord } from './fields.ts'
import type { InternalAnswer } from './peer-send.ts'

/** Throws `Fault('internal')` for anything but a success, a question or a problem. */
export function readExecuteAnswer(answer: InternalAnswer): ExecuteAnswer {
  const fields = parseRecord(new TextDecoder().decode(answer.body))
  const read = fields === undefined ? undefined : readAnswer(fields, answer.status)
  if (read !== undefined) return read
  throw new Fault('internal', `the execute door answered ${answer.status} in an unknown shape`)
}

/** Throws `Fault('internal')` for anything but the end of a call. */
export function readVoidAnswer(body: Uint8Array): 'free' | 'charged' {
  const state = parseRecord(new TextDecoder().decode(body))?.['state']
  if (state === 'refunded') return 'free'
  if (state === 'settled') return 'charged'
  throw new Fault('internal', 'the execute door answered a void in an unknown shape')
}

function readAnswer(fields: Fields, status: number): ExecuteAnswer | undefined {
  if (status !== 200) {
    const body = readProblem(fields, status)
    return body === undefined ? undefined : { kind: 'problem', body }
  }
  if (fields['resultType'] === INPUT_REQUIRED) {
    const body = readInputRequired(fields)
    return body === undefined ? undefined : { kind: 'input', body }
  }
  const body = readSuccess(fields)
  return body === undefined ? undefined : { kind: 'success', body }
}

function readSuccess(fields: Fields): ExecuteSuccess | undefined {
  const { callId, skillId, source, content, structuredContent, isError, credits, durationMs } =
    fields
  if (typeof callId !== 'string' || typeof skillId !== 'string' || !isExecuteSource(source))
    return undefined
  if (!isArrayOf(content, isContentBlock) || typeof isError !== 'boolean') return undefined
  if (!isCredits(credits) || typeof durationMs !== 'number') return undefined
  return {
    callId,
    skillId,
    source,
    content,
    // A cast: the value comes from JSON.parse.
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json }),
    isError,
    credits,
    durationMs,
  }
}

function readInputRequired(fields: Fields): ExecuteInputRequired | undefined {
  const { callId, skillId, source, inputRequests, requestState, credits, durationMs } = fields
  if (typeof callId !== 'string' || typeof skillId !== 'string' || !isSource(source))
    return undefined
  if (!isObjects(inputRequests) || !isCredits(credits) || typeof durationMs !== 'number')
    return undefined
  if (requestState !== undefined && typeof requestState !== 'string') return undefined
  return {
    callId,
    skillId,
    source,
    resultType: INPUT_REQUIRED,
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
    credits,
    durationMs,
  }
}

function readProblem(fields: Fields, status: number): Problem | undefined {
  const { title, detail, code, callId, credits, errors, requiredCapabilities, retryAfterSec } =
    fields
  const upstreamFault = FAILURE_CLASSES.find((known) => known === fields['upstreamFault'])
  if (typeof title !== 'string' || typeof detail !== 'string' || !isErrorCode(code))
    return undefined
  if (fields['status'] !== status) return undefined
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(isCredits(credits) ? { credits } : {}),
    ...(isArrayOf(errors, isFieldFault) ? { errors } : {}),
    ...(typeof retryAfterSec === 'number' ? { retryAfterSec } : {}),
    ...(upstreamFault === undefined ? {} : { upstreamFault }),
    ...(isObjects(requiredCapabilities) ? { requiredCapabilities } : {}),
  }
}

/** An object of objects; the value comes from JSON.parse. */
function isObjects(value: unknown): value is JsonObject {
  return isRecord(value) && Object.values(value).every(isRecord)
}

function isExecuteSource(value: unknown): value is ExecuteSource {
  return value === 'built-in' || isSource(value)
}

function isSource(value: unknown): value is SkillSource {
  return SKILL_SOURCES.some((source) => source === value)
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value)
}

function isCredits(value: unknown): value is CallCredits {
  if (!isRecord(value)) return false
  const { charged, refunded, remaining } = value
  return [charged, refunded, remaining].every((one) => typeof one === 'number')
}

function isFieldFault(value: unknown): value is FieldError {
  return (
    isRecord(value) && typeof value['pointer'] === 'string' && typeof value['message'] === 'string'
  )
}

const BLOCK_CHECKS: { readonly [type in ContentBlock['type']]: (block: Fields) => boolean } = {
  text: (block) => hasTexts(block, ['text']),
  image: (block) => hasTexts(block, ['data', 'mimeType']),
  audio: (block) => hasTexts(block, ['data', 'mimeType']),
  resource: ({ resource }) =>
    isRecord(resource) &&
    hasTexts(resource, ['uri'], ['mimeType']) &&
    (hasTexts(resource, ['text']) || hasTexts(resource, ['blob'])),
  resource_link: (block) => hasTexts(block, ['uri', 'name'], ['title', 'description', 'mimeType']),
}

/** True if a block has a known shape; the execute door has checked its content. */
function isContentBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && isBlockType(value['type']) && BLOCK_CHECKS[value['type']](value)
}

function isBlockType(value: unknown): value is ContentBlock['type'] {
  return typeof value === 'string' && Object.hasOwn(BLOCK_CHECKS, value)
}

function hasTexts(
  fields: Fields,
  needed: readonly string[],
  optional: readonly string[] = [],
): boolean {
  return (
    needed.every((name) => typeof fields[name] === 'string') &&
    optional.every((name) => fields[name] === undefined || typeof fields[name] === 'string')
  )
}
