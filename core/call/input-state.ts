/**
 * The form in which an upstream's `requestState` is sealed: it includes its expiry, and is bound to
 * one tool and one set of arguments. The port `Seals` seals it under the caller's key (ADR 0027).
 */
import { isJsonObject, type Json } from '../json/json.ts'

/**
 * Returns the purpose that binds a sealed state to a tool. `argsHash` hashes {@link stableText}.
 */
export function statePurpose(toolName: string, argsHash: string): string {
  return `input-state#${toolName}#${argsHash}`
}

/** Adds the expiry to a state before it is sealed. */
export function stampState(state: string, expiresAtMs: number): string {
  return `${expiresAtMs}\n${state}`
}

/** Returns the state without its expiry; undefined if the state has expired. */
export function stampedState(text: string, nowMs: number): string | undefined {
  const end = text.indexOf('\n')
  const expiresAtMs = Number(text.slice(0, Math.max(0, end)))
  return expiresAtMs > nowMs ? text.slice(end + 1) : undefined
}

/** Writes JSON with sorted members, because a client may repeat arguments in another order. */
export function stableText(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
