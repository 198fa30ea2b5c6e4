/**
 * Where the bytes of an open stream go, whichever transport it belongs to. `closed` aborts when the
 * peer is known to be gone.
 */
export type StreamOutlet = {
  /** Writes one block whole, waits for back-pressure; a no-op once closed. */
  write(block: string): Promise<void>
  readonly closed: AbortSignal
  /** The host's hard end; undefined where there is none. */
  readonly deadlineMs: number | undefined
}
