/**
 * The time that a call has: the 15 s of every call, or the seconds of `config.task` if its caller takes a task.
 * Bound by docs/service.md, Tool calls and Tasks.
 */
import { CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS } from '../../call/limits.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { TASK_END_MS } from '../../ledger/limits.ts'
import { REQUIRED_TASKS } from '../../mcp/task.ts'
import type { Skill } from '../../skills/skill.ts'
import type { ExecuteRequest } from './execute-request.ts'
import type { ReadyCall } from './validate-call.ts'

/**
 * For a task the skill's own time limit is that of the task. Refuses with `client_capability_missing` a skill
 * that can only run as a task, for a caller that takes none.
 */
export function timeCall(
  { task, terms }: Pick<ExecuteRequest, 'task' | 'terms'>,
  skill: Skill,
  startedAtMs: number,
): Result<Pick<ReadyCall, 'deadlineMs' | 'skill' | 'untilMs'>> {
  const callDeadlineMs = terms?.deadlineMs ?? startedAtMs + CALL_TIMEOUT_MS
  if (skill.task?.job !== undefined && task !== undefined) {
    // Only the start is a call: what goes on behind it needs no process.
    const jobDeadlineMs = startedAtMs + skill.task.maxSec * 1_000
    const untilMs = Math.max(jobDeadlineMs, callDeadlineMs) + DEADLINE_MARGIN_MS + TASK_END_MS
    return ok({ deadlineMs: callDeadlineMs, untilMs, skill })
  }
  if (skill.task !== undefined && task !== undefined) {
    const timeoutMs = skill.task.maxSec * 1_000
    const deadlineMs = startedAtMs + timeoutMs + DEADLINE_MARGIN_MS
    const untilMs = deadlineMs + TASK_END_MS
    return ok({ deadlineMs, untilMs, skill: { ...skill, timeoutMs } })
  }
  if (skill.task?.required === true) {
    return refuse('client_capability_missing', NEEDS_TASKS, {
      requiredCapabilities: REQUIRED_TASKS,
    })
  }
  return ok({ deadlineMs: callDeadlineMs, skill })
}

const NEEDS_TASKS =
  'This tool runs for minutes, as a task: it needs a client that declares the extension io.modelcontextprotocol/tasks (MCP 2026-07-28). It was not charged.'
