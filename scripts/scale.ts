/**
 * `npm run scale`: shows which partition key of the store reaches its limit first as a stage grows,
 * and at what load. Runs small samples of the real flows on the embedded store, counts the units of
 * each partition key, and multiplies the units that grow. Takes a minute.
 *
 *   --users N                      users who call (100,000)
 *   --calls-per-minute N           calls of each of them, over POST /mcp (1)
 *   --streams N, or --listens N    open subscriptions/listen streams (10,000)
 *   --sse N                        open HTTP+SSE streams (2,000)
 *   --hot-user-calls-per-second N  calls of one further user (100)
 *   --upstream-ms N                time of an upstream (300)
 */
import '../bench/lib/help.ts'
import { parseArgs } from 'node:util'
import { openSampler, sampleGrowths } from './scale/flows.ts'
import {
  computeRates,
  countCallsPerSecond,
  countEntriesPerMinute,
  findFirstSaturated,
  type Growths,
  type Load,
  multiplyLoad,
  PARTITION_MAX,
  SWEPT_USERS,
  toLoadShare,
} from './scale/keys.ts'

export const DEFAULT_LOAD: Load = {
  users: 100_000,
  callsPerMinute: 1,
  listens: 10_000,
  sse: 2_000,
  hotCallsPerSecond: 100,
  upstreamMs: 300,
}

/** The options by their names. */
const OPTIONS: {
  readonly [option: string]: readonly [name: keyof Load, max: number, what: string]
} = {
  users: ['users', 10_000_000, 'users who call'],
  'calls-per-minute': ['callsPerMinute', 6_000, 'calls of each of them in a minute'],
  streams: ['listens', 10_000_000, 'open listen streams'],
  listens: ['listens', 10_000_000, 'the same'],
  sse: ['sse', 10_000_000, 'open HTTP+SSE streams'],
  'hot-user-calls-per-second': ['hotCallsPerSecond', 10_000, 'calls of one user more'],
  'upstream-ms': ['upstreamMs', 15_000, 'time of an upstream'],
}

/**
 * Reads options, as texts by their names without dashes. Throws one `Error` that names every wrong
 * option.
 */
export function readLoad(options: { readonly [option: string]: unknown }): Load {
  const errors: string[] = []
  const load = { ...DEFAULT_LOAD }
  for (const [option, [name, max, what]] of Object.entries(OPTIONS)) {
    const text = options[option]
    if (text === undefined) continue
    const value = /^\d{1,9}(\.\d{1,6})?$/.test(String(text)) ? Number(text) : Number.NaN
    if (value <= max) load[name] = value
    else
      errors.push(
        `--${option} (${what}): is ${JSON.stringify(text)}; give a number from 0 to ${max}`,
      )
  }
  if (errors.length > 0) throw new Error(errors.join('; '))
  return load
}

async function printScale(load: Load): Promise<void> {
  const sampler = await openSampler()
  try {
    for (const line of formatScale(load, await sampleGrowths(sampler))) console.log(line)
  } finally {
    await sampler.stop()
  }
}

export function formatScale(load: Load, growths: Growths): readonly string[] {
  const first = findFirstSaturated(load, growths)
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const { read, write } = PARTITION_MAX
  return [
    describeLoad(load),
    '',
    '| hottest key of | writes/s | reads/s | of the limit |',
    '| --- | ---: | ---: | ---: |',
    ...computeRates(load, growths).map(
      (rate) =>
        `| \`${rate.pattern}\` | ${formatNumber(rate.write)} | ${formatNumber(rate.read)} | ${percent(toLoadShare(rate))} |`,
    ),
    '',
    `A partition takes ${formatNumber(write)} write units and ${formatNumber(read)} read units a second. \`${first.pattern}\` is the first that`,
    `reaches its limit, at ${percent(first.factor)} of this load: ${describeLoad(multiplyLoad(load, first.factor))}`,
    `The sweep reaches ${formatNumber(SWEPT_USERS)} users a minute; ${formatNumber(countEntriesPerMinute(load))} have an entry in each.`,
  ]
}

function describeLoad(load: Load): string {
  return (
    `${formatNumber(load.users)} users with ${load.callsPerMinute} calls a minute (${formatNumber(countCallsPerSecond(load))} a second), ` +
    `${formatNumber(load.listens)} listen streams, ${formatNumber(load.sse)} SSE streams, one user with ${formatNumber(load.hotCallsPerSecond)} calls a second.`
  )
}

function formatNumber(value: number): string {
  const digits = value > 0 && value < 10 ? 2 : 0
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** Reads the load from the arguments; exits with 2 for wrong arguments. */
function readArguments(): Load {
  const text = { type: 'string' } as const
  const options = Object.keys(OPTIONS).map((option) => [option, text] as const)
  try {
    const { values } = parseArgs({ options: Object.fromEntries(options) })
    return readLoad(values)
  } catch (cause) {
    console.error(
      `scale: ${cause instanceof Error ? cause.message : cause}. See npm run scale -- --help`,
    )
    process.exit(2)
  }
}

if (import.meta.main) await printScale(readArguments())
