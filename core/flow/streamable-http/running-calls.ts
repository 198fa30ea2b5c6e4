/**
 * Calls that run in this process, so that a posted `notifications/cancelled` of a legacy revision
 * can end one. Best effort: the post may reach another process, and two clients of one key may use
 * the same request id, in which case nothing is cancelled. docs/decisions/0026.
 */
import type { IdText } from '../../jsonrpc/message.ts'

/** By request id. Each holds its caller's header, as its call does: no longer than that runs. */
export type RunningCalls = Map<IdText, Set<RunningCall>>

type RunningCall = { readonly authorization: string; readonly cancel: AbortController }

export function runningCalls(): RunningCalls {
  return new Map()
}

export type CallOfKey = { readonly authorization: string; readonly id: IdText }

/** Answers what forgets it again. */
export function noteRunning(
  running: RunningCalls,
  { authorization, id }: CallOfKey,
  cancel: AbortController,
): () => void {
  const call = { authorization, cancel }
  const same = running.get(id)
  if (same === undefined) running.set(id, new Set([call]))
  else same.add(call)
  return () => {
    const left = running.get(id)
    left?.delete(call)
    if (left?.size === 0) running.delete(id)
  }
}

/** Only when exactly one call can be meant. Ids repeat across keys: those of others are not meant. */
export function cancelRunning(running: RunningCalls, { authorization, id }: CallOfKey): void {
  const [only, another] = [...(running.get(id) ?? [])].filter(
    (call) => call.authorization === authorization,
  )
  if (another === undefined) only?.cancel.abort('cancelled')
}
