/**
 * The form in which an upstream's `requestState` is sealed: it includes its expiry, and is bound to
 * one tool and one set of arguments. The port `Seals` seals it under the caller's key (ADR 0027).
 */
/**
 * Returns the purpose that binds a sealed state to a tool. `argsHash` hashes their stable text.
 */
export function toStatePurpose(toolName: string, argsHash: string): string {
  return `input-state#${toolName}#${argsHash}`
}

/** Adds the expiry to a state before it is sealed. */
export function addStateExpiry(state: string, expiresAtMs: number): string {
  return `${expiresAtMs}\n${state}`
}

/** Returns the state without its expiry; undefined if the state has expired. */
export function readUnexpiredState(text: string, nowMs: number): string | undefined {
  const end = text.indexOf('\n')
  const expiresAtMs = Number(text.slice(0, Math.max(0, end)))
  return expiresAtMs > nowMs ? text.slice(end + 1) : undefined
}
