/**
 * Reads three fields of `config.response`: which answers are failures although their status is 2xx
 * (`fail_if`), which 4xx statuses are answers (`ok_statuses`), and which headers the model sees
 * (`show_headers`). Bound by docs/wire.md, Failures with 200 and answers with 404.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import {
  FAIL_CONDITIONS_MAX,
  FAIL_TEXT_CHARS_MAX,
  OK_STATUSES_MAX,
  PICK_CHARS_MAX,
} from '../limits.ts'
import type { FailCondition, HttpMethod, Skill } from '../skill.ts'
import { addFieldError, checkText, type Notes } from './field-notes.ts'

const POINTER = '/config/response'
export const OUTCOME_FIELDS = ['fail_if', 'ok_statuses', 'show_headers']
/**
 * Response headers that a skill may show to the model: links, counts, the age of an answer. The
 * list is closed, because other headers may have a session, a token or notes for operators. It
 * never has Set-Cookie.
 */
const SHOWABLE_HEADERS: readonly string[] = (
  'link location content-location content-range content-language content-disposition etag last-modified ' +
  'age expires deprecation sunset retry-after ' +
  'x-total-count x-total x-total-pages x-page x-per-page x-next-page x-prev-page ' +
  'ratelimit ratelimit-policy ratelimit-limit ratelimit-remaining ratelimit-reset ' +
  'x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset'
).split(' ')
/** A JSON Pointer (RFC 6901). '' is the whole answer. */
export const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/
/**
 * These statuses concern the credential, the proxy and the rate, not the request itself. The caller
 * must not pay for them.
 */
const NEVER_OK: ReadonlySet<number> = new Set([401, 407, 429])

export type Outcome = Pick<Skill, 'failIf' | 'okStatuses' | 'shownHeaders'>

export function readOutcome(
  notes: Notes,
  raw: JsonObject,
  { as, method }: { readonly as: Skill['responseAs']; readonly method: HttpMethod },
): Outcome {
  const failIf = toList(raw['fail_if']).flatMap((one, at) => readCondition(notes, one, at))
  if (toList(raw['fail_if']).length > FAIL_CONDITIONS_MAX) {
    addFieldError(
      notes,
      `${POINTER}/fail_if`,
      `has over ${FAIL_CONDITIONS_MAX} conditions; send fewer`,
    )
  }
  if (failIf.length > 0 && method === 'HEAD') {
    addFieldError(
      notes,
      `${POINTER}/fail_if`,
      'needs a body, and an answer to HEAD has none; use GET',
    )
  }
  if (as === 'text' && failIf.some(({ kind }) => kind === 'equals')) {
    const message = 'has a pointer, and with "as": "text" no answer is parsed; use contains'
    addFieldError(notes, `${POINTER}/fail_if`, message)
  }
  const okStatuses = readStatuses(notes, raw['ok_statuses'])
  const shownHeaders = readShownHeaders(notes, raw['show_headers'])
  return {
    ...(failIf.length === 0 ? {} : { failIf }),
    ...(okStatuses.length === 0 ? {} : { okStatuses }),
    ...(shownHeaders.length === 0 ? {} : { shownHeaders }),
  }
}

/** A single condition needs no list. */
function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

const WANTED =
  '{"pointer": "/status", "equals": "error"} (a text, number, true, false or null) or {"contains": "some text"}'

function readCondition(notes: Notes, value: Json, at: number): readonly FailCondition[] {
  const condition = isJsonObject(value) ? parseCondition(value) : undefined
  if (condition === undefined) {
    const limits = `a pointer of up to ${PICK_CHARS_MAX} characters and texts of 1 to ${FAIL_TEXT_CHARS_MAX}`
    addFieldError(notes, `${POINTER}/fail_if/${at}`, `must be ${WANTED}, with ${limits}`)
    return []
  }
  return [condition]
}

function parseCondition(value: JsonObject): FailCondition | undefined {
  const { contains, equals, pointer } = value
  const names = Object.keys(value).sort().join()
  if (names === 'contains') {
    return isShortText(contains) ? { kind: 'contains', text: contains } : undefined
  }
  if (names !== 'equals,pointer' || typeof pointer !== 'string') return undefined
  if (pointer.length > PICK_CHARS_MAX || !JSON_POINTER.test(pointer)) return undefined
  if (typeof equals === 'string' && equals !== '' && !isShortText(equals)) return undefined
  if (equals === undefined || (typeof equals === 'object' && equals !== null)) return undefined
  return { kind: 'equals', pointer, value: equals }
}

function isShortText(value: Json | undefined): value is string {
  const rule = { charsMax: FAIL_TEXT_CHARS_MAX, lines: true }
  return typeof value === 'string' && checkText(value, rule) === undefined
}

function readStatuses(notes: Notes, value: Json | undefined): readonly number[] {
  if (value === undefined || value === null) return []
  const items: readonly Json[] | undefined = Array.isArray(value) ? value : undefined
  const statuses = (items ?? []).filter((one) => typeof one === 'number').filter(isOkStatus)
  const isGood =
    items !== undefined && items.length <= OK_STATUSES_MAX && statuses.length === items.length
  if (isGood) return [...new Set(statuses)]
  const never = [...NEVER_OK].join(', ')
  const wanted = `a list of at most ${OK_STATUSES_MAX} statuses from 400 to 499, without ${never}`
  addFieldError(notes, `${POINTER}/ok_statuses`, `must be ${wanted}; 2xx are answers anyway`)
  return []
}

function isOkStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 499 && !NEVER_OK.has(status)
}

function readShownHeaders(notes: Notes, value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  const pointer = `${POINTER}/show_headers`
  if (!Array.isArray(value)) {
    addFieldError(
      notes,
      pointer,
      `must be a list of header names, any of ${SHOWABLE_HEADERS.join(', ')}`,
    )
    return []
  }
  const items: readonly Json[] = value
  const names = items.map((name) => (typeof name === 'string' ? name.toLowerCase() : ''))
  for (const [index, name] of names.entries()) {
    if (SHOWABLE_HEADERS.includes(name)) continue
    const message = `is not a header that a skill may show; use any of ${SHOWABLE_HEADERS.join(', ')}`
    addFieldError(notes, `${pointer}/${index}`, message)
  }
  return [...new Set(names)]
}
