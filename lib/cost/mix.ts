/**
 * The mix for which a bill is computed: how many users call, how often, and what their calls do.
 * Read from the options of `npm run cost`; an error names a wrong option with its limits.
 */
import { SETTINGS } from '../../core/settings/table.ts'

export type Mix = {
  /** Users who call in a minute. */
  readonly users: number
  /** Calls of each user, evenly spaced. */
  readonly callsPerMinute: number
  /** Hours of a month in which users call: 730 is day and night. */
  readonly hours: number
  /** Calls of the busiest minute of a day, 1 to 2 times those of an average one. */
  readonly peak: number
  /** Skills among which the calls are spread evenly. */
  readonly skills: number
  /** Time from sending a request to the upstream to the last byte of its response. */
  readonly upstreamMs: number
  /** Bytes of a result's text. */
  readonly resultBytes: number
  /** Share of calls that are refused before the request to their upstream, 0 to 1. */
  readonly refused: number
  /** Share of calls whose skill names a secret of its user, 0 to 1. */
  readonly secrets: number
  /** Days for which the table keeps calls. */
  readonly ledgerDays: number
  /** Open streams of HTTP+SSE, all the month. */
  readonly streams: number
  /** Open `subscriptions/listen` streams, all the month. */
  readonly listens: number
}

type MixField = {
  readonly option: string
  readonly initial: number
  readonly min: number
  readonly max: number
  readonly isWhole: boolean
  readonly what: string
}

export const MIX_FIELDS: { readonly [F in keyof Mix]: MixField } = {
  users: wholeField('users', [1_000, 1, 10_000_000], 'users who call in a minute'),
  callsPerMinute: decimalField('calls-per-minute', [1, 0.001, 6_000], 'calls of each of them'),
  hours: wholeField('hours', [730, 1, 744], 'hours of a month in which they call'),
  peak: decimalField('peak', [1, 1, 2], 'calls of the busiest minute, in average minutes'),
  skills: wholeField('skills', [10, 1, 100_000], 'skills among which the calls are spread'),
  upstreamMs: wholeField('upstream-ms', [300, 0, 15_000], 'time of an upstream'),
  resultBytes: wholeField('result-bytes', [1_000, 0, 4_194_304], 'text of a result'),
  refused: decimalField('refused', [0.01, 0, 1], 'share of calls refused before their upstream'),
  secrets: decimalField('secrets', [0, 0, 1], 'share of calls whose skill names a secret'),
  ledgerDays: wholeField(
    'ledger-days',
    [SETTINGS.ledgerHotDays.default, SETTINGS.ledgerHotDays.min, SETTINGS.ledgerHotDays.max],
    'days for which the table keeps calls',
  ),
  streams: wholeField('streams', [0, 0, 10_000_000], 'open HTTP+SSE streams'),
  listens: wholeField('listens', [0, 0, 10_000_000], 'open listen streams'),
}

export const DEFAULT_MIX: Mix = toMix(({ initial }) => initial)

const MINUTES_PER_HOUR = 60
/** Hours of a month, day and night. */
export const HOURS_PER_MONTH = 730

export function countCallsPerMonth({ callsPerMinute, hours, users }: Mix): number {
  return users * callsPerMinute * hours * MINUTES_PER_HOUR
}

/**
 * Reads options, as texts by their names without dashes. Throws one `Error` that names every wrong
 * option.
 */
export function readMix(options: { readonly [option: string]: string | undefined }): Mix {
  const errors: string[] = []
  const mix = toMix((field) => {
    const text = options[field.option]
    if (text === undefined) return field.initial
    const value = readNumber(text, field)
    if (value === undefined) errors.push(toError(text, field))
    return value ?? field.initial
  })
  if (errors.length > 0) throw new Error(errors.join('; '))
  return mix
}

function toMix(numberOf: (field: MixField) => number): Mix {
  const { users, callsPerMinute, hours, peak, skills } = MIX_FIELDS
  const { upstreamMs, resultBytes, refused, secrets, ledgerDays, streams, listens } = MIX_FIELDS
  return {
    users: numberOf(users),
    callsPerMinute: numberOf(callsPerMinute),
    hours: numberOf(hours),
    peak: numberOf(peak),
    skills: numberOf(skills),
    upstreamMs: numberOf(upstreamMs),
    resultBytes: numberOf(resultBytes),
    refused: numberOf(refused),
    secrets: numberOf(secrets),
    ledgerDays: numberOf(ledgerDays),
    streams: numberOf(streams),
    listens: numberOf(listens),
  }
}

function readNumber(text: string, { isWhole, max, min }: MixField): number | undefined {
  const form = isWhole ? /^\d{1,12}$/ : /^\d{1,12}(\.\d{1,6})?$/
  const value = form.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

function toError(text: string, { isWhole, max, min, option, what }: MixField): string {
  const kind = isWhole ? 'a whole number' : 'a number'
  return `--${option} (${what}): is ${JSON.stringify(text)}; give ${kind} from ${min} to ${max}`
}

type Range = readonly [initial: number, min: number, max: number]

function wholeField(option: string, [initial, min, max]: Range, what: string): MixField {
  return { option, initial, min, max, isWhole: true, what }
}

function decimalField(option: string, [initial, min, max]: Range, what: string): MixField {
  return { option, initial, min, max, isWhole: false, what }
}
