/** Tasks of agents, from the answer that names them until a day after that. */
import type { ExecuteAnswer } from '../call/execute.ts'
import type { JsonObject } from '../json/json.ts'
import type { NewTask, StoredTask, TaskEnd, TaskWrite } from '../mcp/task.ts'
import type { StartedJob } from './jobs.ts'

export type Tasks = {
  /** Stores a task that works. Repeatable. */
  create(task: NewTask): Promise<void>
  /**
   * Strongly consistent, and whole. Undefined for one that is unknown or older than TASK_TTL_MS.
   */
  read(hash: string): Promise<StoredTask | undefined>
  /** Extends the lease of the task's worker; never shortens it. Repeatable. */
  renew(of: { hash: string; worker: string; aliveUntilMs: number }): Promise<TaskWrite>
  /**
   * The worker leaves the task to its client, who has until `aliveUntilMs` to answer the sealed
   * questions.
   */
  ask(of: {
    hash: string
    worker: string
    nowMs: number
    aliveUntilMs: number
    sealed: Uint8Array
  }): Promise<TaskWrite>
  /**
   * Replaces the questions of a task that asks, if `over` is its last writer and their time is not
   * over.
   */
  answer(of: { hash: string; over: string; nowMs: number; sealed: Uint8Array }): Promise<boolean>
  /**
   * A worker takes a task that asks, or one that was made for it by another process, if `over` is
   * its last writer and its time is not over. One of many succeeds.
   */
  claim(of: {
    hash: string
    over: string
    worker: string
    nowMs: number
    aliveUntilMs: number
  }): Promise<boolean>
  /**
   * Ends a task, with its sealed result or error, if there is one (split by the adapter if long).
   * `by` says who may: its worker; its caller, at any time; a reader that finds its lease or the
   * time for answers over.
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
export type BegunTask = Pick<
  NewTask,
  'callId' | 'job' | 'keyHash' | 'ttlMs' | 'uid' | 'untilMs'
> & {
  /**
   * Keeps the task under the call's Idempotency-Key, if it has one. False: the key is not this
   * call's any more.
   */
  readonly keep: ((taskId: string) => Promise<boolean>) | undefined
}

/** The call as it goes on when the questions are answered. */
export type AskedCall = {
  readonly name: string
  readonly arguments: JsonObject
  readonly capabilities: JsonObject | undefined
  /** Sealed for the caller's key, as the caller of a call gets it. */
  readonly state: string | undefined
}

export type TaskQuestion = {
  readonly call: AskedCall
  /** By the keys of the upstream. */
  readonly requests: JsonObject
  /** Moves the deadline of the hold. False if the hold is gone. */
  prolong(untilMs: number): Promise<boolean>
}

/**
 * `lost`: the task has ended, or its questions could not be kept. `often`: it has asked
 * TASK_ROUNDS_MAX times.
 */
export type TaskAsking = 'direct' | 'asked' | 'lost' | 'often' | 'taken'

export type TaskEnding = 'direct' | 'asked' | 'kept' | 'cancelled' | 'lost' | 'unkept' | 'taken'

/** Takes a call that may go on behind its answer; only in the same process. */
export type TaskTaker = {
  /** The call goes on with the hold of its call id: a round of a task that asked. */
  readonly resumes?: true
  /**
   * The caller has no tasks in its revision, and takes one only for a skill that has no other way.
   */
  readonly ifRequired?: true
  /**
   * The price is on hold until `untilMs`. Called before the upstream, and only for a skill with
   * `config.task`.
   */
  begin(task: BegunTask): void
  /**
   * An earlier call with the same Idempotency-Key has become this task: its caller gets it for an
   * answer.
   */
  repeat(taskId: string): Promise<void>
  /**
   * The upstream asks, and nothing is given back yet. `direct`: its caller still waits. `asked`:
   * the task asks its client, and keeps the hold. Never rejects.
   */
  ask(question: TaskQuestion): Promise<TaskAsking>
  /**
   * The upstream has begun a job: from now on it goes on as a task without this process. If it is
   * not `kept`, the call must be free: the task has ended meanwhile, or could not be stored. Never
   * rejects.
   */
  handOver(job: StartedJob): Promise<'kept' | 'cancelled' | 'lost'>
  /**
   * The call has ended, and nothing is charged yet. `direct`: its caller still waits, and nobody
   * was told of a task. `asked`: it asks its client. `kept`: its answer is what the task ended
   * with. Otherwise the call must be free: its caller has cancelled the task (`cancelled`), the
   * task has ended without it (`lost`), or its answer could not be kept (`unkept`). `taken`:
   * another worker has the task and its hold. Never rejects.
   */
  end(answer: ExecuteAnswer): Promise<TaskEnding>
}
