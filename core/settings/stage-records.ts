/**
 * The stages of `skillgate.config.json` as records: a stage has a name, the stage that it is like,
 * and the fields in which it differs. Checks names, fields and values by the table of settings, and
 * reports all faults at once, each in one line. lib/stages.ts makes stages of the records. Bound by
 * docs/deploy.md, Settings.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { describeChoices, describeWrongValue } from './describe-setting.ts'
import { STAGE } from './form.ts'
import { findNearest } from './nearest.ts'
import { describeRule, findSettingErrors } from './read-setting.ts'
import { SETTINGS, STAGE_SETTINGS } from './table.ts'
import { parseTierLimit } from './tier-limits.ts'

/** Where the stages of a team are written. */
export const CONFIG_FILE = 'skillgate.config.json'

/** The stages that need no file. A file may change their fields. */
export const BUILT_IN_STAGES = ['dev', 'prod'] as const
export type BuiltInStage = (typeof BUILT_IN_STAGES)[number]

export type StageRecord = {
  /** Another record or a built-in stage; undefined only for a built-in stage. */
  readonly like: string | undefined
  /** Values that fit their rows; undefined takes away what the other stage has. */
  readonly fields: { readonly [name: string]: unknown }
}

export type StageRecords = ReadonlyMap<string, StageRecord>

/** A stage by its record: the built-in stage at the end of `like`, and all fields of the records. */
export type ResolvedRecord = {
  readonly like: BuiltInStage
  readonly fields: StageRecord['fields']
}

const FIELDS = { ...SETTINGS, ...STAGE_SETTINGS }
const FIELD_NAMES = Object.keys(FIELDS)
/** Of a wrong name. */
const SHOWN_CHARS_MAX = 80
const TOP_NAMES = ['$schema', 'stages']

/** Returns the records, or a line for each fault. */
export function readStageRecords(value: Json): Result<StageRecords, readonly string[]> {
  if (!isJsonObject(value)) return err(['the file: is no object; give {"stages": {…}}'])
  const top = Object.keys(value)
    .filter((name) => !TOP_NAMES.includes(name))
    .map((name) => `${showName(name)}: is unknown here; give ${describeChoices(TOP_NAMES)}`)
  const { $schema = '', stages = {} } = value
  if (typeof $schema !== 'string') {
    top.push(describeWrongValue('$schema', $schema, 'the path of the schema'))
  }
  if (!isJsonObject(stages)) {
    return err([...top, describeWrongValue('stages', stages, 'an object of stages by name')])
  }
  const entries = Object.entries(stages)
  const faults = [...top, ...entries.flatMap(([name, stage]) => findStageFaults(name, stage))]
  if (faults.length > 0) return err(faults)
  const records = new Map(
    entries.map(([name, stage]) => [name, toRecord(isJsonObject(stage) ? stage : {})]),
  )
  const chains = entries.flatMap(([name]) => findLikeFaults(name, records))
  return chains.length === 0 ? ok(records) : err(chains)
}

/** Follows `like` of the record, or of the built-in stage, that has this name. */
export function resolveRecord(name: string, records: StageRecords): ResolvedRecord | undefined {
  const { end, names } = followLike(name, records)
  if (!isBuiltIn(end)) return undefined
  const fields = names.toReversed().map((one) => records.get(one)?.fields)
  return { like: end, fields: Object.assign({}, ...fields) }
}

/** All names: the built-in ones first, then those of the file. */
export function listStageNames(records: StageRecords): readonly string[] {
  return [...new Set<string>([...BUILT_IN_STAGES, ...records.keys()])]
}

/** What to give in place of a name that no stage has. */
export function describeUnknownStage(given: unknown, records: StageRecords): string {
  const names = listStageNames(records)
  const nearest = typeof given === 'string' ? findNearest(given, names) : undefined
  const hint =
    nearest === undefined ? `, or add it to ${CONFIG_FILE}` : ` (did you mean ${nearest}?)`
  return `${describeWrongValue('stage', given, describeChoices(names))}${hint}`
}

/** The line about credentials of another account than the one that the file gives the stage. */
export function describeOtherAccount(stage: string, wanted: string, given: string): string {
  return `account: stage ${stage} is for ${wanted}, and these credentials are of ${given}; sign in to that account, or change account in ${CONFIG_FILE}`
}

