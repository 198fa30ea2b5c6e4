/**
 * Ends a task whose worker has died, for whoever asks for it. Bound by ADR 0110.
 *
 *   worker: renew ✔ ── dies      60 s later: read ─▶ end `failed`, if the lease is still over ✔ ─▶ refund
 *   a worker that is only late: its renewal comes first: the task works on; or after: it stops, and its call is free
 * Dies between end and refund: the sweep gives the hold back after its deadline.
 */
import type { StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import { INTERRUPTED, TASK_PURPOSE } from './task-call.ts'

type Needs = Pick<Ports, 'clock' | 'log' | 'seals' | 'tasks'> & {
  readonly execute: Pick<Ports['execute'], 'voidCall'>
}

/** Returns the task as it stands afterwards. */
export async function endDeadTask(
  ports: Needs,
  task: StoredTask,
  taskId: string,
): Promise<StoredTask> {
  const nowMs = ports.clock.nowMs()
  if (task.status !== 'working' || nowMs <= task.aliveUntilMs) return task
  const { callId, hash, uid } = task
  const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify({ error: INTERRUPTED }))
  const found = await ports.tasks.end({ hash, status: 'failed', nowMs, by: 'reader', sealed })
  if (found !== 'own') return (await ports.tasks.read(hash)) ?? task
  ports.log.note('warn', 'task-died', { callId, uid })
  await ports.execute.voidCall({ uid, callId, reason: 'crashed' })
  return { ...task, status: 'failed', updatedAtMs: nowMs, sealed }
}
