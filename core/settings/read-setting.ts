/**
 * Checks one value by its row of the table: a typed value of a stage, or the text of a variable or
 * option. Each error is one line with the name that its reader uses for the setting, the given
 * value, and what to give.
 */
import { err, ok, type Result } from '../errors.ts'
import { findIssuerErrors, parseIssuers, writeIssuers } from '../issuers/issuer-setting.ts'
import { describeChoices, describeWrongValue } from './describe-setting.ts'
import type { Setting, Settings, ValuesOf } from './setting.ts'
import { parseTierLimit, TIER_LIMIT_RULE, type TierLimit, writeTierLimit } from './tier-limits.ts'

/**
 * The reader of the message: an operator who edits a stage, a function's variables, or options of
 * the twin.
 */
export type Reader = 'stage' | 'function' | 'twin'

const CREDITS = /^\d{1,9}(?:\.\d{1,6})?$/
/** Words of a switch by their writer. Error messages name the first word. */
const SWITCH_WORDS = {
  stage: { on: ['true'], off: ['false'] },
  function: { on: ['on'], off: ['off'] },
  twin: { on: ['1', 'true', 'yes', 'on'], off: ['0', 'false', 'no', 'off'] },
} as const

const ISSUER_RULES: { readonly [R in Reader]: string } = {
  stage: 'a list of authorization servers, as docs/issuers/README.md shows it',
  function: 'a JSON list of authorization servers',
  twin: 'a file with a JSON list of authorization servers, as docs/issuers/README.md shows it',
}

/** What the setting accepts; completes "give …". */
export function describeRule(row: Setting, reader: Reader): string {
  switch (row.kind) {
    case 'switch':
      return describeChoices([SWITCH_WORDS[reader].on[0], SWITCH_WORDS[reader].off[0]])
    case 'whole':
    case 'counts':
      return `a whole number from ${row.min} to ${row.max}`
    case 'credits':
      return `credits from 0 to ${row.max} with at most 6 decimals`
    case 'choice':
      return describeChoices(row.choices)
    case 'text':
    case 'list':
      return row.form.rule
    case 'secret':
      return 'the secret'
    case 'tiers':
      return TIER_LIMIT_RULE
    case 'issuers':
      return ISSUER_RULES[reader]
    default:
      return row satisfies never
  }
}

/** The value of a text, or a line for each error. */
export function readText(
  name: string,
  row: Setting,
  { reader, text }: { readonly reader: Reader; readonly text: string },
): Result<unknown, readonly string[]> {
  if (row.kind === 'list' || row.kind === 'tiers') return readEntries(name, row, text)
  if (row.kind === 'issuers') return parseIssuers(name, text)
  const value = parseScalar(row, text, reader)
  if (value !== undefined && isAllowed(row, value)) {
    return ok(row.kind === 'text' ? (row.form.tidy?.(text) ?? text) : value)
  }
  return err([describeWrongValue(name, text, describeRule(row, reader))])
}

/** A line for each error of a stage's field; [] if it has none. */
export function findSettingErrors(name: string, row: Setting, value: unknown): readonly string[] {
  if (value === undefined && 'default' in row && row.default === undefined) return []
  if (row.kind === 'counts') return findCountErrors(name, row, value)
  if (row.kind === 'list' || row.kind === 'tiers') return findEntryErrors(name, row, value)
  if (row.kind === 'issuers') return findIssuerErrors(name, value)
  return isAllowed(row, value) ? [] : [describeWrongValue(name, value, describeRule(row, 'stage'))]
}

function findCountErrors(name: string, row: CountsRow, value: unknown): readonly string[] {
  const { names = [], namesAllowed = names } = row
  const rule = describeRule(row, 'stage')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const which = names.length > 0 ? names.join(' and ') : `any of ${namesAllowed.join(', ')}`
    return [describeWrongValue(name, value, `an object: ${which}, each ${rule}`)]
  }
  const counts = new Map<string, unknown>(Object.entries(value))
  const missing = names.filter((key) => !counts.has(key))
  return [
    ...missing.map((key) => `${name}.${key}: is missing; give ${rule}`),
    ...[...counts].flatMap(([key, count]) => {
      if (!namesAllowed.includes(key)) {
        return [`${name}.${key}: is unknown; give ${describeChoices(namesAllowed)}`]
      }
      if (isAllowed({ ...row, kind: 'whole' }, count)) return []
      return [describeWrongValue(`${name}.${key}`, count, rule)]
    }),
  ]
}

