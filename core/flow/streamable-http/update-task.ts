/**
 * `tasks/update`: answers to the questions of a task. They may come in parts; those to no open
 * question are ignored. The last one lets the call go on, behind the empty answer, with the hold of
 * its first round. Bound by MCP 2026-07-28, ext-tasks, and ADR 0110.
 *
 *   update: some answers ─▶ kept ── update: the rest ─▶ claim ✔ ─▶ empty answer ─▶ call ─▶ end the task ─▶ settle
 *   the same update, at once: both read one writer; the second is refused, reads again, and finds no open question
 *   cancel, or an hour is over: the claim is refused, and nothing runs
 * Dies between claim and end: the lease ends, and the task has failed, refunded.
 */
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { SERVER_STOPS } from '../../call/no-answer.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Work } from '../../mcp/classified.ts'
import { type StoredTask, TASK_LEASE_MS } from '../../mcp/task.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import {
  addAnswers,
  listOpen,
  openQuestions,
  sealQuestions,
  type TaskQuestions,
  toResponses,
} from '../tools/task-questions.ts'
import type { PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { type TaskCallNeeds, WORKER_BYTES } from './task-call.ts'
import { startTaskWorker } from './task-worker.ts'

export type UpdateTaskNeeds = TaskCallNeeds & CallToolNeeds

type Context = McpContext<UpdateTaskNeeds>

type Answered = {
  readonly task: StoredTask
  readonly taskId: string
  readonly responses: JsonObject
}

/** Updates of one task that meet each other: as many as there are questions, and one. */
const TRIES_MAX = 17

/** Resolves when the answers are kept. Throws `Fault` if the store fails. */
export async function updateTask(
  context: Context,
  work: Pick<Work, 'revision'>,
  posted: PostedRequest,
  { responses, taskId, ...of }: Answered,
): Promise<void> {
  let task: StoredTask | undefined = of.task
  for (let tries = 1; task !== undefined && tries <= TRIES_MAX; tries += 1) {
    const asked = openQuestions(context.ports, taskId, task)
    const questions = asked && addAnswers(asked, responses)
    if (questions === undefined) return
    const kept = await keepAnswers(context.ports, { task, taskId, questions })
    if (kept.kind === 'claimed') {
      const resumed = resume(context, work, posted, kept.resumed)
      posted.scope.follow(resumed.then(() => []))
    }
    if (kept.kind !== 'changed') return
    task = await context.ports.tasks.read(task.hash)
  }
}

/** `changed`: another write came first, and the task has to be read again. */
async function keepAnswers(
  ports: UpdateTaskNeeds,
  { questions, task, taskId }: Omit<Resumed, 'worker'>,
): Promise<{ kind: 'kept' | 'changed' } | { kind: 'claimed'; resumed: Resumed }> {
  const { ids, tasks } = ports
  const nowMs = ports.clock.nowMs()
  const { hash, writer: over } = task
  if (Object.keys(listOpen(questions)).length > 0) {
    const sealed = sealQuestions(ports, taskId, questions)
    const isKept = await tasks.answer({ hash, over, nowMs, sealed })
    return { kind: isKept ? 'kept' : 'changed' }
  }
  const worker = ids.token(WORKER_BYTES)
  const aliveUntilMs = nowMs + TASK_LEASE_MS
  const isClaimed = await tasks.claim({ hash, over, worker, nowMs, aliveUntilMs })
  return isClaimed
    ? { kind: 'claimed', resumed: { task, taskId, worker, questions } }
    : { kind: 'changed' }
}

type Resumed = Omit<Answered, 'responses'> & {
  readonly worker: string
  readonly questions: TaskQuestions
}

/**
 * Never rejects. A call that ends without its worker, refused before its hold, ends the task as it
 * was refused.
 */
async function resume(
  { caches, ports, settings }: Context,
  { revision }: Pick<Work, 'revision'>,
  { client, credential, gone, scope }: PostedRequest,
  { questions, task, taskId, worker: name }: Resumed,
): Promise<void> {
  const { callId, hash, uid } = task
  const stop = new AbortController()
  const worked = { hash, worker: name, callId, taskId, revision, rounds: questions.round, scope }
  const worker = startTaskWorker(ports, settings, { ...worked, name: questions.name }, () =>
    stop.abort('the task has ended'),
  )
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) stop.abort(SERVER_STOPS)
  }
  gone?.addEventListener('abort', onGone)
  const { capabilities, state } = questions
  const input = {
    responses: toResponses(questions),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(state === undefined ? {} : { state }),
  }
  const nowMs = ports.clock.nowMs()
  try {
    const refused = await callTool(ports, settings, {
      name: questions.name,
      arguments: questions.arguments,
      credential,
      ownerOf: async () => uid,
      callId,
      deadlineMs: nowMs + CALL_TIMEOUT_MS,
      lists: caches.lists,
      scope,
      input,
      declares: true,
      door: 'mcp',
      client,
      cancelled: stop.signal,
      task: {
        resumes: true,
        stopped: stop.signal,
        begin: () => {},
        repeat: () => Promise.resolve(),
        ask: worker.ask,
        // A skill that starts jobs asks nothing, so that no round of it goes on.
        handOver: () => Promise.resolve('lost'),
        end: worker.end,
      },
    })
    if (worker.hasLeft()) return
    await worker.close(refused)
    await ports.execute.voidCall({ uid, callId, reason: 'crashed' })
  } catch (cause) {
    // The lease of the task ends, and the sweep gives the hold back.
    ports.log.note('error', 'task-not-ended', { callId }, cause)
  } finally {
    gone?.removeEventListener('abort', onGone)
  }
}
