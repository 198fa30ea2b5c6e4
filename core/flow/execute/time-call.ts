/**
 * The time that a call has: the 15 s of every call, or the seconds of `config.task` if its caller
 * takes a task. Bound by docs/service.md, Tool calls and Tasks.
 */
import { CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS } from '../../call/limits.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { TASK_END_MS } from '../../ledger/limits.ts'
import { REQUIRED_TASKS } from '../../mcp/task.ts'
import type { Skill } from '../../skills/skill.ts'
import type { ExecuteRequest } from './execute-request.ts'
import type { ReadyCall } from './validate-call.ts'

/**
 * For a task the skill's own time limit is that of the task. Refuses with
 * `client_capability_missing` a skill that can only run as a task, for a caller that takes none.
 */
export function timeCall(
  { task, terms }: Pick<ExecuteRequest, 'task' | 'terms'>,
  skill: Skill,
  startedAtMs: number,
): Result<Pick<ReadyCall, 'deadlineMs' | 'skill' | 'untilMs'>> {
  const callDeadlineMs = terms?.deadlineMs ?? startedAtMs + CALL_TIMEOUT_MS
  const isRequired = skill.task?.required === true
  const isTaken = task !== undefined && (isRequired || task.ifRequired !== true)
  const job = skill.task?.job
  if (task?.resumes !== undefined && !mayGoOn(skill)) return refuse('invalid_skill', NO_TASK)
  if (skill.task !== undefined && isTaken) {
    if (job !== undefined)
      return ok(timeStart(skill, skill.task.maxSec, startedAtMs, callDeadlineMs))
    const timeoutMs = skill.task.maxSec * 1_000
    const deadlineMs = startedAtMs + timeoutMs + DEADLINE_MARGIN_MS
    const untilMs = deadlineMs + TASK_END_MS
    return ok({ deadlineMs, untilMs, skill: { ...skill, timeoutMs } })
  }
  if (isRequired) {
    return refuse('client_capability_missing', terms?.door === 'sse' ? NOT_OVER_SSE : NEEDS_TASKS, {
      requiredCapabilities: REQUIRED_TASKS,
    })
  }
  return ok({ deadlineMs: callDeadlineMs, skill })
}

/** A job's start asks nothing, so a round of questions goes on as no job. */
function mayGoOn({ task }: Skill): boolean {
  return task !== undefined && task.job === undefined
}

/** Only the start of a job is a call: what goes on behind it needs no process. */
function timeStart(skill: Skill, maxSec: number, startedAtMs: number, callDeadlineMs: number) {
  const jobDeadlineMs = startedAtMs + maxSec * 1_000
  const untilMs = Math.max(jobDeadlineMs, callDeadlineMs) + DEADLINE_MARGIN_MS + TASK_END_MS
  return { deadlineMs: callDeadlineMs, untilMs, skill }
}

const NO_TASK =
  'This tool was changed while it waited for an answer, so that it cannot go on as it began. It was not charged.'
/** The function that works for HTTP+SSE lives 45 s, and its stream 15 minutes at most. */
const NOT_OVER_SSE =
  'This tool runs for minutes, as a task, which HTTP+SSE cannot carry. Connect to the same server over Streamable HTTP, POST /mcp. It was not charged.'
const NEEDS_TASKS =
  'This tool runs for minutes, as a task: it needs a client of POST /mcp that declares the extension io.modelcontextprotocol/tasks (MCP 2026-07-28). It was not charged.'
