/**
 * The check that a task goes on behind its answer: what no laptop can show of a stage. It calls a
 * slow skill as a task, closes the connection that named the task, says nothing for a while, and
 * then expects the result. Bound by decision 0110.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { buildPost, type Check, sendRequest, toBearerHeaders } from './requests.ts'
import type { SmokeTarget } from './target.ts'

const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}
/**
 * Nothing is sent meanwhile: a poll would start another invocation, and hide that the first one
 * sleeps.
 */
const SILENCE_MS = 25_000
const POLL_MS = 2_000
/** Polls after the silence: the skill takes a minute at most. */
const POLLS_MAX = 20

type Waits = { readonly silenceMs: number; readonly pollMs: number }

type Answer = {
  readonly result?: {
    readonly resultType?: string
    readonly taskId?: string
    readonly status?: string
    readonly createdAt?: string
    readonly lastUpdatedAt?: string
    readonly error?: { readonly message?: string }
  }
  readonly error?: { readonly message?: string }
}

/** The waits are shorter in tests. */
export function checkTask(
  url: URL,
  { key, task }: Pick<SmokeTarget, 'key' | 'task'>,
  waits: Waits = { silenceMs: SILENCE_MS, pollMs: POLL_MS },
): Check {
  const skill = task?.skill ?? ''
  return {
    says: `a task of ${skill} goes on behind its answer`,
    run: () => runTask(url, key, { name: skill, arguments: task?.arguments ?? {} }, waits),
  }
}

async function runTask(
  url: URL,
  key: string,
  call: { readonly name: string; readonly arguments: object },
  { pollMs, silenceMs }: Waits,
): Promise<string | undefined> {
  const started = await ask(url, key, { method: 'tools/call', name: call.name, params: call })
  const taskId = started.result?.taskId
  if (taskId === undefined) return explainNoTask(started)
  await sleep(silenceMs)
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const read = await ask(url, key, { method: 'tasks/get', name: taskId, params: { taskId } })
    if (read.result?.status !== 'working') return explainEnd(read)
    await sleep(pollMs)
  }
  return `is still working ${Math.round((silenceMs + POLLS_MAX * pollMs) / 1_000)} s after its answer. ${SLEEPS}`
}

function explainNoTask({ error, result }: Answer): string {
  if (error !== undefined) return `was refused: ${error.message}`
  return `was answered ${result?.resultType}, and not with a task: name a skill with config.task whose upstream takes 20 to 60 s`
}

function explainEnd({ error, result }: Answer): string | undefined {
  if (result?.status === 'completed') return undefined
  if (result?.status === 'failed') return `has failed: ${result.error?.message ?? ''} ${SLEEPS}`
  return `cannot be read: ${result?.status ?? error?.message}`
}

const SLEEPS =
  'The platform seems to stop an invocation once its caller has the whole answer. Until that is solved, use config.task only with job, whose work needs no invocation.'

async function ask(
  url: URL,
  key: string,
  {
    method,
    name,
    params,
  }: { readonly method: string; readonly name: string; readonly params: object },
): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
  const headers = {
    ...toBearerHeaders(key),
    accept: 'application/json, text/event-stream',
    connection: 'close',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    'mcp-name': name,
  }
  const { text } = await sendRequest(url, buildPost(body, headers))
  return readAnswer(text)
}

/** The answer is JSON, or the last event of a stream. */
function readAnswer(text: string): Answer {
  const data = text.startsWith('{') ? text : (text.match(/^data: ?(\{.*)$/gm)?.at(-1) ?? '{}')
  const parsed: unknown = JSON.parse(data.replace(/^data: ?/, ''))
  return isAnswer(parsed) ? parsed : {}
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null
}
