/**
 * Reads a client's answers to questions, of a call that goes on (MRTR) and of `tasks/update`. Bound
 * by MCP 2026-07-28, basic/patterns/mrtr, and ext-tasks.
 */
import { ok, type Result } from '../../errors.ts'
import { findChangedNumbers } from '../../json/changed-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import { refuseParams } from '../rpc-errors.ts'

/** Equal to execute's limit in core/call/limits.ts (a test compares them), but checked earlier. */
export const INPUT_RESPONSES_MAX = 64
/** UTF-8 bytes of the answers as JSON. Forms are small; a sampled message may be an image. */
export const INPUT_RESPONSES_BYTES_MAX = 262_144

/** `text` is the request as posted, which shows how numbers were written. */
export function readResponses(value: Json, text: string): Result<JsonObject, RpcError> {
  const where = 'params.inputResponses'
  if (!isJsonObject(value)) return refuseParams(`${where}: must be an object with answers by key`)
  const answers = Object.values(value)
  if (answers.length > INPUT_RESPONSES_MAX) {
    return refuseParams(`${where}: has over ${INPUT_RESPONSES_MAX} answers; send those asked for`)
  }
  if (!answers.every((answer) => isJsonObject(answer))) {
    return refuseParams(`${where}: each answer must be an object, as {"action":"decline"}`)
  }
  if (countBytes(JSON.stringify(value)) > INPUT_RESPONSES_BYTES_MAX) {
    return refuseParams(`${where}: is over ${INPUT_RESPONSES_BYTES_MAX} bytes; answer shorter`)
  }
  const [changed] = findChangedNumbers(text, ['params', 'inputResponses'])
  if (changed !== undefined) return refuseParams(`${where}: ${changed.pointer} ${changed.message}`)
  return ok(value)
}
