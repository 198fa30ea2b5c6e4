/** The load that `npm run scale` computes for, read from its options; a wrong option is named with its limits. */

export type Load = {
  readonly users: number
  /** Of each of them, over `POST /mcp`. */
  readonly callsPerMinute: number
  /** Open `subscriptions/listen` streams, each of another user. */
  readonly listens: number
  /** Open HTTP+SSE streams, each of another user. */
  readonly sse: number
  /** Of one user more, beside the others. */
  readonly hotCallsPerSecond: number
  /** Time of an upstream, of which the number of function environments follows. */
  readonly upstreamMs: number
}

type Field = {
  readonly name: keyof Load
  readonly max: number
  readonly what: string
}

/** By the option's name. */
export const LOAD_OPTIONS: { readonly [option: string]: Field } = {
  users: { name: 'users', max: 10_000_000, what: 'users who call' },
  'calls-per-minute': {
    name: 'callsPerMinute',

    max: 6_000,
    what: 'calls of each of them in a minute',
  },
  streams: { name: 'listens', max: 10_000_000, what: 'open listen streams' },
  listens: { name: 'listens', max: 10_000_000, what: 'the same' },
  sse: { name: 'sse', max: 10_000_000, what: 'open HTTP+SSE streams' },
  'hot-user-calls-per-second': {
    name: 'hotCallsPerSecond',

    max: 10_000,
    what: 'calls of one user more',
  },
  'upstream-ms': { name: 'upstreamMs', max: 15_000, what: 'time of an upstream' },
}

export const DEFAULT_LOAD: Load = {
  users: 100_000,
  callsPerMinute: 1,
  listens: 10_000,
  sse: 2_000,
  hotCallsPerSecond: 100,
  upstreamMs: 300,
}

/** Options as texts, by their names without dashes; throws one `Error` that names every wrong one. */
export function readLoad(options: { readonly [option: string]: string | undefined }): Load {
  const faults: string[] = []
  const given: { -readonly [name in keyof Load]?: number } = {}
  for (const [option, { max, name, what }] of Object.entries(LOAD_OPTIONS)) {
    const text = options[option]
    if (text === undefined) continue
    const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
    if (value >= 0 && value <= max) given[name] = value
    else
      faults.push(
        `--${option} (${what}): is ${JSON.stringify(text)}; give a number from 0 to ${max}`,
      )
  }
  if (faults.length > 0) throw new Error(faults.join('; '))
  return { ...DEFAULT_LOAD, ...given }
}

/** The same mix, so many times. */
export function timesLoad(load: Load, factor: number): Load {
  return {
    ...load,
    users: load.users * factor,
    listens: load.listens * factor,
    sse: load.sse * factor,
    hotCallsPerSecond: load.hotCallsPerSecond * factor,
  }
}
