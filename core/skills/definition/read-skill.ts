/**
 * The unified JSON of a skill (docs/service.md, Skill entry) to a typed {@link Skill}. Names every
 * fault at once with its JSON Pointer, the limit and the remedy; refuses hidden characters in what people and models read;
 * keeps fields that it does not know. Judges neither the target host (core/call) nor the soundness of the schema (port
 * `Schemas`).
 */
import { type FieldFault, ok, type Result, refuse } from '../../errors.ts'
import { hiddenFaults } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import { DEFINITION_BYTES_MAX, FAULTS_MAX, OPERATING_BYTES_MAX } from '../limits.ts'
import type { Skill, SkillSource } from '../skill.ts'
import { fault, type Notes, warnUnknown } from './field-notes.ts'
import { readConfig } from './read-config.ts'
import { readSkillGroups, readSkillId, readSkillUid, readSource } from './read-identity.ts'
import { readMeta } from './read-meta.ts'
import { PRICE_RULE, priceUnits } from './read-price.ts'
import { readState } from './read-state.ts'

export type ReadOptions = {
  readonly prefix: string
  /** The tier that the request names, where the text may leave it out. */
  readonly source?: SkillSource
  /** Slips are faults. */
  readonly strict?: boolean | undefined
  /** Judged when it was pushed; has its operating state beside it, and gets no warnings for its author. */
  readonly isStored?: true
}

export type ReadSkill = {
  readonly skill: Skill
  /** To be stored: prefix, source, method and price written out, unknown fields kept. */
  readonly definition: JsonObject
  readonly warnings: readonly string[]
  /** Among the warnings: fields and places that are probably mistakes. */
  readonly slips: readonly FieldFault[]
}

/** `$schema` is for editors: kept and not used. */
const KNOWN =
  '$schema id source skill_uid groups meta config credits_per_call state state_reason import'.split(
    ' ',
  )

/** Refuses with `invalid_skill`. Reading what it returned as `definition` gives the same skill. */
export function readSkill(definition: Json, options: ReadOptions): Result<ReadSkill> {
  if (!isJsonObject(definition)) return refused([at('', 'is not an object; send { … }')])
  const bytesMax = DEFINITION_BYTES_MAX + (options.isStored === true ? OPERATING_BYTES_MAX : 0)
  const overlong = lengthFault(definition, bytesMax)
  if (overlong !== undefined) return refused([overlong])
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
  if (options.isStored !== true) noteHidden(notes, definition)
  if (options.strict === true) notes.faults.push(...notes.slips)
  if (notes.faults.length > 0 || source === undefined) return refused(notes.faults)
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
    config: { ...rawConfig, method: config.method },
  }
  // The written-out definition must fit as well: the stored text is read, and sent back, under this limit.
  const tooLong = lengthFault(normalised, bytesMax)
  if (tooLong !== undefined) return refused([tooLong])
  const warnings = [...notes.warnings, ...notYet.map(notYetWarning)]
  return ok({ skill, definition: normalised, warnings, slips: notes.slips })
}

/** What people and models read of a skill. */
const SHOWN = ['id', 'meta', 'state_reason']

/** A text that has another fault is named once. */
function noteHidden(notes: Notes, definition: JsonObject): void {
  const named = new Set(notes.faults.map(({ pointer }) => pointer))
  const found = SHOWN.flatMap((name) => hiddenFaults(definition[name], `/${name}`))
  notes.faults.push(...found.filter(({ pointer }) => !named.has(pointer)))
}

function lengthFault(definition: JsonObject, bytesMax: number): FieldFault | undefined {
  const bytes = bytesOf(JSON.stringify(definition))
  return bytes <= bytesMax ? undefined : at('', `has ${bytes} bytes; shorten it to ${bytesMax}`)
}

/** False: not listed, and a call is refused without charge (docs/service.md, Plugin hooks). */
export function isRunnable(skill: Skill): boolean {
  return skill.notYet.length === 0
}

/** A missing price is a fault, not 0: a field that a serialiser left out would make a skill free. */
function readPrice(notes: Notes, value: Json | undefined): number {
  const units = priceUnits(value)
  if (units !== undefined) return units
  const verb = value === undefined ? 'is missing; send' : 'must be'
  const free = value === undefined || value === null ? '; 0 is free' : ''
  fault(notes, '/credits_per_call', `${verb} ${PRICE_RULE}${free}`)
  return 0
}

function notYetWarning(clause: string): string {
  return `${clause} in this build; the skill is kept, not listed, and calls are refused without charge`
}

function at(pointer: string, message: string): FieldFault {
  return { pointer, message }
}

function refused(faults: readonly FieldFault[]) {
  const [first] = faults
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
  return refuse(
    'invalid_skill',
    `The skill definition has ${count}: ${first?.pointer || 'it'} ${first?.message ?? ''}.`,
    { faults: faults.slice(0, FAULTS_MAX) },
  )
}
