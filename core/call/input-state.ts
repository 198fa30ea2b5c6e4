/**
 * An upstream's `requestState` as it is sealed: with its end inside, and bound to one tool and one set
 * of arguments. Pure: sealing itself is the port `Seals` under the caller's key (ADR 0027).
 */
import { isJsonObject, type Json } from '../json/json.ts'

/** What a sealed state is good for, besides the key that opens it. `argsHash` is of {@link stableText}. */
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

/** JSON with members in one order: a client that sends the same arguments may spell them anew. */
export function stableText(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
