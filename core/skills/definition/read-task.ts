/** `config.task`: a call that may go on for minutes behind its answer (docs/service.md, Tasks). */
import type { Json } from '../../json/json.ts'
import { JOB_SEC_MAX, TASK_SEC_MAX, TASK_SEC_MIN } from '../limits.ts'
import type { Skill } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'
import { type JobStart, readJob } from './read-job.ts'

const POINTER = '/config/task'
const FIELDS = ['job', 'max_sec', 'required']

/** Absent and null mean that each call ends within 15 s. */
export function readTask(
  notes: Notes,
  value: Json | undefined,
  start: JobStart,
): Pick<Skill, 'task'> {
  if (value === undefined || value === null) return {}
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  const { required = false } = raw
  if (typeof required !== 'boolean') {
    addFieldError(notes, `${POINTER}/required`, 'must be true or false')
  }
  const job = readJob(notes, raw['job'], start)
  const hasJob = raw['job'] !== undefined && raw['job'] !== null
  const maxSec = readMaxSec(notes, raw['max_sec'], hasJob)
  if (maxSec === undefined || typeof required !== 'boolean') return {}
  // The job had an error.
  if (hasJob && job === undefined) return {}
  return { task: { maxSec, required, ...(job === undefined ? {} : { job }) } }
}

function readMaxSec(notes: Notes, value: Json | undefined, hasJob: boolean): number | undefined {
  const max = hasJob ? JOB_SEC_MAX : TASK_SEC_MAX
  if (isSeconds(value, max)) return value
  const range = `${TASK_SEC_MIN} to ${max}`
  const advice = isSeconds(value, JOB_SEC_MAX)
    ? `; up to ${JOB_SEC_MAX} with task.job, for an upstream that is asked for its state`
    : ''
  const message = `must be a whole number of seconds from ${range}${advice}`
  addFieldError(notes, `${POINTER}/max_sec`, message)
  return undefined
}

function isSeconds(value: Json | undefined, max: number): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= TASK_SEC_MIN && value <= max
  )
}
