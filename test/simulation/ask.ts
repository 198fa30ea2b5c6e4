/** One request to the simulated store, as its callers and the wrong protocols send it. */

/** A transaction also meets conflicts; nothing is written then, and it is sent again. */
export type AskKind = 'read' | 'write' | 'transaction'

/** Sends one request; `apply` is its one atomic step. */
export type Ask = <T>(label: string, kind: AskKind, apply: () => Promise<T>) => Promise<T>
