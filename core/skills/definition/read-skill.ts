/**
 * Reads the unified JSON of a skill (docs/service.md, Skill entry) as a typed {@link Skill}. A
 * refusal has every error with its JSON Pointer, the limit and the remedy. Refuses hidden
 * characters in texts for people and models. Keeps unknown fields. Does not check the target host
 * (core/request/check-target.ts) or the validity of the schema (port `Schemas`).
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { findHiddenTexts } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { DEFINITION_BYTES_MAX, FAULTS_MAX, OPERATING_BYTES_MAX } from '../limits.ts'
import type { Skill, SkillSource } from '../skill.ts'
import { addFieldError, type Notes, warnUnknown } from './field-notes.ts'
import { readConfig } from './read-config.ts'
import { readSkillGroups, readSkillId, readSkillUid, readSource } from './read-identity.ts'
import { readMeta } from './read-meta.ts'
import { PRICE_RULE, readPriceUnits } from './read-price.ts'
import { readState } from './read-state.ts'

export type ReadOptions = {
  readonly prefix: string
  /** The tier in the request, if the text may leave it out. */
  readonly source?: SkillSource
  /** True if probable mistakes are errors. */
  readonly strict?: boolean | undefined
  /** A stored skill was checked before: it gets no warnings, and may have an operating state. */
  readonly isStored?: true
}

export type ReadSkill = {
  readonly skill: Skill
  /** The definition to store: with prefix, source, method and price, and all unknown fields. */
  readonly definition: JsonObject
  readonly warnings: readonly string[]
  /** Fields and places that are probably mistakes, which are also among the warnings. */
  readonly slips: readonly FieldError[]
}

/** `$schema` is for editors and is only stored. */
const KNOWN =
  '$schema id source skill_uid groups meta config credits_per_call state state_reason import'.split(
    ' ',
  )

/**
 * Reads a skill. Refuses with `invalid_skill`. Reading the returned `definition` gives the same
 * skill.
 */
export function readSkill(definition: Json, options: ReadOptions): Result<ReadSkill> {
  if (!isJsonObject(definition))
    return refuseErrors([toFieldError('', 'is not an object; send { … }')])
  const bytesMax = DEFINITION_BYTES_MAX + (options.isStored === true ? OPERATING_BYTES_MAX : 0)
  const overlong = checkLength(definition, bytesMax)
  if (overlong !== undefined) return refuseErrors([overlong])
  const notes: Notes = { faults: [], warnings: [], slips: [], notYet: [] }
  warnUnknown(notes, '', definition, KNOWN)
  const source = readSource(notes, definition['source'], options.source)
  const skillId = readSkillId(notes, definition['id'], { prefix: options.prefix, source })
  const skillUid = readSkillUid(notes, definition['skill_uid'])
  const shown = readSkillGroups(notes, definition['groups'], source)
  const { raw: rawMeta, ...meta } = readMeta(notes, definition['meta'], options)
  const { raw: rawConfig, ...config } = readConfig(notes, definition['config'], meta.parameters)
  const priceMicroCredits = readPrice(notes, definition['credits_per_call'])
  const state = readState(notes, definition)
  if (options.isStored !== true) addHiddenErrors(notes, definition)
  // A misspelled field is often why another one is missing, so a refusal names it too.
  if (options.strict === true || notes.faults.length > 0) notes.faults.push(...notes.slips)
  if (notes.faults.length > 0 || source === undefined) return refuseErrors(notes.faults)
  const { notYet } = notes
  const skill = {
    skillId,
    source,
    skillUid,
    ...shown,
    ...meta,
    ...config,
    ...state,
    priceMicroCredits,
    notYet,
  }
  const normalised = {
    ...definition,
    id: skillId,
    source,
    meta: { ...rawMeta, parameters: meta.parameters },
    config: config.lambda === undefined ? { ...rawConfig, method: config.method } : rawConfig,
  }
  // The limit also binds the normalised definition, which is stored and read again.
  const tooLong = checkLength(normalised, bytesMax)
  if (tooLong !== undefined) return refuseErrors([tooLong])
  const warnings = [...notes.warnings, ...notYet.map(toNotYetWarning)]
  return ok({ skill, definition: normalised, warnings, slips: notes.slips })
}

/** Fields that people and models read. */
const SHOWN = ['id', 'meta', 'state_reason']

/** Adds errors for hidden characters in texts that have no other error. */
function addHiddenErrors(notes: Notes, definition: JsonObject): void {
  const named = new Set(notes.faults.map(({ pointer }) => pointer))
  const found = SHOWN.flatMap((name) => findHiddenTexts(definition[name], `/${name}`))
  notes.faults.push(...found.filter(({ pointer }) => !named.has(pointer)))
}

function checkLength(definition: JsonObject, bytesMax: number): FieldError | undefined {
  const bytes = countBytes(JSON.stringify(definition))
  return bytes <= bytesMax
    ? undefined
    : toFieldError('', `has ${bytes} bytes; shorten it to ${bytesMax}`)
}

/** False if the skill is not listed and calls are refused free (docs/service.md, Plugin hooks). */
export function isRunnable(skill: Skill): boolean {
  return skill.notYet.length === 0
}

/**
 * Refuses a missing price: otherwise a serialiser that drops the field would make the skill free.
 */
function readPrice(notes: Notes, value: Json | undefined): number {
  const units = readPriceUnits(value)
  if (units !== undefined) return units
  const verb = value === undefined ? 'is missing; send' : 'must be'
  const free = value === undefined || value === null ? '; 0 is free' : ''
  addFieldError(notes, '/credits_per_call', `${verb} ${PRICE_RULE}${free}`)
  return 0
}

function toNotYetWarning(clause: string): string {
  return `${clause} in this build; the skill is kept, not listed, and calls are refused without charge`
}

function toFieldError(pointer: string, message: string): FieldError {
  return { pointer, message }
}

function refuseErrors(faults: readonly FieldError[]) {
  const [first] = faults
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
  return refuse(
    'invalid_skill',
    `The skill definition has ${count}: ${first?.pointer || 'it'} ${first?.message ?? ''}.`,
    { faults: faults.slice(0, FAULTS_MAX) },
  )
}
