/**
 * The reason why the twin cannot start, as one line that ends with the remedy. main.ts prints it
 * and exits with 1, without a stack. Any other throw is a bug and keeps its stack.
 */
export class StartFault extends Error {
  constructor(line: string, cause?: unknown) {
    super(line, { cause })
    this.name = 'StartFault'
  }
}

/** Returns the `code` of a node error (`EADDRINUSE`, `EACCES` …); '' for anything else. */
export function readErrorCode(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return ''
  return String(cause.code)
}
