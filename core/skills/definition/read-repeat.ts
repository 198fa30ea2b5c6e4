/** `config.repeat`: when the second of two equal calls is free (docs/service.md, Equal calls). */
import type { Json } from '../../json/json.ts'
import { FORGIVE_WITHIN_SEC_MAX, FORGIVE_WITHIN_SEC_MIN } from '../limits.ts'
import type { Skill } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'

const POINTER = '/config/repeat'
const FIELDS = ['forgive_within_sec']

/** Absent and null mean that each of two equal calls is paid. */
export function readRepeat(notes: Notes, value: Json | undefined): Pick<Skill, 'repeat'> {
  if (value === undefined || value === null) return {}
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  const forgiveWithinSec = raw['forgive_within_sec']
  if (
    typeof forgiveWithinSec === 'number' &&
    Number.isInteger(forgiveWithinSec) &&
    forgiveWithinSec >= FORGIVE_WITHIN_SEC_MIN &&
    forgiveWithinSec <= FORGIVE_WITHIN_SEC_MAX
  ) {
    return { repeat: { forgiveWithinSec } }
  }
  const range = `${FORGIVE_WITHIN_SEC_MIN} to ${FORGIVE_WITHIN_SEC_MAX}`
  addFieldError(
    notes,
    `${POINTER}/forgive_within_sec`,
    `must be a whole number of seconds from ${range}`,
  )
  return {}
}
