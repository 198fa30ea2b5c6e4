/**
 * Jobs of upstreams: what is asked about a call whose work goes on elsewhere. Bound by ADR 0110.
 */
import type { JsonObject } from '../json/json.ts'
import type { CallFacts } from '../ledger/call-facts.ts'
import type { JobValues } from '../request/job-skill.ts'
import type { SkillSource } from '../skills/skill.ts'

/** A call whose work an upstream has begun, as the flow that makes the call tells of it. */
export type StartedJob = {
  readonly callId: string
  readonly uid: string
  readonly keyHash: string
  readonly username: string
  readonly skillId: string
  readonly source: SkillSource
  /** Owner of a private skill. */
  readonly skillUid: string | undefined
  /** The version that started the job, by which it goes on. */
  readonly version: number
  readonly startedAtMs: number
  /** When the job must be done; its hold stands a little longer. */
  readonly deadlineMs: number
  readonly pollMs: number
  /** In the clear: they are sent to the upstream again while nobody waits. */
  readonly values: JobValues
  readonly message: string | undefined
  readonly facts: CallFacts
}

export type NewJob = StartedJob & {
  readonly taskHash: string
  /** The worker that handed the task over, by whose name it ends. */
  readonly worker: string
  /** The revision of MCP in which the result is written. */
  readonly revision: string
  readonly toolName: string
  /** Seals the result, whoever ends the job; kept until then. */
  readonly resultKey: string
  /** `resultKey`, sealed under the task's id: what is left of it afterwards. */
  readonly sealedKey: Uint8Array
}

export type StoredJob = Omit<NewJob, 'resultKey'> & {
  /** Undefined once the job has ended. */
  readonly resultKey: string | undefined
  /** Before this time the upstream is not asked. */
  readonly nextAtMs: number
  /** Questions in a row that gave no state. */
  readonly errors: number
  /** What the upstream asks the client, by key; undefined if it asks nothing. */
  readonly asked: JsonObject | undefined
}

/** What a question about a job gave. */
export type JobNote = { readonly callId: string } & Pick<StoredJob, 'asked' | 'errors' | 'message'>

export type Jobs = {
  /** Stores a job, which is asked about after its poll interval. Repeatable. */
  create(job: NewJob): Promise<void>
  /** Strongly consistent; undefined for an unknown one. */
  read(callId: string): Promise<StoredJob | undefined>
  /**
   * Claims the next question: one caller of many gets the job, and no other one before `nextAtMs`.
   * Undefined for the others, and for a job that has ended.
   */
  claim(of: { callId: string; nowMs: number; nextAtMs: number }): Promise<StoredJob | undefined>
  /** Notes what a question gave. Nothing for a job that has ended. */
  note(of: JobNote): Promise<void>
  /** The job has ended: no further question, and no key in the clear. Repeatable. */
  close(callId: string): Promise<void>
}

/** What a door is asked to do about a job. */
export type JobErrand = {
  readonly uid: string
  readonly callId: string
  /**
   * `ask`: for its state, if its poll interval is over. `end`: a last time, if its deadline has
   * passed. `stop`: it was cancelled, and is paid for no more.
   */
  readonly does: 'ask' | 'end' | 'stop'
}

/** Answers of the client to the upstream's questions, by their keys. */
export type JobAnswers = Pick<JobErrand, 'callId' | 'uid'> & { readonly responses: JsonObject }

/** `none`: the call is no job that runs. */
export type JobNews =
  | { readonly kind: 'none' | 'ended' }
  | ({ readonly kind: 'running' } & Pick<StoredJob, 'asked' | 'message'>)

/**
 * Visits to the upstreams of jobs, by the code of execute in the same process or by its door, which
 * the sweep calls (proven by IAM).
 */
export type JobVisits = {
  /**
   * Looks after a job, and ends its task and its hold when it has ended. Throws `Fault` if the
   * store fails or the door cannot be reached.
   */
  visit(errand: JobErrand): Promise<JobNews>
  /**
   * Hands on answers to the job's questions. Throws `Fault` if the store fails. Absent in processes
   * that call no upstream themselves, and so answer no `tasks/update`.
   */
  answer?(answers: JobAnswers): Promise<void>
}
