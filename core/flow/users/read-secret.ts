/**
 * Parses what administrators send about a secret: its place, value and use, and the cursor of a
 * list.
 */
import { err, type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { readBodyFields, refuseBody, refuseFields } from '../../json/body-fields.ts'
import { decodePositionPart, readPageStart, writeCursor } from '../../json/cursor.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import {
  KEEP_PREVIOUS_SEC_MAX,
  SECRET_MARKET_SKILLS_MAX,
  SECRET_ORIGINS_MAX,
} from '../../secrets/limits.ts'
import {
  FIRST_SECRET_PLACE,
  isSecretName,
  readSecretValue,
  SECRET_NAME_RULE,
  type SecretPlace,
} from '../../secrets/secret.ts'
import type { Notes } from '../../skills/definition/field-notes.ts'
import { readSkillId } from '../../skills/definition/read-identity.ts'
import { isFunctionOrigin } from '../../skills/lambda-target.ts'

/** `name` is from the path of the route, `skill` from its query, with or without the prefix. */
export type SecretPlaceQuery = { readonly name: string; readonly skill: string | undefined }

/** Refuses with `malformed`. Does not read the skill; bind-secret.ts does. */
export function readSecretPlace(prefix: string, query: SecretPlaceQuery): Result<SecretPlace> {
  const { name, skill } = query
  if (!isSecretName(name)) return refuse('malformed', `name: must be ${SECRET_NAME_RULE}.`)
  if (skill === undefined) return ok({ name, skillId: undefined })
  const notes: Notes = { faults: [], warnings: [], slips: [], notYet: [] }
  // Ids of all tiers follow the rules for private skills.
  const skillId = readSkillId(notes, skill, { prefix, source: 'private' })
  const [fault] = notes.faults
  if (fault !== undefined) {
    return refuseFields('malformed', [{ pointer: '/query/skill', message: fault.message }])
  }
  return ok({ name, skillId })
}

export type SecretBody = {
  readonly value: string
  readonly origins: readonly string[]
  readonly marketSkills: readonly string[]
}

/** Parses the body `{value, origins?, marketSkills?}`. Reports all field errors at once. */
export function readSecretBody(prefix: string, body: Json): Result<SecretBody> {
  const fields = readBodyFields(body, ['value', 'origins', 'marketSkills'])
  if (!fields.ok) return fields
  const faults: FieldError[] = []
  const value = readValue(faults, fields.value)
  const origins = readOrigins(faults, fields.value)
  const skillList = { field: 'marketSkills', max: SECRET_MARKET_SKILLS_MAX }
  const marketSkills = readTexts(faults, fields.value, skillList, (text) => {
    const notes: Notes = { faults: [], warnings: [], slips: [], notYet: [] }
    const skillId = readSkillId(notes, text, { prefix, source: 'market' })
    const [fault] = notes.faults
    return fault === undefined ? ok(skillId) : err(fault.message)
  })
  if (value === undefined || faults.length > 0) return refuseBody(faults)
  return ok({ value, origins, marketSkills })
}

export type SharedSecretBody = Pick<SecretBody, 'origins' | 'value'> & {
  /** Seconds for which the replaced value may also be used; 0 for not at all. */
  readonly keepPreviousSec: number
}

/** Parses the body `{value, origins?, keepPreviousSec?}`. Reports all field errors at once. */
export function readSharedSecretBody(body: Json): Result<SharedSecretBody> {
  const fields = readBodyFields(body, ['value', 'origins', 'keepPreviousSec'])
  if (!fields.ok) return fields
  const faults: FieldError[] = []
  const value = readValue(faults, fields.value)
  const origins = readOrigins(faults, fields.value)
  const keepPreviousSec = readKeepSec(faults, fields.value)
  if (value === undefined || faults.length > 0) return refuseBody(faults)
  return ok({ value, origins, keepPreviousSec })
}

export const KEEP_PREVIOUS_RULE = `must be a whole number of seconds from 0 to ${KEEP_PREVIOUS_SEC_MAX}`

function readKeepSec(faults: FieldError[], { keepPreviousSec = 0 }: JsonObject): number {
  const isSec =
    typeof keepPreviousSec === 'number' &&
    Number.isInteger(keepPreviousSec) &&
    keepPreviousSec >= 0 &&
    keepPreviousSec <= KEEP_PREVIOUS_SEC_MAX
  if (isSec) return keepPreviousSec
  faults.push({ pointer: '/keepPreviousSec', message: KEEP_PREVIOUS_RULE })
  return 0
}

function readValue(faults: FieldError[], body: JsonObject): string | undefined {
  const value = readSecretValue(body['value'])
  if (value.ok) return value.value
  faults.push({ pointer: '/value', message: value.error })
  return undefined
}

function readOrigins(faults: FieldError[], body: JsonObject): readonly string[] {
  const originList = { field: 'origins', max: SECRET_ORIGINS_MAX }
  return readTexts(faults, body, originList, (text) =>
    isOrigin(text) ? ok(text) : err(ORIGIN_RULE),
  )
}

/** Reads a list of texts, each once; empty if the field is absent. */
function readTexts(
  faults: FieldError[],
  body: JsonObject,
  { field, max }: { readonly field: string; readonly max: number },
  readOne: (text: string) => Result<string, string>,
): readonly string[] {
  const sent = body[field] ?? []
  if (!Array.isArray(sent) || sent.length > max) {
    faults.push({ pointer: `/${field}`, message: `must be a list of ${max} at most` })
    return []
  }
  const read = sent.map((one: Json) => (typeof one === 'string' ? readOne(one) : err(TEXT_RULE)))
  const values = read.flatMap((one, index) => {
    if (one.ok) return [one.value]
    faults.push({ pointer: `/${field}/${index}`, message: one.error })
    return []
  })
  return [...new Set(values)]
}

const TEXT_RULE = 'must be a string'
export const ORIGIN_RULE =
  'must be an origin as browsers write it, such as https://api.example.com, or a Lambda function: its ARN, or lambda:NAME'

/** True for an origin as `URL.origin` writes it: lower case, no path, no default port. */
function isOrigin(text: string): boolean {
  if (isFunctionOrigin(text)) return true
  return /^https?:\/\//.test(text) && URL.parse(text)?.origin === text
}

/** The cursor after a secret. */
export function writeSecretCursor({ name, skillId = '' }: SecretPlace): string {
  return writeCursor(`${name}:${encodeURIComponent(skillId)}`)
}

/** The place after which a page begins; FIRST_SECRET_PLACE without a cursor. Refuses with `malformed`. */
export function readSecretCursor(cursor: string | undefined): Result<SecretPlace> {
  const place = readPageStart(cursor, parsePlace)
  return place.ok ? ok(place.value ?? FIRST_SECRET_PLACE) : place
}

function parsePlace(position: string): SecretPlace | undefined {
  const [, name, skill] = /^([A-Z0-9_]{1,64}):(.*)$/.exec(position) ?? []
  const skillId = decodePositionPart(skill)
  if (name === undefined || skillId === undefined) return undefined
  return { name, skillId: skillId === '' ? undefined : skillId }
}
