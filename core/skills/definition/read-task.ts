/** `config.task`: a call that may go on for minutes behind its answer (docs/service.md, Tasks). */
import type { Json } from '../../json/json.ts'
import { JOB_POLL_SEC_DEFAULT, JOB_SEC_MAX, TASK_SEC_MAX, TASK_SEC_MIN } from '../limits.ts'
import type { Skill } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'
import { type JobStart, readJob } from './read-job.ts'
import { toMcpJob } from './read-mcp.ts'

const POINTER = '/config/task'
const FIELDS = ['job', 'max_sec', 'required']

/** Absent and null mean that each call ends within 15 s. */
export function readTask(notes: Notes, value: Json | undefined, start: Start): Pick<Skill, 'task'> {
  if (value === undefined || value === null) return {}
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  const { required = false } = raw
  if (typeof required !== 'boolean') {
    addFieldError(notes, `${POINTER}/required`, 'must be true or false')
  }
  const { hasJob, job } = readAnyJob(notes, raw['job'], start)
  const maxSec = readMaxSec(notes, raw['max_sec'], hasJob)
  if (maxSec === undefined || typeof required !== 'boolean') return {}
  // The job had an error.
  if (hasJob && job === undefined) return {}
  return { task: { maxSec, required, ...(job === undefined ? {} : { job }) } }
}

type Start = JobStart & Pick<Skill, 'mcp'>

/** A tool of an MCP server has a job without more words: its server has tasks. */
function readAnyJob(notes: Notes, value: Json | undefined, start: Start) {
  const hasJob = value !== undefined && value !== null
  if (start.mcp === undefined) return { hasJob, job: readJob(notes, value, start) }
  if (hasJob) {
    addFieldError(notes, `${POINTER}/job`, 'does not go with config.mcp, whose server has tasks')
  }
  return { hasJob: true, job: toMcpJob(start.endpoint, JOB_POLL_SEC_DEFAULT * 1_000) }
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
