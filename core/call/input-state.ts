/**
 * The form in which an upstream's `requestState` is sealed: with its expiry inside, and bound to
 * one tool and one set of arguments. Pure: the port `Seals` seals it under the caller's key (ADR
 * 0027).
 */
/**
 * Binds a sealed state to a tool and its arguments. `argsHash` is the hash of their `stableText`.
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
