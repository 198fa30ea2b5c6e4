/**
 * The calls that run in this process, so that a posted `notifications/cancelled` of a legacy
 * revision can end one. Best effort: the POST may reach another process, and when two clients of
 * one key use the same request id nothing is cancelled. Bound by ADR 0026.
 */
import type { IdText } from '../../jsonrpc/message.ts'

/** By request id. An entry holds its caller's header, and only while its call runs. */
export type RunningCalls = Map<IdText, Set<RunningCall>>

type RunningCall = { readonly authorization: string; readonly cancel: AbortController }

export function runningCalls(): RunningCalls {
  return new Map()
}

export type CallOfKey = { readonly authorization: string; readonly id: IdText }

/** Returns the function that removes the entry. */
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
    const remaining = running.get(id)
    remaining?.delete(call)
    if (remaining?.size === 0) running.delete(id)
  }
}

/**
 * Cancels only where the key has exactly one call of that id: ids repeat across clients and keys.
 */
export function cancelRunning(running: RunningCalls, { authorization, id }: CallOfKey): void {
  const [only, another] = [...(running.get(id) ?? [])].filter(
    (call) => call.authorization === authorization,
  )
  if (another === undefined) only?.cancel.abort('cancelled')
}
