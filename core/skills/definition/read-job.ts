/**
 * `config.task.job`: an upstream that answers the start of its work at once and is asked for the
 * state. All its addresses have the origin of `config.endpoint`, so no credential of the skill goes
 * anywhere else. Bound by docs/skills.md, Jobs.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import {
  ENDPOINT_CHARS_MAX,
  JOB_POLL_SEC_DEFAULT,
  JOB_POLL_SEC_MAX,
  JOB_POLL_SEC_MIN,
  JOB_VALUES_MAX,
  JOB_WORD_CHARS_MAX,
  JOB_WORDS_MAX,
  PICK_CHARS_MAX,
} from '../limits.ts'
import type { HttpMethod, JobRule, JsonScalar } from '../skill.ts'
import {
  addFieldError,
  checkText,
  type Notes,
  readObject,
  readText,
  warnUnknown,
} from './field-notes.ts'
import { checkEndpoint, listPlaces } from './read-endpoint.ts'
import { JSON_POINTER } from './read-outcome.ts'

/** What the reader needs of the skill's own request, which starts the job. */
export type JobStart = { readonly endpoint: string; readonly method: HttpMethod }

const POINTER = '/config/task/job'
const FIELDS = ['cancel', 'poll_sec', 'result', 'status', 'values']
const STATUS_FIELDS = ['done', 'endpoint', 'failed', 'message', 'pointer', 'progress']
const VALUE_NAME = /^[A-Za-z0-9_-]{1,64}$/
/** A job is stopped by one of these; a GET would be a question. */
const CANCEL_METHODS: readonly HttpMethod[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Undefined without a job, and after an error. */
export function readJob(
  notes: Notes,
  value: Json | undefined,
  start: JobStart,
): JobRule | undefined {
  if (value === undefined || value === null) return undefined
  const before = notes.faults.length
  if (start.method === 'HEAD') {
    addFieldError(notes, POINTER, 'needs an answer of the start, and HEAD has none; use POST')
  }
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  const values = readValues(notes, raw['values'])
  const known = { start, names: new Set(Object.keys(values)) }
  const rule: JobRule = {
    values,
    status: readStatus(notes, raw['status'], known),
    pollMs: readPollSec(notes, raw['poll_sec']) * 1_000,
    ...readResult(notes, raw['result'], known),
    ...readCancel(notes, raw['cancel'], known),
  }
  return notes.faults.length > before ? undefined : rule
}

type Known = { readonly start: JobStart; readonly names: ReadonlySet<string> }

function readValues(notes: Notes, value: Json | undefined): JobRule['values'] {
  const at = `${POINTER}/values`
  const entries = isJsonObject(value) ? Object.entries(value) : []
  if (entries.length === 0 || entries.length > JOB_VALUES_MAX) {
    const wanted = `an object of 1 to ${JOB_VALUES_MAX} JSON Pointers into the answer of the start, such as {"id": "/id"}`
    addFieldError(notes, at, `must be ${wanted}`)
    return {}
  }
  for (const [name, pointer] of entries) {
    const place = `${at}${toJsonPointer([name])}`
    if (!VALUE_NAME.test(name)) {
      addFieldError(notes, place, 'has a name other than 1 to 64 characters of A-Z a-z 0-9 _ -')
    }
    if (!isPointer(pointer)) addFieldError(notes, place, WANTED_POINTER)
  }
  return Object.fromEntries(entries.map(([name, pointer]) => [name, String(pointer)]))
}

const WANTED_POINTER = `must be a JSON Pointer of up to ${PICK_CHARS_MAX} characters, such as /data/id`

function isPointer(value: Json | undefined): value is string {
  return typeof value === 'string' && value.length <= PICK_CHARS_MAX && JSON_POINTER.test(value)
}

function readStatus(notes: Notes, value: Json | undefined, known: Known): JobRule['status'] {
  const at = `${POINTER}/status`
  const raw = readObject(notes, at, value, 'required')
  if (value !== undefined) warnUnknown(notes, at, raw, STATUS_FIELDS)
  const done = readWords(notes, `${at}/done`, raw['done'])
  const failed = raw['failed'] === undefined ? [] : readWords(notes, `${at}/failed`, raw['failed'])
  const both = failed.find((word) => done.includes(word))
  if (both !== undefined) {
    addFieldError(notes, `${at}/failed`, `has ${JSON.stringify(both)}, which means done, too`)
  }
  return {
    endpoint: readAddress(notes, `${at}/endpoint`, raw['endpoint'], known),
    pointer: readPointerField(notes, `${at}/pointer`, raw['pointer']) ?? '',
    done,
    failed,
    ...readShown(notes, at, raw, 'message'),
    ...readShown(notes, at, raw, 'progress'),
  }
}

function readShown(
  notes: Notes,
  at: string,
  raw: JsonObject,
  name: 'message' | 'progress',
): Partial<Record<'message' | 'progress', string>> {
  const value = raw[name]
  if (value === undefined || value === null) return {}
  const pointer = readPointerField(notes, `${at}/${name}`, value)
  return pointer === undefined ? {} : { [name]: pointer }
}

function readPointerField(notes: Notes, at: string, value: Json | undefined): string | undefined {
  if (isPointer(value)) return value
  addFieldError(notes, at, WANTED_POINTER)
  return undefined
}

/** A single word needs no list. */
function readWords(notes: Notes, at: string, value: Json | undefined): readonly JsonScalar[] {
  const list: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
  const words = list.filter(isWord)
  if (words.length === list.length && words.length > 0 && words.length <= JOB_WORDS_MAX) {
    return words
  }
  const texts = `texts of 1 to ${JOB_WORD_CHARS_MAX} characters, numbers, true or false`
  addFieldError(notes, at, `must be a list of 1 to ${JOB_WORDS_MAX} values of the status: ${texts}`)
  return []
}

function isWord(value: Json): value is string | number | boolean {
  if (typeof value === 'string') {
    return checkText(value, { charsMax: JOB_WORD_CHARS_MAX }) === undefined
  }
  return typeof value === 'number' || typeof value === 'boolean'
}

/** An address whose places are values of the start's answer. Its origin is that of the start. */
function readAddress(
  notes: Notes,
  at: string,
  value: Json | undefined,
  { names, start }: Known,
): string {
  const endpoint = readText(notes, at, value, { charsMax: ENDPOINT_CHARS_MAX })
  if (endpoint === '') return ''
  const wrong = checkEndpoint(endpoint) ?? checkOrigin(endpoint, start)
  if (wrong !== undefined) {
    addFieldError(notes, at, wrong)
    return ''
  }
  for (const name of listPlaces(endpoint)) {
    if (names.has(name)) continue
    const message = `{${name}} is not among task.job.values; name its place in the answer of the start there`
    addFieldError(notes, at, message)
  }
  return endpoint
}

function checkOrigin(endpoint: string, start: JobStart): string | undefined {
  const own = toOrigin(start.endpoint)
  // A start without a valid address has an error of its own.
  if (own === undefined || toOrigin(endpoint) === own) return undefined
  return `must have the scheme, host and port of config.endpoint (${own}), to which the credentials of the skill belong`
}

function toOrigin(endpoint: string): string | undefined {
  const origin = URL.parse(endpoint.replace(/[{}]/g, ''))?.origin
  return origin === 'null' ? undefined : origin
}

function readResult(notes: Notes, value: Json | undefined, known: Known): Pick<JobRule, 'result'> {
  if (value === undefined || value === null) return {}
  const at = `${POINTER}/result`
  const raw = readObject(notes, at, value, 'required')
  warnUnknown(notes, at, raw, ['endpoint'])
  return { result: { endpoint: readAddress(notes, `${at}/endpoint`, raw['endpoint'], known) } }
}

function readCancel(notes: Notes, value: Json | undefined, known: Known): Pick<JobRule, 'cancel'> {
  if (value === undefined || value === null) return {}
  const at = `${POINTER}/cancel`
  const raw = readObject(notes, at, value, 'required')
  warnUnknown(notes, at, raw, ['endpoint', 'method'])
  const { method: given = 'POST' } = raw
  const method = CANCEL_METHODS.find((one) => one === given)
  if (method === undefined) {
    addFieldError(notes, `${at}/method`, `must be one of ${CANCEL_METHODS.join(', ')}`)
  }
  const endpoint = readAddress(notes, `${at}/endpoint`, raw['endpoint'], known)
  return { cancel: { method: method ?? 'POST', endpoint } }
}

function readPollSec(notes: Notes, value: Json | undefined): number {
  if (value === undefined || value === null) return JOB_POLL_SEC_DEFAULT
  const isGood =
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= JOB_POLL_SEC_MIN &&
    value <= JOB_POLL_SEC_MAX
  if (isGood) return value
  const range = `${JOB_POLL_SEC_MIN} to ${JOB_POLL_SEC_MAX}`
  addFieldError(notes, `${POINTER}/poll_sec`, `must be a whole number of seconds from ${range}`)
  return JOB_POLL_SEC_DEFAULT
}
