/**
 * Parses what administrators send about a secret: its place, its value, and the cursor of a list.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody, fieldsOf, refuseFields } from '../../json/body-fields.ts'
import { readCursor, writeCursor } from '../../json/cursor.ts'
import type { Json } from '../../json/json.ts'
import { isSecretName, SECRET_NAME_RULE } from '../../secrets/secret.ts'
import { FIRST_PLACE, type SecretPlace } from '../../secrets/secret-place.ts'
import { readSecretValue } from '../../secrets/secret-value.ts'
import type { Notes } from '../../skills/field-notes.ts'
import { readSkillId } from '../../skills/read-identity.ts'

/** `name` from the path of the route, `skill` from its query, with or without the prefix. */
export type SecretPlaceQuery = { readonly name: string; readonly skill: string | undefined }

/** Refuses with `malformed`. Does not look for the skill, since a secret may be set before it. */
export function readSecretPlace(prefix: string, asked: SecretPlaceQuery): Result<SecretPlace> {
  const { name, skill } = asked
  if (!isSecretName(name)) return refuse('malformed', `name: must be ${SECRET_NAME_RULE}.`)
  if (skill === undefined) return ok({ name, skillId: undefined })
  const notes: Notes = { faults: [], warnings: [], notYet: [] }
  // Ids of all tiers keep the rules of private skills.
  const skillId = readSkillId(notes, skill, { prefix, source: 'private' })
  const [fault] = notes.faults
  if (fault !== undefined) {
    return refuseFields('malformed', [{ pointer: '/query/skill', message: fault.message }])
  }
  return ok({ name, skillId })
}

/** Body `{value}`. */
export function readSecretBody(body: Json): Result<string> {
  const fields = fieldsOf(body, ['value'])
  if (!fields.ok) return fields
  const value = readSecretValue(fields.value['value'])
  return value.ok ? value : badBody([{ pointer: '/value', message: value.error }])
}

export function writeSecretCursor({ name, skillId = '' }: SecretPlace): string {
  return writeCursor(`${name}:${encodeURIComponent(skillId)}`)
}

/** The place after which a page begins; FIRST_PLACE without a cursor. Refuses with `malformed`. */
export function readSecretCursor(cursor: string | undefined): Result<SecretPlace> {
  if (cursor === undefined) return ok(FIRST_PLACE)
  const [, name, skill] = /^([A-Z0-9_]{1,64}):(.*)$/.exec(readCursor(cursor) ?? '') ?? []
  const skillId = decoded(skill)
  if (name !== undefined && skillId !== undefined) {
    return ok({ name, skillId: skillId === '' ? undefined : skillId })
  }
  const message = 'is not one that this gateway gave out; leave it out for the first secrets'
  return refuseFields('malformed', [{ pointer: '/query/cursor', message }])
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    // A client has changed the cursor.
    return undefined
  }
}
