/**
 * Requests that the gateway sends to a client, and the client's answers. Each request has a random
 * id, and its answer is sealed under that id. The store has a hash of that id and the caller's
 * credential: no other caller can answer, and a copy of the table reveals nothing. Bound by ADR
 * 0027.
 *
 *   expect (asker) ─▶ request on the stream ─▶ the client's POST: put, once ─▶ read (asker)
 *
 * Two POSTs of one answer: the first is kept. A put without an expect, or after its time, is
 * refused. If the asker dies, the question expires, and nothing was charged.
 */
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { err, ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { IdText, RpcError } from '../../jsonrpc/message.ts'
import { writeNotification, writeRequest } from '../../jsonrpc/write-message.ts'
import { CANCELLED_METHOD } from '../../mcp/methods.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { UpstreamAsker } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Channel } from './call-progress.ts'
import type { PostedRequest } from './http-post.ts'

export type AskNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'clientResponses' | 'seals'>

export type Asker = {
  /** The id of the caller's credential; only the same caller can answer. */
  readonly credentialId: string
  readonly channel: Channel
  /** When the asker stops waiting, before its host ends it. */
  readonly untilMs: number
  /** One signal aborts when the client is known to have left, another when it cancels the call. */
  readonly ends: readonly AbortSignal[]
}

/** Time for a person to fill in a form. It is limited because the waiting function costs money. */
export const INPUT_WAIT_MS_MAX = 120_000
/**
 * Pause between two reads of the store: short at first, since programs answer at once, then
 * doubled.
 */
const READ_PAUSE_MS_MIN = 50
const READ_PAUSE_MS_MAX = 1_000
/** UTF-8 bytes of one answer, a form or a completion. An item of the store has at most 400 KB. */
export const INPUT_ANSWER_BYTES_MAX = 262_144

const QUESTION_ID_BYTES = 32
const QUESTION_ID = /^"(sgi_[A-Za-z0-9_-]{43})"$/

/** A call stops waiting for its client this long before the process must stop. */
const LAST_WAIT_MS = 20_000

/** Returns undefined for a client that cannot be asked: it answers by its credential, on a stream. */
export function toAsker(
  { channel, deadlineMs, gone }: PostedRequest,
  credentialId: string | undefined,
  cancelled: AbortSignal | undefined,
): Asker | undefined {
  if (credentialId === undefined || channel === undefined) return undefined
  const untilMs = deadlineMs === undefined ? Number.POSITIVE_INFINITY : deadlineMs - LAST_WAIT_MS
  const ends = [gone, cancelled].filter((one) => one !== undefined)
  return { credentialId, channel, untilMs, ends }
}

/**
 * Sends requests and waits for all answers. Returns the `result` of each request by its key, or the
 * reason for the model why there is none.
 */
export async function askClient(
  ports: AskNeeds,
  asker: Asker,
  revision: Revision,
  requests: JsonObject,
): Promise<Result<JsonObject, string>> {
  const untilMs = Math.min(asker.untilMs, ports.clock.nowMs() + INPUT_WAIT_MS_MAX)
  const sending = Object.entries(requests).map(([key, request]) => {
    return { key, request, id: `sgi_${ports.ids.token(QUESTION_ID_BYTES)}` }
  })
  for (const { request } of sending) {
    if (findMethod(revision, request) === undefined) return err('This client has no such request.')
  }
  // One failure ends the wait for the other answers.
  const over = new AbortController()
  const until = { untilMs, ended: AbortSignal.any([over.signal, ...asker.ends]) }
  const asking = sending.map(async ({ id, key, request }) => {
    const answer = await askOne(ports, asker, { id, request, ...until })
    if (!answer.ok) over.abort(ASKING_OVER)
    return { key, answer }
  })
  try {
    return combineAnswers(await Promise.all(asking))
  } finally {
    over.abort(ASKING_OVER)
  }
}

/** A question of an MCP server is answered this long before the call's deadline, or not at all. */
const ANSWER_MARGIN_MS = 2_000

/**
 * Asks questions of an MCP server whose call waits for the answer, so within the call's own time.
 * Undefined if this client cannot be asked.
 */
export function askWhileRunning(
  ports: AskNeeds & Pick<Ports, 'log'>,
  revision: Revision,
  asker: Asker | undefined,
  startedAtMs: number,
): UpstreamAsker | undefined {
  if (asker === undefined || !revision.serverRequests.has('elicitation/create')) return undefined
  const untilMs = Math.min(asker.untilMs, startedAtMs + CALL_TIMEOUT_MS - ANSWER_MARGIN_MS)
  return {
    capabilities: { elicitation: revision.asksByUrl === true ? { form: {}, url: {} } : {} },
    ask: async (question) => {
      try {
        const answered = await askClient(ports, { ...asker, untilMs }, revision, { question })
        const answer = answered.ok ? answered.value['question'] : undefined
        return isJsonObject(answer) ? answer : undefined
      } catch (cause) {
        // The server gets no answer, and its tool fails.
        ports.log.note('warn', 'question-not-asked', {}, cause)
        return undefined
      }
    },
  }
}

const ASKING_OVER = 'over'
const CLIENT_LEFT = 'The client left before it answered.'

type ClientAnswer = { readonly key: string; readonly answer: Result<JsonObject, string> }

/**
 * Returns the first failure that is not CLIENT_LEFT: the other requests were ended because of it.
 */
function combineAnswers(answered: readonly ClientAnswer[]): Result<JsonObject, string> {
  const failed = answered.flatMap(({ answer }) => (answer.ok ? [] : [answer]))
  const [first] = [...failed.filter(({ error }) => error !== CLIENT_LEFT), ...failed]
  if (first !== undefined) return first
  const entries = answered.flatMap(({ answer, key }) =>
    answer.ok ? [[key, answer.value] as const] : [],
  )
  return ok(Object.fromEntries<Json>(entries))
}

type Question = {
  readonly id: string
  readonly request: Json
  readonly untilMs: number
  readonly ended: AbortSignal
}

async function askOne(
  ports: AskNeeds,
  asker: Asker,
  { ended, id, request, untilMs }: Question,
): Promise<Result<JsonObject, string>> {
  if (!isJsonObject(request)) return err('This client has no such request.')
  const hash = hashQuestion(ports, id, asker.credentialId)
  await ports.clientResponses.expect({ hash, expiresAtMs: untilMs })
  asker.channel.send(writeRequest(JSON.stringify(id), String(request['method']), request['params']))
  for (let pauseMs = READ_PAUSE_MS_MIN; ; pauseMs = Math.min(READ_PAUSE_MS_MAX, pauseMs * 2)) {
    const sealed = await ports.clientResponses.read(hash)
    if (sealed !== undefined) return readAnswer(ports.seals.open(id, SEAL_PURPOSE, sealed))
    if (ended.aborted) return err(CLIENT_LEFT)
    if (ports.clock.nowMs() >= untilMs) {
      asker.channel.send(writeNotification(CANCELLED_METHOD, { requestId: id, reason: 'timeout' }))
      return err('The client did not answer in time.')
    }
    await ports.clock.sleep(pauseMs, ended)
  }
}

function findMethod(revision: Revision, request: Json): string | undefined {
  const method = isJsonObject(request) ? request['method'] : undefined
  return [...revision.serverRequests].find((one) => one === method)
}

const SEAL_PURPOSE = 'input-answer'

/** Parses the text that {@link takeClientAnswer} sealed. */
function readAnswer(text: string): Result<JsonObject, string> {
  const { error, result }: { error?: string; result?: JsonObject } = JSON.parse(text)
  return result === undefined
    ? err(`The client refused: ${error ?? 'it gave no result.'}`)
    : ok(result)
}

/** UTF-16 units of a client's error message that the model gets. */
const ERROR_CHARS_MAX = 200

/**
 * Stores a response that a client posted. A response to no open request is dropped, as the
 * transport demands. The door reports `too_large`, so that the client's user sees it.
 */
export async function takeClientAnswer(
  ports: Pick<Ports, 'clock' | 'digests' | 'clientResponses' | 'seals'>,
  credentialId: string,
  posted: {
    readonly id: IdText
    readonly answer: { readonly result: Json } | { readonly error: RpcError }
  },
): Promise<'taken' | 'dropped' | 'too_large'> {
  const id = QUESTION_ID.exec(posted.id)?.[1]
  if (id === undefined) return 'dropped'
  const text = JSON.stringify(toStoredAnswer(posted.answer))
  if (countBytes(text) > INPUT_ANSWER_BYTES_MAX) return 'too_large'
  const sealed = ports.seals.seal(id, SEAL_PURPOSE, text)
  const hash = hashQuestion(ports, id, credentialId)
  const isTaken = await ports.clientResponses.put({ hash, sealed, nowMs: ports.clock.nowMs() })
  return isTaken ? 'taken' : 'dropped'
}

function toStoredAnswer(
  answer: { readonly result: Json } | { readonly error: RpcError },
): JsonObject {
  if ('error' in answer) {
    const { code, message } = answer.error
    return { error: `${message.slice(0, ERROR_CHARS_MAX)} (${code})` }
  }
  return isJsonObject(answer.result)
    ? { result: answer.result }
    : { error: 'its result is not an object.' }
}

function hashQuestion(ports: Pick<Ports, 'digests'>, id: string, credentialId: string): string {
  return ports.digests.sha256(`input-answer ${id} ${credentialId}`)
}
