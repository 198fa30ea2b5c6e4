/**
 * Calls that run in this process, so that a posted `notifications/cancelled` of a legacy revision
 * can end one. Best effort: the post may reach another process, and two clients of one key may use
 * the same request id, in which case nothing is cancelled. docs/decisions/0026.
 */
import type { IdText } from '../jsonrpc/message.ts'
import type { Ports } from '../ports.ts'

export type RunningCalls = Map<string, Set<AbortController>>

export function runningCalls(): RunningCalls {
  return new Map()
}

export type CallOfKey = { readonly authorization: string; readonly id: IdText }

/** Answers what forgets it again. */
export function noteRunning(
  ports: Pick<Ports, 'digests'>,
  running: RunningCalls,
  call: CallOfKey,
  cancel: AbortController,
): () => void {
  const key = keyOf(ports, call)
  const same = running.get(key)
  if (same === undefined) running.set(key, new Set([cancel]))
  else same.add(cancel)
  return () => {
    const left = running.get(key)
    left?.delete(cancel)
    if (left?.size === 0) running.delete(key)
  }
}

/** Only when exactly one call can be meant. */
export function cancelRunning(
  ports: Pick<Ports, 'digests'>,
  running: RunningCalls,
  call: CallOfKey,
): void {
  const [only, another] = running.get(keyOf(ports, call)) ?? []
  if (another === undefined) only?.abort('cancelled')
}

/** Ids repeat across keys. The header's hash, so that no key lies about in memory. */
function keyOf(ports: Pick<Ports, 'digests'>, { authorization, id }: CallOfKey): string {
  return `${ports.digests.sha256(authorization)} ${id}`
}
