/**
 * Hands a task to the job of its upstream: from now on nobody works on it, and whoever polls it,
 * cancels it or sweeps its hold looks after the job (core/flow/jobs). Bound by ADR 0110.
 *
 *   job stored ─▶ lease of the head to the job's end ✔ ─▶ this process is done
 *   cancelled, or found dead, before the lease ✘ ─▶ the job is closed, and its call is free
 * Dies before the job: the lease ends, and the task has failed. Dies before the lease: the job is
 * stored, so a reader asks about it and takes no task for dead.
 */
import { JOB_GRACE_MS } from '../../ledger/limits.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { StartedJob } from '../../ports/jobs.ts'
import type { Ports } from '../../ports/ports.ts'
import { INTERRUPTED, TASK_PURPOSE } from '../tools/end-dead-task.ts'
import { RESULT_KEY_PURPOSE } from '../tools/task-record.ts'
import type { WorkedTask } from './task-lease.ts'

type Needs = Pick<Ports, 'clock' | 'ids' | 'jobs' | 'log' | 'seals' | 'tasks'>

/** Random bytes of the key that seals the result of a job, whoever ends it. */
const RESULT_KEY_BYTES = 32

type HandedTask = Pick<WorkedTask, 'hash' | 'worker'> & {
  readonly taskId: string
  readonly name: string
  readonly revision: Revision
}

/** `lost`: the store failed, or the task was found dead. Never rejects. */
export async function handOverTask(
  ports: Needs,
  task: HandedTask,
  job: StartedJob,
): Promise<'kept' | 'cancelled' | 'lost'> {
  const { hash, name: toolName, revision, taskId, worker } = task
  const { callId, deadlineMs, uid } = job
  const resultKey = ports.ids.token(RESULT_KEY_BYTES)
  const sealedKey = ports.seals.seal(taskId, RESULT_KEY_PURPOSE, resultKey)
  const more = { taskHash: hash, worker, revision: revision.version, toolName }
  try {
    await ports.jobs.create({ ...job, ...more, resultKey, sealedKey })
    const aliveUntilMs = deadlineMs + JOB_GRACE_MS
    const found = await ports.tasks.renew({ hash, worker, aliveUntilMs })
    if (found === 'own') return 'kept'
    await ports.jobs.close(callId)
    return found === 'cancelled' ? found : 'lost'
  } catch (cause) {
    ports.log.note('error', 'task-not-stored', { callId, uid }, cause)
    await endUnkept(ports, task, callId)
    return 'lost'
  }
}

/** If this fails, too, the lease ends the task. Its call is free either way. */
async function endUnkept(
  { clock, log, seals, tasks, jobs }: Needs,
  { hash, taskId, worker }: HandedTask,
  callId: string,
): Promise<void> {
  const sealed = seals.seal(taskId, TASK_PURPOSE, JSON.stringify({ error: INTERRUPTED }))
  const end = { hash, status: 'failed', nowMs: clock.nowMs(), by: { worker }, sealed } as const
  try {
    await tasks.end(end)
    await jobs.close(callId)
  } catch (cause) {
    log.note('error', 'task-not-ended', { callId }, cause)
  }
}
