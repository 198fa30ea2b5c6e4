/**
 * Reads `config.response`: how an answer is read, which part is the result, and which answers are
 * successes (read-outcome.ts).
 */
import { TEXT_BYTES_MAX } from '../../call/limits.ts'
import type { Json } from '../../json/json.ts'
import { PICK_CHARS_MAX } from '../limits.ts'
import type { HttpMethod, Skill } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'
import { OUTCOME_FIELDS, type Outcome, readOutcome } from './read-outcome.ts'

const POINTER = '/config/response'
const AS: readonly Skill['responseAs'][] = ['auto', 'json', 'text', 'mcp']
/** A JSON Pointer (RFC 6901) that is not ''. */
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/

export function readResponse(
  notes: Notes,
  value: Json | undefined,
  method: HttpMethod,
): Pick<Skill, 'responseAs' | 'responseKeep' | 'responsePick'> & Outcome {
  const raw = readObject(notes, POINTER, value, 'optional')
  warnUnknown(notes, POINTER, raw, ['as', 'keep', 'pick', ...OUTCOME_FIELDS])
  const as = raw['as'] === undefined ? 'auto' : AS.find((known) => known === raw['as'])
  if (as === undefined) addFieldError(notes, `${POINTER}/as`, `must be one of ${AS.join(', ')}`)
  const responsePick = readPick(notes, raw['pick'])
  if (responsePick !== undefined && as === 'text') {
    addFieldError(notes, `${POINTER}/pick`, 'does not go with "as": "text"; use json or auto')
  }
  if (method === 'HEAD' && (responsePick !== undefined || as === 'mcp')) {
    addFieldError(notes, POINTER, 'needs a body, and an answer to HEAD has none; use GET')
  }
  const responseAs = as ?? 'auto'
  return {
    responseAs,
    responsePick,
    ...readKeep(notes, raw['keep']),
    ...readOutcome(notes, raw, { as: responseAs, method }),
  }
}

/** Without a pointer, or with '', the result is the whole answer. */
function readPick(notes: Notes, value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const isShort = typeof value === 'string' && value.length <= PICK_CHARS_MAX
  if (isShort && JSON_POINTER.test(value)) return value
  const wanted = `a JSON Pointer such as /data/items, ${PICK_CHARS_MAX} characters at most`
  addFieldError(notes, `${POINTER}/pick`, `must be ${wanted}`)
  return undefined
}

function readKeep(notes: Notes, value: Json | undefined): Pick<Skill, 'responseKeep'> {
  if (value === 'always') return { responseKeep: value }
  if (value !== undefined && value !== 'large') {
    addFieldError(notes, `${POINTER}/keep`, 'must be large or always')
  }
  return {}
}

/**
 * Refuses a limit above that of text for skills that read their answers as text: these answers
 * would always fail.
 */
export function checkResponseBytes(notes: Notes, config: LongAnswer): void {
  if (config.responseBytesMax <= TEXT_BYTES_MAX) return
  const { failIf, hooks, responseAs, responsePick, task } = config
  const reader =
    (responseAs === 'json' || responseAs === 'mcp' ? 'response.as' : undefined) ??
    (responsePick === undefined ? undefined : 'response.pick') ??
    (failIf === undefined ? undefined : 'response.fail_if') ??
    (hooks.length === 0 ? undefined : 'a hook') ??
    (task?.job === undefined ? undefined : 'a job')
  if (reader === undefined) return
  addFieldError(
    notes,
    '/config/max_response_bytes',
    `must be at most ${TEXT_BYTES_MAX}, since ${reader} reads the answer; longer answers are only kept`,
  )
}

type LongAnswer = Pick<
  Skill,
  'failIf' | 'hooks' | 'responseAs' | 'responseBytesMax' | 'responsePick' | 'task'
>
