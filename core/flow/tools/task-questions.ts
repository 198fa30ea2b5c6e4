/**
 * The questions of a task: sealed under its id, with all that a worker needs to go on. A key names
 * its round, so that it is never used twice in the life of a task. Bound by MCP 2026-07-28,
 * ext-tasks, and ADR 0110.
 */
import type { JsonObject } from '../../json/json.ts'
import type { StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { AskedCall } from '../../ports/tasks.ts'

export type TaskQuestions = AskedCall & {
  /** From 1 on. */
  readonly round: number
  /** By the keys that the client sees. */
  readonly requests: JsonObject
  /** Answers that came so far, by the same keys. */
  readonly answers: JsonObject
}

const PURPOSE = 'task-questions'

export function makeQuestions(
  asked: AskedCall,
  requests: JsonObject,
  round: number,
): TaskQuestions {
  const named = Object.entries(requests).map(([key, value]) => [`${key}~${round}`, value])
  return { ...asked, round, requests: Object.fromEntries(named), answers: {} }
}

export function sealQuestions(
  { seals }: Pick<Ports, 'seals'>,
  taskId: string,
  questions: TaskQuestions,
): Uint8Array {
  return seals.seal(taskId, PURPOSE, JSON.stringify(questions))
}

/** Undefined unless the task asks. */
export function openQuestions(
  { seals }: Pick<Ports, 'seals'>,
  taskId: string,
  { sealed, status }: Pick<StoredTask, 'sealed' | 'status'>,
): TaskQuestions | undefined {
  if (status !== 'input_required' || sealed === undefined) return undefined
  // It opened under the id that we sealed it with, so it is the text that we wrote.
  return JSON.parse(seals.open(taskId, PURPOSE, sealed)) as TaskQuestions
}

/** The questions without an answer. */
export function listOpen({ answers, requests }: TaskQuestions): JsonObject {
  const open = Object.entries(requests).filter(([key]) => !Object.hasOwn(answers, key))
  return Object.fromEntries(open)
}

/** Adds the answers to open questions. Others are ignored; undefined if no other is left. */
export function addAnswers(
  questions: TaskQuestions,
  responses: JsonObject,
): TaskQuestions | undefined {
  const open = listOpen(questions)
  const fresh = Object.entries(responses).filter(([key]) => Object.hasOwn(open, key))
  if (fresh.length === 0) return undefined
  return { ...questions, answers: { ...questions.answers, ...Object.fromEntries(fresh) } }
}

/** The answers by the keys of the upstream. */
export function toResponses({ answers }: TaskQuestions): JsonObject {
  const own = Object.entries(answers).map(([key, value]) => [
    key.slice(0, key.lastIndexOf('~')),
    value,
  ])
  return Object.fromEntries(own)
}
