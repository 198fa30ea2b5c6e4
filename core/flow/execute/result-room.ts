/**
 * How large a result may be at the door that carries it. Most results are far below, so this file
 * decides without counting whether a result needs a closer look (keep-result.ts).
 */
import { loadOnce } from '../../cache/load-once.ts'
import { KEPT_ANSWER_BYTES_MAX } from '../../call/idempotency.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { ok, type Result } from '../../errors.ts'
import { TASK_RESULT_BYTES_MAX } from '../../mcp/task.ts'
import { REPLY_BYTES_MAX } from '../../session/limits.ts'
import type { CallFailure, CheckedAnswer, PlacedAnswer } from './check-result.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import type { ReadyCall } from './validate-call.ts'

export type ResultRoom = {
  /** Bytes of the result as JSON. */
  readonly jsonBytesMax: number
  /** False if the door's revision has no structured content. */
  readonly carriesStructure: boolean
}

/** Bytes beside the result: ids, credits, and the text about unknown arguments. */
const ENVELOPE_BYTES = 32_768

/** A result of a task, whoever asks for it. */
export const TASK_ROOM: ResultRoom = {
  jsonBytesMax: TASK_RESULT_BYTES_MAX - ENVELOPE_BYTES,
  carriesStructure: true,
}
const STREAM_ROOM: ResultRoom = {
  jsonBytesMax: REPLY_BYTES_MAX - ENVELOPE_BYTES,
  carriesStructure: false,
}
/** An answer that is kept for repeats; also on a stream, whose reply is as long. */
const KEYED_ROOM: ResultRoom = {
  jsonBytesMax: KEPT_ANSWER_BYTES_MAX - ENVELOPE_BYTES,
  carriesStructure: true,
}
/** The bytes of the answer itself are limited. */
const WIDE_ROOM: ResultRoom = { jsonBytesMax: Number.POSITIVE_INFINITY, carriesStructure: true }

export function findRoom({
  idempotencyKey,
  task,
  terms,
}: Pick<ExecuteRequest, 'idempotencyKey' | 'task' | 'terms'>): ResultRoom {
  if (idempotencyKey !== undefined) return KEYED_ROOM
  if (terms?.door === 'sse') return STREAM_ROOM
  return task === undefined ? WIDE_ROOM : TASK_ROOM
}

/**
 * A result of this many bytes of an answer fits every door: as text and as structured content,
 * each character escaped as six.
 */
const FITTING_BYTES = 65_536

type Placing = {
  readonly call: Pick<ReadyCall, 'callId' | 'prefix' | 'principal' | 'record' | 'skill'>
  readonly response: Pick<UpstreamResponse, 'body' | 'mediaType'>
  readonly room: ResultRoom
}

/** Puts the answer into a result that its door carries. Never throws. */
export async function placeAnswer(
  ports: Pick<ExecuteNeeds, 'clock' | 'ids' | 'keptResults' | 'log'>,
  answer: CheckedAnswer,
  placing: Placing,
): Promise<Result<PlacedAnswer, CallFailure>> {
  const { call, response, room } = placing
  const fits = room === WIDE_ROOM || response.body.length <= FITTING_BYTES
  const { data, ...result } = answer
  if (data === undefined && call.skill.responseKeep !== 'always' && fits) return ok(result)
  const { keepOrInline } = await importKeeping()
  return keepOrInline(ports, { answer, ...placing })
}

/** Few answers are data or long. */
const importKeeping = loadOnce(() => import('./keep-result.ts'))
