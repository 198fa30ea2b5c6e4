/**
 * The form in which an upstream's `requestState` is sealed: with its expiry inside, and bound to
 * one tool and one set of arguments. Pure: the port `Seals` seals it under the caller's key (ADR
 * 0027).
 */
import { isJsonObject, type Json } from '../json/json.ts'

/**
 * Binds a sealed state to a tool and its arguments. `argsHash` is the hash of {@link stableText}.
 */
export function statePurpose(toolName: string, argsHash: string): string {
  return `input-state#${toolName}#${argsHash}`
}

export function stampState(state: string, expiresAtMs: number): string {
  return `${expiresAtMs}\n${state}`
}

/** Undefined once it has expired. */
export function stampedState(text: string, nowMs: number): string | undefined {
  const end = text.indexOf('\n')
  const expiresAtMs = Number(text.slice(0, Math.max(0, end)))
  return expiresAtMs > nowMs ? text.slice(end + 1) : undefined
}

/** JSON with sorted members, because a client may write the same arguments in another order. */
export function stableText(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
