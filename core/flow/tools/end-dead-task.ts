/**
 * Ends a task whose worker has died, or whose questions nobody answered in time, for whoever asks
 * for it. Bound by ADR 0110.
 *
 *   worker: renew ✔ ── dies      60 s later: read ─▶ end `failed`, if the lease is still over ✔ ─▶ refund
 *   a worker that is only late: its renewal comes first: the task works on; or after: it stops, and its call is free
 *   asks ✔ ── an hour later: read ─▶ end `completed` with an error ✔ ─▶ refund, or the last answer came first
 * Dies between end and refund: the sweep gives the hold back after its deadline.
 */
import type { JsonObject } from '../../json/json.ts'
import { RPC_INTERNAL_ERROR } from '../../jsonrpc/message.ts'
import type { StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'

/** What seals the result of a task under its id. */
export const TASK_PURPOSE = 'task-result'

/** The error of a task whose worker ended without a result. */
export const INTERRUPTED: JsonObject = {
  code: RPC_INTERNAL_ERROR,
  message:
    'The task was interrupted and cost nothing. The service may have done the work anyway: check that before you call again.',
}

type Needs = Pick<Ports, 'clock' | 'log' | 'seals' | 'tasks'> & {
  readonly execute: Pick<Ports['execute'], 'voidCall'>
}

/** Returns the task as it stands afterwards. */
export async function endDeadTask(
  ports: Needs,
  task: StoredTask,
  { taskId, unanswered }: { readonly taskId: string; unanswered(callId: string): JsonObject },
): Promise<StoredTask> {
  const nowMs = ports.clock.nowMs()
  const { aliveUntilMs, callId, hash, uid } = task
  const isOpen = task.status === 'working' || task.status === 'input_required'
  if (!isOpen || nowMs <= aliveUntilMs) return task
  const died = task.status === 'working'
  const status = died ? 'failed' : 'completed'
  const end = died ? { error: INTERRUPTED } : { result: unanswered(callId) }
  const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify(end))
  const found = await ports.tasks.end({ hash, status, nowMs, by: 'reader', sealed })
  if (found !== 'own') return (await ports.tasks.read(hash)) ?? task
  if (died) ports.log.note('warn', 'task-died', { callId, uid })
  await ports.execute.voidCall({ uid, callId, reason: 'crashed' })
  return { ...task, status, updatedAtMs: nowMs, sealed }
}