/** The line about a field that no stage has. */
export function describeUnknownField(name: string): string {
  const nearest = findNearest(name, ['like', ...FIELD_NAMES])
  const hint = nearest === undefined ? 'docs/settings.md lists them' : `did you mean ${nearest}?`
  return `${showName(name)}: is no field of a stage; ${hint}`
}

function findStageFaults(name: string, stage: Json | undefined): readonly string[] {
  const at = `stages.${showName(name)}`
  const named = STAGE.fits(name) ? [] : [`${at}: has a wrong name; give ${STAGE.rule}`]
  if (!isJsonObject(stage)) {
    return [...named, describeWrongValue(at, stage, 'an object of fields; {} changes none')]
  }
  const { like, ...fields } = stage
  return [
    ...named,
    ...findLikeFault(name, like),
    ...Object.entries(fields).flatMap(([field, value]) => findFieldFaults(at, field, value)),
  ]
}

function findLikeFault(name: string, like: Json | undefined): readonly string[] {
  const at = `stages.${showName(name)}.like`
  if (isBuiltIn(name)) {
    if (like === undefined) return []
    return [
      `${at}: is not for ${name}, which is built in; take it away, or name the stage otherwise`,
    ]
  }
  const rule = `${describeChoices(BUILT_IN_STAGES)}, or another stage of the file`
  if (like === undefined) return [`${at}: is missing; give ${rule}`]
  return typeof like === 'string' ? [] : [describeWrongValue(at, like, rule)]
}

function findFieldFaults(at: string, name: string, value: Json | undefined): readonly string[] {
  const row = Object.entries(FIELDS).find(([field]) => field === name)?.[1]
  if (row === undefined) return [`${at}.${describeUnknownField(name)}`]
  if (value === null && row.default === undefined) return []
  // Only stages in TypeScript have objects as limits of tiers.
  const values = row.kind === 'tiers' && Array.isArray(value) ? value : []
  const objects = values.filter((entry) => isJsonObject(entry))
  if (objects.length === 0) return findSettingErrors(`${at}.${name}`, row, value)
  return objects.map((one) => describeWrongValue(`${at}.${name}`, one, describeRule(row, 'stage')))
}

/** `stage` was checked. null in the file is undefined in a stage. */
function toRecord({ like, ...fields }: JsonObject): StageRecord {
  const values = Object.entries(fields).map(([name, value]) => [name, toFieldValue(name, value)])
  return {
    like: typeof like === 'string' ? like : undefined,
    fields: Object.fromEntries(values),
  }
}

function toFieldValue(name: string, value: Json | undefined): unknown {
  if (value === null) return undefined
  if (name !== 'tierLimits' || !Array.isArray(value)) return value
  return value.map((entry) => parseTierLimit(String(entry)))
}

function findLikeFaults(name: string, records: StageRecords): readonly string[] {
  const { end, names } = followLike(name, records)
  if (isBuiltIn(end)) return []
  const others = listStageNames(records).filter((one) => one !== name)
  const like = records.get(name)?.like
  if (names.includes(end)) {
    const path = [...names, end].join(' → ')
    return [`stages.${name}.like: leads back to a stage (${path}); end it at dev or prod`]
  }
  // The stage that names the unknown one has the fault, and not each that is like it.
  if (like !== end) return []
  const nearest = findNearest(end, others)
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  return [`${describeWrongValue(`stages.${name}.like`, like, describeChoices(others))}${hint}`]
}

/** `end` is a built-in stage, an unknown one, or one of `names`, which are in order of `like`. */
function followLike(name: string, records: StageRecords) {
  const names: string[] = []
  let end = name
  while (!names.includes(end)) {
    const record = records.get(end)
    if (record === undefined) return { names, end }
    names.push(end)
    if (record.like === undefined) return { names, end }
    end = record.like
  }
  return { names, end }
}

/** A name that is none, such as one with a line feed, as JSON: each fault is one line. */
function showName(name: string): string {
  return /^[$\w-]+$/.test(name) && name.length <= SHOWN_CHARS_MAX
    ? name
    : JSON.stringify(name.slice(0, SHOWN_CHARS_MAX))
}

function isBuiltIn(name: string): name is BuiltInStage {
  return BUILT_IN_STAGES.some((one) => one === name)
}
