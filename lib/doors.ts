/**
 * The deployed functions. Each has a folder in lambdas/, a bundle in dist/ and a Lambda function.
 */

/** The functions of every stage. Each uses the store. */
export const DOORS = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage'] as const

export type Door = (typeof DOORS)[number]

/** All functions: only a stage with private hosts has the caller, which uses no store (ADR 0121). */
export const FUNCTIONS = [...DOORS, 'caller'] as const

export type FunctionName = (typeof FUNCTIONS)[number]

/** Returns the id of a function's construct, as `Mcp`. */
export function toConstructId(door: FunctionName): string {
  return door.charAt(0).toUpperCase() + door.slice(1)
}
