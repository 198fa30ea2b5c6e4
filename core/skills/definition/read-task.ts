/** `config.task`: a call that may go on for minutes behind its answer (docs/service.md, Tasks). */
import type { Json } from '../../json/json.ts'
import { TASK_SEC_MAX, TASK_SEC_MIN } from '../limits.ts'
import type { Skill } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'

const POINTER = '/config/task'
const FIELDS = ['max_sec', 'required']

/** Absent and null mean that each call ends within 15 s. */
export function readTask(notes: Notes, value: Json | undefined): Pick<Skill, 'task'> {
  if (value === undefined || value === null) return {}
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  const { max_sec: maxSec, required = false } = raw
  const isRequired = typeof required === 'boolean' ? required : undefined
  if (isRequired === undefined) addFieldError(notes, `${POINTER}/required`, 'must be true or false')
  if (
    typeof maxSec === 'number' &&
    Number.isInteger(maxSec) &&
    maxSec >= TASK_SEC_MIN &&
    maxSec <= TASK_SEC_MAX
  ) {
    return isRequired === undefined ? {} : { task: { maxSec, required: isRequired } }
  }
  const range = `${TASK_SEC_MIN} to ${TASK_SEC_MAX}`
  addFieldError(notes, `${POINTER}/max_sec`, `must be a whole number of seconds from ${range}`)
  return {}
}
