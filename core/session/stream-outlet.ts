/**
 * Where an open stream writes its bytes, on any transport. `closed` aborts when the client is known
 * to have left.
 */
export type StreamOutlet = {
  /** Writes one whole block and waits for back-pressure; does nothing once closed. */
  write(block: string): Promise<void>
  readonly closed: AbortSignal
  /** The time at which the host ends the stream; undefined on a host without a limit. */
  readonly deadlineMs: number | undefined
}