function findEntryErrors(name: string, row: ListRow, value: unknown): readonly string[] {
  const rule = describeRule(row, 'stage')
  if (!Array.isArray(value))
    return [describeWrongValue(name, value, `a list; each entry is ${rule}`)]
  const wrong = value.filter((entry) => typeof entry !== 'string' && !isTierLimit(row, entry))
  if (wrong.length > 0) return wrong.map((entry) => describeWrongValue(name, entry, rule))
  const read = readEntries(name, row, toEntryTexts(value))
  return read.ok ? [] : read.error
}

/** A stage in TypeScript has limits of tiers as objects, a file as texts. */
function isTierLimit(row: ListRow, entry: unknown): boolean {
  return row.kind === 'tiers' && typeof entry === 'object' && entry !== null
}

/**
 * The text that a stack writes for a stage's field into a function's variable; empty for an empty
 * list.
 */
export function writeSettingText({ kind }: Pick<Setting, 'kind'>, value: unknown): string {
  if (kind === 'issuers') return writeIssuers(value)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? toEntryTexts(value).join(',') : String(value)
}

/** The defaults of settings, none of which may be required. */
export function listDefaults<S extends Settings>(settings: S): ValuesOf<S> {
  const entries = Object.entries(settings).map(([name, row]) => [name, row.default])
  // A cast, as in parsers: `Object.entries` cannot give each name its own type.
  return Object.fromEntries(entries) as ValuesOf<S>
}

/** Each entry as text. A limit of a tier has the form of its variable. */
function toEntryTexts(value: unknown): readonly string[] {
  const entries: readonly (string | TierLimit)[] = Array.isArray(value) ? value : []
  return entries.map((entry) => (typeof entry === 'string' ? entry : writeTierLimit(entry)))
}

type ListRow = Extract<Setting, { readonly kind: 'list' | 'tiers' }>
type CountsRow = Extract<Setting, { readonly kind: 'counts' }>

/** Reads comma-separated text or a list of entries; empty entries of a text are ignored. */
function readEntries(
  name: string,
  row: ListRow,
  given: string | readonly string[],
): Result<unknown, readonly string[]> {
  const entries = typeof given === 'string' ? given.split(',').map((one) => one.trim()) : given
  const named = typeof given === 'string' ? entries.filter((entry) => entry !== '') : entries
  const values = named.map((entry) => readEntry(row, entry))
  const wrong = named.filter((_, i) => values[i] === undefined)
  const faults = wrong.map((entry) => describeWrongValue(name, entry, describeRule(row, 'stage')))
  if (named.length > row.entriesMax) {
    faults.unshift(`${name}: has ${named.length} entries; give at most ${row.entriesMax}`)
  }
  return faults.length === 0 ? ok(values) : err(faults)
}

function readEntry(row: ListRow, entry: string): string | TierLimit | undefined {
  if (row.kind === 'tiers') return parseTierLimit(entry)
  if (!row.form.fits(entry)) return undefined
  return row.form.tidy?.(entry) ?? entry
}

function parseScalar(row: Setting, text: string, reader: Reader): unknown {
  switch (row.kind) {
    case 'switch': {
      const on: readonly string[] = SWITCH_WORDS[reader].on
      const off: readonly string[] = SWITCH_WORDS[reader].off
      return on.includes(text) || (off.includes(text) ? false : undefined)
    }
    case 'whole':
      return /^\d{1,9}$/.test(text) ? Number(text) : undefined
    case 'credits':
      return CREDITS.test(text) ? Number(text) : undefined
    case 'choice':
      return row.choices.find((choice) => String(choice) === text)
    default:
      return text
  }
}

function isAllowed(row: Setting, value: unknown): boolean {
  switch (row.kind) {
    case 'switch':
      return typeof value === 'boolean'
    case 'whole':
      return Number.isInteger(value) && Number(value) >= row.min && Number(value) <= row.max
    case 'credits':
      return typeof value === 'number' && CREDITS.test(String(value)) && value <= row.max
    case 'choice':
      return row.choices.some((choice) => choice === value)
    case 'text':
      return typeof value === 'string' && row.form.fits(value)
    default:
      return typeof value === 'string'
  }
}
