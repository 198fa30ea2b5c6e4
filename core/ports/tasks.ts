/** Tasks of agents, from the answer that names them until a day after that. */
import type { ExecuteAnswer } from '../call/execute.ts'
import type { NewTask, StoredTask, TaskEnd, TaskWrite } from '../mcp/task.ts'

export type Tasks = {
  /** Stores a task that works. Repeatable. */
  create(task: NewTask): Promise<void>
  /** Strongly consistent, and whole. Undefined for one that is unknown or older than TASK_TTL_MS. */
  read(hash: string): Promise<StoredTask | undefined>
  /** Extends the lease of the task's worker; never shortens it. Repeatable. */
  renew(of: { hash: string; worker: string; aliveUntilMs: number }): Promise<TaskWrite>
  /**
   * Ends a task, with its sealed result or error, if there is one (split by the adapter if long). `by` says who
   * may: its worker; its caller, at any time; a reader that finds its lease over.
   */
  end(of: {
    hash: string
    status: TaskEnd
    nowMs: number
    by: TaskEnder
    sealed?: Uint8Array | undefined
  }): Promise<TaskWrite>
}

export type TaskEnder = 'caller' | 'reader' | { readonly worker: string }

/** A call that may become a task, as the flow that makes the call tells of it. */
export type BegunTask = Pick<NewTask, 'callId' | 'keyHash' | 'uid' | 'untilMs'> & {
  /** Keeps the task under the call's Idempotency-Key, if it has one. False: the key is not this call's any more. */
  readonly keep: ((taskId: string) => Promise<boolean>) | undefined
}

export type TaskEnding = 'direct' | 'kept' | 'cancelled' | 'lost' | 'unkept' | 'taken'

/** Takes a call that may go on behind its answer; only in the same process. */
export type TaskTaker = {
  /** The price is on hold until `untilMs`. Called before the upstream, and only for a skill with `config.task`. */
  begin(task: BegunTask): void
  /** An earlier call with the same Idempotency-Key has become this task: its caller gets it for an answer. */
  repeat(taskId: string): Promise<void>
  /**
   * The call has ended, and nothing is charged yet. `direct`: its caller still waits, and nobody was told of a
   * task. `kept`: its answer is what the task ended with. Otherwise the call must be free: its caller has cancelled
   * the task (`cancelled`), the task has ended without it (`lost`), or its answer could not be kept (`unkept`).
   * `taken`: another worker has the task and its hold. Never rejects.
   */
  end(answer: ExecuteAnswer): Promise<TaskEnding>
}
