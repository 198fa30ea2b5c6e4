/**
 * The tasks that every client gets, whoever wrote it: list, call, report progress and changes. Each
 * file beside this one turns one client into an Agent; checks.ts judges all of them alike.
 */
export type ToolReply = { readonly text: string; readonly isError: boolean }

export type KeyedReply = ToolReply & {
  /** The gateway gave the answer of an earlier call again. */
  readonly isReplayed: boolean
}

/** Calls that go on as tasks. */
export type TaskAgent = {
  /** Calls, polls until the end, and gives the result. */
  settle(tool: string, args: object): Promise<ToolReply & { readonly isTask: boolean }>
  /** Calls, cancels the task, and gives what the client says of its end. */
  cancel(tool: string, args: object): Promise<string>
  close(): Promise<void>
}

export type Agent = {
  /** As negotiated; undefined: this client does not report it. */
  readonly revision: string | undefined
  toolNames(): Promise<readonly string[]>
  /** Rejects for a JSON-RPC error. `onProgress` is called for each notification of progress. */
  call(name: string, args: object, onProgress?: () => void): Promise<ToolReply>
  /** A call under an Idempotency-Key; undefined: this client sends none. */
  readonly callOnce?: (name: string, args: object, key: string) => Promise<KeyedReply>
  /**
   * The number of tools/list_changed so far; undefined: the client cannot hear them on this
   * transport.
   */
  readonly changes: (() => number | Promise<number>) | undefined
  /** Undefined: this client knows no tasks. */
  readonly tasks?: () => Promise<TaskAgent>
  close(): Promise<void>
}

/** The origin to connect to, and the key. */
export type Door = { readonly sse: string; readonly mcp: string; readonly key: string }

export type TestedClient = {
  /** The name shown in the table. */
  readonly name: string
  /** The revision that it must negotiate; undefined where it does not report it. */
  readonly revision: string | undefined
  /** Whether this client, on this transport, must see progress of a slow call. */
  readonly hearsProgress: boolean
  connect(door: Door): Promise<Agent>
}

/** Text blocks of a result, joined. */
export function textOf(content: readonly unknown[]): string {
  return content
    .map((block) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .join('')
}

export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of the `_meta` of a result. */
export function isReplayed(meta: unknown): boolean {
  return isRecord(meta) && meta['skillgate/replayed'] === true
}

/** `_meta` of a call under a key. */
export function keyMeta(key: string): { readonly [name: string]: string } {
  return { 'skillgate/idempotency-key': key }
}
