/**
 * A task: a call that goes on behind its answer, and whose result is asked for later (MCP 2026-07-28, extension
 * io.modelcontextprotocol/tasks). It ends once. Bound by ADR 0110.
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
/** A call that ends within this time of its POST is answered directly. */
export const TASK_AFTER_MS = 1_000
/** UTF-8 bytes of the result or error of a task, as JSON: what its stored parts hold. */
export const TASK_RESULT_BYTES_MAX = 2_700_000

/** How a task ended. A tool that answers with an error has completed; `failed` has no result. */
export const TASK_ENDS = ['completed', 'failed', 'cancelled'] as const
export type TaskEnd = (typeof TASK_ENDS)[number]
export type TaskStatus = 'working' | TaskEnd

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
  /** An upstream does the work, and is asked about it. */
  readonly job?: true
  /** How long it is kept from its creation on; TASK_TTL_MS unless it may run for hours. */
  readonly ttlMs?: number
}

export type StoredTask = NewTask & {
  readonly status: TaskStatus
  readonly updatedAtMs: number
  /** The sealed result or error; undefined while it works, and of a cancelled task. */
  readonly sealed: Uint8Array | undefined
}
