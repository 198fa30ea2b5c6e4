/**
 * The form in which an upstream's `requestState` is sealed: it includes its expiry, and is bound to
 * one tool and one set of arguments. The port `Seals` seals it under the caller's key (ADR 0027).
 */
/**
 * Returns the purpose that binds a sealed state to a tool. `argsHash` hashes their stable text.
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
