/**
 * Reads the body of POST skills:plan and skills:apply: a JSON array of skills, a page of GET
 * skills, or one line of JSON for each skill (NDJSON). A skill is a definition, the answer of a
 * GET, or a file: `{"path", "text"}` with Markdown or JSON. Validates no skill.
 */
import { type FieldError, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { CHANGED_NUMBERS_MAX, findChangedNumbers } from '../../json/changed-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { blankComments } from '../../json/json-comments.ts'
import { JSON_DEPTH_MAX } from '../../json/limits.ts'
import { parseJson } from '../../json/parse-json.ts'
import { refuseNumbers } from '../../skills/definition/number-faults.ts'
import { SET_BYTES_MAX } from '../../skills/set-limits.ts'
import { findFaultsBelow, findSkillList, readSentItem } from '../registry/sent-skills.ts'
import type { SyncRequest } from '../registry/sync-skill.ts'

/** Skills in one set: all are compared and stored within one request. */
export const SET_SKILLS_MAX = 1_000
/** Levels around a definition: a page is an object with an array of objects with a skill. */
const LEVELS_AROUND = 3
const PATH_CHARS_MAX = 500

/** One skill of a set, before it is validated. */
export type SetItem = {
  /** JSON Pointer into the set, in which a line of NDJSON is a member. */
  readonly pointer: string
  /** The file's path, or the pointer if there is no file. */
  readonly file: string
  readonly request: Result<SyncRequest>
}

type SentMember = {
  readonly pointer: string
  readonly value: Result<Json>
  /** Numbers that JSON.parse has changed, with pointers from the member. */
  readonly changed: readonly FieldError[]
}

/** Refuses with `malformed` a body without skills, with too many, or that is no JSON. */
export function readSet(text: string, source: 'official' | 'market'): Result<readonly SetItem[]> {
  const sent = readMembers(blankComments(text))
  if (!sent.ok) return sent
  const count = sent.value.length
  if (count === 0 || count > SET_SKILLS_MAX) {
    return refuse('malformed', `body: has ${count} skills; send 1 to ${SET_SKILLS_MAX}.`)
  }
  const base: SyncRequest = { text: '', source, uid: undefined, list: 'later' }
  return ok(sent.value.map((member) => toItem(base, member)))
}

const LIMITS = { bytesMax: SET_BYTES_MAX, depthMax: JSON_DEPTH_MAX + LEVELS_AROUND }

function readMembers(text: string): Result<readonly SentMember[]> {
  const whole = parseJson(text, LIMITS)
  if (!whole.ok) return mayBeLines(text, whole.error) ? readLines(text, whole.error) : whole
  const changed = findChangedNumbers(text, [])
  // `changed` is cut at this length, so a skill that it does not name may have changed numbers,
  // too.
  if (changed.length >= CHANGED_NUMBERS_MAX) return refuseNumbers(changed)
  const list = findSkillList(whole.value)
  if (list === undefined) return ok([{ pointer: '', value: whole, changed }])
  const place = Array.isArray(whole.value) ? '' : '/skills'
  return ok(
    list.map((value, index) => {
      const pointer = `${place}/${index}`
      return { pointer, value: ok(value), changed: findFaultsBelow(pointer, changed) }
    }),
  )
}

/** A refusal with `faults` is about one JSON value, so the text is not NDJSON. */
function mayBeLines(text: string, { faults }: Refusal): boolean {
  return faults === undefined && text.trimStart().startsWith('{')
}

/** A text of one line that is no JSON is refused as a whole. */
function readLines(text: string, refusal: Refusal): Result<readonly SentMember[]> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length < 2) return { ok: false, error: refusal }
  return ok(
    lines.map((line, index) => ({
      pointer: `/${index}`,
      value: parseJson(line, { ...LIMITS, subject: 'line' }),
      changed: findChangedNumbers(line, []),
    })),
  )
}

function toItem(base: SyncRequest, { changed, pointer, value }: SentMember): SetItem {
  if (!value.ok) return { pointer, file: pointer, request: value }
  if (isFile(value.value)) return toFileItem(base, pointer, value.value)
  return { pointer, file: pointer, request: readSentItem(base, value.value, changed) }
}

type SentFile = JsonObject & { readonly path: string; readonly text: string }

function isFile(value: Json): value is SentFile {
  return (
    isJsonObject(value) &&
    typeof value['path'] === 'string' &&
    typeof value['text'] === 'string' &&
    Object.keys(value).length === 2
  )
}

function toFileItem(base: SyncRequest, pointer: string, { path, text }: SentFile): SetItem {
  const file = path.trim() === '' ? pointer : path.slice(0, PATH_CHARS_MAX).toWellFormed()
  const plain = blankComments(text)
  const faults = plain.trimStart().startsWith('{') ? findChangedNumbers(plain, []) : []
  if (faults.length > 0) return { pointer, file, request: refuseNumbers(faults) }
  return { pointer, file, request: ok({ ...base, text: plain }) }
}
