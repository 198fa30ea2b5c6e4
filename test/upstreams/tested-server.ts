/** What the checks must know of a server: how to start it, and which of its tools shows what. */

/** A reason why a server has nothing to check. */
export type Missing = { readonly why: string }

export type Use = {
  readonly tool: string
  readonly args: object
  /** A part of the text of the answer. */
  readonly says: string
}

export type Question = Omit<Use, 'says'> & {
  readonly asks: string
  /** Why the server's question cannot reach any agent; then the tool fails with words. */
  readonly isLost?: string
  /** Words of the answer where nobody can be asked. */
  readonly refuses?: RegExp
}

export type ToolPlan = {
  readonly call: Use
  /** The tool of `call` says of itself that it may run twice. */
  readonly isIdempotent: boolean
  readonly structured: (Use & { readonly is: object }) | Missing
  /** A tool that answers with `isError`. */
  readonly error: Use | Missing
  /** `total` of each of its notifications: the gateway's own progress has none. */
  readonly progress: (Use & { readonly total: number }) | Missing
  /** Asks for a name; its answer has the name. */
  readonly question: Question | Missing
  /** Takes longer than the caller waits. */
  readonly wait: Omit<Use, 'says'> | Missing
}

export type RunningServer = { readonly url: string; stop(): Promise<void> | void }

export type TestedServer = {
  readonly name: string
  /** The gateway must speak this one with it. */
  readonly revision: string
  /** Id and group of the upstream; tools are called `sg_{prefix}_{tool}`. */
  readonly prefix: string
  readonly plan: ToolPlan
  start(): Promise<RunningServer>
}

/** The plan of all servers that were made here with the library of their language. */
export const OWN_PLAN = {
  call: { tool: 'add', args: { a: 2, b: 3 }, says: '5' },
  isIdempotent: false,
  structured: { tool: 'add', args: { a: 2, b: 3 }, says: '5', is: { sum: 5 } },
  error: { tool: 'fail', args: {}, says: 'no such city' },
  progress: { tool: 'steps', args: {}, says: 'all steps', total: 3 },
  question: { tool: 'greet', args: {}, asks: 'Who are you?' },
  wait: { tool: 'wait', args: {} },
} satisfies ToolPlan
