/**
 * Parses what the execute door answered. Both sides are ours but may be of two deployments, so the
 * shape is checked; what fits neither a success nor a problem is a fault, never half an answer.
 */
import type {
  CallCredits,
  ExecuteAnswer,
  ExecuteSuccess,
  Problem,
} from '../../core/call/execute.ts'
import { ERRORS, type ErrorCode, Fault, type FieldFault } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { SKILL_SOURCES, type SkillSource } from '../../core/skills/skill.ts'
import { isContentBlock } from './content-block.ts'
import { type Fields, isArrayOf, isRecord, parseRecord } from './fields.ts'
import type { PeerAnswer } from './peer-send.ts'

/** Throws `Fault('internal')` for anything that is neither. */
export function readExecuteAnswer(answer: PeerAnswer): ExecuteAnswer {
  const fields = parseRecord(new TextDecoder().decode(answer.body))
  if (answer.status === 200) {
    const body = fields === undefined ? undefined : readSuccess(fields)
    if (body !== undefined) return { kind: 'success', body }
  } else {
    const body = fields === undefined ? undefined : readProblem(fields, answer.status)
    if (body !== undefined) return { kind: 'problem', body }
  }
  throw new Fault('internal', `the execute door answered ${answer.status} in an unknown shape`)
}

function readSuccess(fields: Fields): ExecuteSuccess | undefined {
  const { callId, skillId, source, content, structuredContent, isError, credits, durationMs } =
    fields
  if (typeof callId !== 'string' || typeof skillId !== 'string' || !isSource(source))
    return undefined
  if (!isArrayOf(content, isContentBlock) || isError !== false) return undefined
  if (!isCredits(credits) || typeof durationMs !== 'number') return undefined
  return {
    callId,
    skillId,
    source,
    content,
    // It came out of JSON.parse. Another deployment's may be no object: its text is in `content`.
    ...(isRecord(structuredContent) ? { structuredContent: structuredContent as JsonObject } : {}),
    isError,
    credits,
    durationMs,
  }
}

function readProblem(fields: Fields, status: number): Problem | undefined {
  const { title, detail, code, callId, credits, errors, retryAfterSec } = fields
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
  }
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

function isFieldFault(value: unknown): value is FieldFault {
  return (
    isRecord(value) && typeof value['pointer'] === 'string' && typeof value['message'] === 'string'
  )
}
