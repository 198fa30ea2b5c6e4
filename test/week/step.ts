/** What the days of the week are made of: who wants what, and the lines that they type. */

export type Step = {
  /** What the person wants, as a sentence. */
  readonly says: string
  readonly line: string
  /** Text that is piped in. */
  readonly stdin?: string
  /** Files that the person saves before. `UPSTREAM` is the origin of the API. */
  readonly saves?: { readonly [path: string]: string }
  /** True if the API of the week fails from here on, false if it works again. */
  readonly upstreamFails?: boolean
  /** Exit code; 0 unless it is given. */
  readonly code?: number
  /** The name of the picture that shows this step. */
  readonly picture?: string
  /** Lines that others run before it, which the page does not show. */
  readonly before?: readonly string[]
  /** Values of the output that later lines name as variables. */
  readonly keeps?: { readonly [variable: string]: RegExp }
  /** Files that are saved while the command watches; Ctrl-C follows the second output. */
  readonly watch?: { readonly [path: string]: string }
  /** True for a step that reads the header Date, which Node's server takes from the machine. */
  readonly realClock?: boolean
  /** The step is repeated until its output has this text: sums are up to a minute late. */
  readonly until?: string
}

export type Day = {
  readonly title: string
  readonly intro: string
  /** When its first step happens; each further one is ten minutes later. */
  readonly startsAt: string
  readonly steps: readonly Step[]
}
