/** Tasks of agents, from the answer that names them until a day after that. */
import type { ExecuteAnswer } from '../call/execute.ts'
import type { NewTask, StoredTask, TaskEnd } from '../mcp/task.ts'
import type { StartedJob } from './jobs.ts'

export type Tasks = {
  /** Stores a task that works. Repeatable. */
  create(task: NewTask): Promise<void>
  /** Strongly consistent, and whole. Undefined for one that is unknown or older than TASK_TTL_MS. */
  read(hash: string): Promise<StoredTask | undefined>
  /**
   * Ends a task that works, with its sealed result or error, if there is one (split by the adapter if long).
   * False if it has ended before: that end stands.
   */
  end(of: {
    hash: string
    status: TaskEnd
    nowMs: number
    sealed?: Uint8Array | undefined
  }): Promise<boolean>
}

/** A call that may become a task, as the flow that makes the call tells of it. */
export type BegunTask = Pick<NewTask, 'callId' | 'job' | 'keyHash' | 'ttlMs' | 'uid' | 'untilMs'>

/** Takes a call that may go on behind its answer; only in the same process. */
export type TaskTaker = {
  /** The price is on hold until `untilMs`. Called before the upstream, and only for a skill with `config.task`. */
  begin(task: BegunTask): void
  /**
   * The upstream has begun a job: from now on it goes on as a task without this process. False if that cannot be
   * stored, and then the call must be free. Never rejects.
   */
  handOver(job: StartedJob): Promise<boolean>
  /**
   * The call has ended, and nothing is charged yet. `direct`: its caller still waits, and nobody was told of a
   * task. `kept`: its answer is what the task ended with. `lost`: the task has ended without it, or its answer
   * could not be kept, so that it must be free. Never rejects.
   */
  end(answer: ExecuteAnswer): Promise<'direct' | 'kept' | 'lost'>
}
