/**
 * Reads the body of sync_skill: one skill, an answer of the registry's GET routes (a skill or a
 * page), or an array of skills. Validates no skill. Bound by docs/service.md, Skill sync.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { CHANGED_NUMBERS_MAX, findChangedNumbers } from '../../json/changed-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { blankComments } from '../../json/json-comments.ts'
import { JSON_DEPTH_MAX } from '../../json/limits.ts'
import { parseJson } from '../../json/parse-json.ts'
import { refuseNumbers } from '../../skills/definition/number-faults.ts'
import type { SyncRequest } from './sync-skill.ts'

/** Skills in one request: as many as a page of GET skills has. */
export const SKILLS_SENT_MAX = 100

/** The admin function refuses longer bodies before they are read here. */
const BYTES_MAX = 3_000_000
/** Levels around a definition: a page is an object with an array of objects with a skill. */
const LEVELS_AROUND = 3

export type SentSkills =
  | { readonly kind: 'one'; readonly request: SyncRequest }
  | { readonly kind: 'many'; readonly requests: readonly Result<SyncRequest>[] }

/**
 * A text that is neither an array nor an answer of a GET is returned as one skill, unchanged but for
 * comments in JSON.
 */
export function readSentSkills(sent: SyncRequest): Result<SentSkills> {
  const request = { ...sent, text: blankComments(sent.text) }
  // An array begins with `[{` or is `[]`: `[ ] a task` is Markdown.
  const isArray = /^\s*\[\s*(?:\{|\]\s*$)/.test(request.text)
  if (!isArray && !request.text.trimStart().startsWith('{')) return ok({ kind: 'one', request })
  const limits = { bytesMax: BYTES_MAX, depthMax: JSON_DEPTH_MAX + LEVELS_AROUND }
  const parsed = parseJson(request.text, limits)
  if (!parsed.ok) return isArray ? parsed : ok({ kind: 'one', request })
  const changed = findChangedNumbers(request.text, [])
  const list = findSkillList(parsed.value)
  if (list !== undefined) return readMany(request, parsed.value, list, changed)
  const one = isView(parsed.value)
    ? readSentItem(request, parsed.value, changed)
    : checkNumbers(request, changed)
  return one.ok ? ok({ kind: 'one', request: one.value }) : one
}

function readMany(
  request: SyncRequest,
  whole: Json,
  list: readonly Json[],
  changed: readonly FieldError[],
): Result<SentSkills> {
  if (list.length === 0 || list.length > SKILLS_SENT_MAX) {
    return refuse('malformed', `body: has ${list.length} skills; send 1 to ${SKILLS_SENT_MAX}.`)
  }
  // `changed` is cut at this length, so a skill that it does not name may have changed numbers,
  // too.
  if (changed.length >= CHANGED_NUMBERS_MAX) return refuseNumbers(changed)
  const place = Array.isArray(whole) ? '' : '/skills'
  const requests = list.map((item, index) =>
    readSentItem(request, item, findFaultsBelow(`${place}/${index}`, changed)),
  )
  return ok({ kind: 'many', requests })
}

/** The errors below a place, with pointers that start there. */
export function findFaultsBelow(
  place: string,
  faults: readonly FieldError[],
): readonly FieldError[] {
  return faults.flatMap(({ pointer, message }) =>
    pointer.startsWith(`${place}/`) ? [{ pointer: pointer.slice(place.length), message }] : [],
  )
}

/** Refuses a request with numbers that JSON.parse has changed. */
function checkNumbers<T>(request: T, changed: readonly FieldError[]): Result<T> {
  return changed.length === 0 ? ok(request) : refuseNumbers(changed)
}

/** Returns an array itself, or the `skills` of a page; undefined for one skill. */
export function findSkillList(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value
  const skills = isJsonObject(value) && !isDefinition(value) ? value['skills'] : undefined
  return Array.isArray(skills) ? skills : undefined
}

type View = JsonObject & { readonly skill: JsonObject }

/** The answer of a GET of one skill: its definition, with the gateway's own fields beside it. */
function isView(value: Json): value is View {
  return isJsonObject(value) && !isDefinition(value) && isJsonObject(value['skill'])
}

function isDefinition(value: JsonObject): boolean {
  return ['id', 'meta', 'config'].some((name) => Object.hasOwn(value, name))
}

/**
 * Reads one skill, a definition or the answer of a GET. `changed` has the changed numbers of the
 * item, with pointers that start there.
 */
export function readSentItem(
  request: SyncRequest,
  item: Json,
  changed: readonly FieldError[],
): Result<SyncRequest> {
  if (!isView(item)) return checkNumbers({ ...request, text: JSON.stringify(item) }, changed)
  const inSkill = findFaultsBelow('/skill', changed)
  if (inSkill.length > 0) return refuseNumbers(inSkill)
  const { skill, uid } = item
  const text = JSON.stringify(skill)
  if (typeof uid !== 'string') return ok({ ...request, text })
  if (request.uid !== undefined && request.uid !== uid) return OTHER_OWNER
  return ok({ ...request, text, uid })
}

const OTHER_OWNER = refuseFields('malformed', [
  { pointer: '/query/uid', message: 'is not the uid that the body has; send one of them' },
])
