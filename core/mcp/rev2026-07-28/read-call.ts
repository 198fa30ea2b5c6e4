/**
 * Reads tools/call of 2026-07-28, which also has the client's capabilities, its log level, and its
 * answers to the previous round's questions. The upstream that asked checks the answers' content.
 * Bound by MCP 2026-07-28, basic, _meta, and basic/patterns/mrtr.
 */
import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import type { RpcError, RpcRequest } from '../../jsonrpc/message.ts'
import type { CallInput, CallToolIntent, LogLevel } from '../intent.ts'
import { CAPABILITIES_META, LOG_LEVEL_META, readClientName } from '../modern-envelope.ts'
import { readCallTool } from '../read-params.ts'
import { refuseParams } from '../rpc-errors.ts'
import { readResponses } from './read-responses.ts'
import { declaresTasks } from './read-task.ts'

/** UTF-16 units of the returned state, as in execute. The sealed state is ASCII. */
export const INPUT_STATE_CHARS_MAX = 49_152
const LOG_LEVELS: ReadonlyMap<unknown, LogLevel> = new Map<unknown, LogLevel>(
  (['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const).map(
    (level) => [level, level],
  ),
)

export function readCall(
  params: JsonObject,
  request: RpcRequest,
  text: string,
): Result<CallToolIntent, RpcError> {
  const call = readCallTool(params, request, text)
  if (!call.ok) return call
  const { _meta: meta = {} } = params
  const envelope: JsonObject = isJsonObject(meta) ? meta : {}
  const logLevel = readLogLevel(envelope)
  if (!logLevel.ok) return logLevel
  const input = readInput(params, text)
  if (!input.ok) return input
  const declared = envelope[CAPABILITIES_META]
  const capabilities = isJsonObject(declared) ? declared : undefined
  const client = readClientName(envelope)
  return ok({
    ...call.value,
    logLevel: logLevel.value,
    capabilities,
    ...(client === undefined ? {} : { client }),
    ...(declaresTasks(declared) ? { takesTask: true } : {}),
    input: input.value,
  })
}

function readLogLevel(envelope: JsonObject): Result<LogLevel | undefined, RpcError> {
  const value = envelope[LOG_LEVEL_META]
  if (value === undefined) return ok(undefined)
  const level = LOG_LEVELS.get(value)
  if (level !== undefined) return ok(level)
  return refuseParams(
    `params._meta["${LOG_LEVEL_META}"]: must be one of ${[...LOG_LEVELS.values()].join(', ')}; leave it out for no log messages`,
  )
}

/** Returns undefined in the first round. */
function readInput(params: JsonObject, text: string): Result<CallInput | undefined, RpcError> {
  const { inputResponses, requestState } = params
  if (inputResponses === undefined && requestState === undefined) return ok(undefined)
  const responses = inputResponses === undefined ? ok({}) : readResponses(inputResponses, text)
  if (!responses.ok) return responses
  if (requestState === undefined) return ok({ responses: responses.value, state: undefined })
  if (typeof requestState !== 'string') {
    return refuseParams('params.requestState: must be the string that the result before gave')
  }
  if (requestState.length > INPUT_STATE_CHARS_MAX) {
    return refuseParams(
      `params.requestState: is over ${INPUT_STATE_CHARS_MAX} characters; send the one of the result before, unchanged`,
    )
  }
  return ok({ responses: responses.value, state: requestState })
}
