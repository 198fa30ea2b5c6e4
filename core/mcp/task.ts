/**
 * A task: a call that goes on behind its answer, and whose result is asked for later (MCP
 * 2026-07-28, extension io.modelcontextprotocol/tasks). It ends once. Bound by ADR 0110.
 */
import type { JsonObject } from '../json/json.ts'
import { DAY_MS } from '../json/utc-time.ts'

/** The extension, as a client and the server declare it. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** What a client has to declare in a request that needs the extension. */
export const REQUIRED_TASKS: JsonObject = { extensions: { [TASKS_EXTENSION]: {} } }

/** From its creation on, so that a session that is resumed tomorrow finds its result. */
export const TASK_TTL_MS = DAY_MS

/** How often a client should ask for a task, in its answer: a suggestion. */
export const TASK_POLL_MS = 2_000
/** Ids of tasks that one listen stream follows: four times the tasks that a user runs at once. */
export const LISTENED_TASKS_MAX = 32
/** How often a listen stream reads a task that works, if the store announces no change. */
export const TASK_WATCH_MS = 2_000
/** A call that ends within this time of its POST is answered directly. */
export const TASK_AFTER_MS = 1_000
/**
 * UTF-8 bytes of the result or error of a task, as JSON. With its envelope it fits the 6 MB that a
 * function may answer.
 */
export const TASK_RESULT_BYTES_MAX = 4_000_000
/** How long a worker's lease is good. After that, its process is taken for dead. */
export const TASK_LEASE_MS = 60_000
/** How often a worker renews its lease, and learns of a cancellation in another process. */
export const TASK_RENEW_MS = 30_000
/** When a worker tries again whose renewal got no answer of the store. */
export const TASK_RENEW_AGAIN_MS = 5_000

/** How long the questions of a task wait for their answers, with its price on hold. */
export const TASK_ASK_MS = 3_600_000
/** Rounds of questions of one task, as of a call: enough for a form and its follow-ups. */
export const TASK_ROUNDS_MAX = 8

/** How a task ended. A tool that answers with an error has completed; `failed` has no result. */
export const TASK_ENDS = ['completed', 'failed', 'cancelled'] as const
export type TaskEnd = (typeof TASK_ENDS)[number]
/** `input_required`: its upstream has asked, and nothing runs until its client has answered. */
export type TaskStatus = 'working' | 'input_required' | TaskEnd

export type NewTask = {
  /** sha256 of the task's id, which is stored nowhere. */
  readonly hash: string
  readonly uid: string
  /** The key that made it; no other one reads or cancels it. */
  readonly keyHash: string
  readonly callId: string
  readonly createdAtMs: number
  /** When its worker has ended it at the latest, as the hold has it. */
  readonly untilMs: number
  /** Random. Names the process that works on it. */
  readonly worker: string
  /** The end of the worker's lease; while the task asks, the end of the time for answers. */
  readonly aliveUntilMs: number
  /** An upstream does the work, and is asked about it. */
  readonly job?: true
  /** How long it is kept from its creation on; TASK_TTL_MS unless it may run for hours. */
  readonly ttlMs?: number
}

export type StoredTask = Omit<NewTask, 'worker'> & {
  readonly status: TaskStatus
  readonly updatedAtMs: number
  /** Random, of the last write that changed the state. The next one may name it. */
  readonly writer: string
  /** The sealed questions, result or error; undefined while it works, and of a cancelled task. */
  readonly sealed: Uint8Array | undefined
}

/**
 * What a write of a task found. `own`: it is written, or the same write was before. `cancelled`:
 * its caller has cancelled it. `over`: it has ended otherwise, or there is none. `taken`: another
 * worker has it, or it is alive.
 */
export type TaskWrite = 'own' | 'cancelled' | 'over' | 'taken'
