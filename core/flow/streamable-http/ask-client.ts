/**
 * Requests that the gateway sends to a client, and the client's answers. The random id of a request
 * seals its answer. The store holds a hash of that id and of the caller's credential: no other caller
 * can answer, and a copy of the table reveals nothing.
 *
 *   expect (asker) ─▶ request on the stream ─▶ the client's POST: put, once ─▶ read (asker)
 * Two POSTs of one answer: the first stands. A put without an expect, or past its time: refused. The
 * asker dies: the question expires, nothing was charged. Bound by ADR 0027.
 */
import { err, ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { IdText, RpcError } from '../../jsonrpc/message.ts'
import { notificationText, requestText } from '../../jsonrpc/write-message.ts'
import { CANCELLED_METHOD } from '../../mcp/methods.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Channel } from './call-progress.ts'

export type AskNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'clientResponses' | 'seals'>

export type Asker = {
  readonly authorization: string
  readonly channel: Channel
  /** The asker stops waiting here, before its host ends it. */
  readonly untilMs: number
  /** One aborts when the client is known to have left, one when it took the call back. */
  readonly ends: readonly AbortSignal[]
}

/** Time for a person to fill in a form. The function that waits costs money. */
export const INPUT_WAIT_MS_MAX = 120_000
/** Between two reads of the store: short at first, since programs answer at once, then doubled. */
const READ_PAUSE_MS_MIN = 50
const READ_PAUSE_MS_MAX = 1_000
/** UTF-8 bytes of one answer, a form or a completion; an item of the store has at most 400 KB. */
export const INPUT_ANSWER_BYTES_MAX = 262_144

const ID_BYTES = 32
const ID = /^"(sgi_[A-Za-z0-9_-]{43})"$/

/**
 * Returns the `result` of each request by its key, or the reason why there is none, for the model.
 */
export async function askClient(
  ports: AskNeeds,
  asker: Asker,
  revision: Revision,
  requests: JsonObject,
): Promise<Result<JsonObject, string>> {
  const untilMs = Math.min(asker.untilMs, ports.clock.nowMs() + INPUT_WAIT_MS_MAX)
  const sending = Object.entries(requests).map(([key, request]) => {
    return { key, request, id: `sgi_${ports.ids.token(ID_BYTES)}` }
  })
  for (const { request } of sending) {
    if (methodOf(revision, request) === undefined) return err('This client has no such request.')
  }
  // One refusal ends the wait for the others.
  const over = new AbortController()
  const until = { untilMs, ended: AbortSignal.any([over.signal, ...asker.ends]) }
  const asking = sending.map(async ({ id, key, request }) => {
    const answer = await askOne(ports, asker, { id, request, ...until })
    if (!answer.ok) over.abort(OVER)
    return { key, answer }
  })
  try {
    return combine(await Promise.all(asking))
  } finally {
    over.abort(OVER)
  }
}

const OVER = 'over'
const LEFT = 'The client left before it answered.'

type ClientAnswer = { readonly key: string; readonly answer: Result<JsonObject, string> }

/** The first failure of its own stands for all; the others ended because of it. */
function combine(answered: readonly ClientAnswer[]): Result<JsonObject, string> {
  const failed = answered.flatMap(({ answer }) => (answer.ok ? [] : [answer]))
  const [first] = [...failed.filter(({ error }) => error !== LEFT), ...failed]
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
  const hash = hashOf(ports, id, asker.authorization)
  await ports.clientResponses.expect({ hash, expiresAtMs: untilMs })
  asker.channel.send(requestText(JSON.stringify(id), String(request['method']), request['params']))
  for (let pauseMs = READ_PAUSE_MS_MIN; ; pauseMs = Math.min(READ_PAUSE_MS_MAX, pauseMs * 2)) {
    const sealed = await ports.clientResponses.read(hash)
    if (sealed !== undefined) return readAnswer(ports.seals.open(id, PURPOSE, sealed))
    if (ended.aborted) return err(LEFT)
    if (ports.clock.nowMs() >= untilMs) {
      asker.channel.send(notificationText(CANCELLED_METHOD, { requestId: id, reason: 'timeout' }))
      return err('The client did not answer in time.')
    }
    await ports.clock.sleep(pauseMs, ended)
  }
}

function methodOf(revision: Revision, request: Json): string | undefined {
  const method = isJsonObject(request) ? request['method'] : undefined
  return [...revision.serverRequests].find((one) => one === method)
}

const PURPOSE = 'input-answer'

/** Reads the text that {@link takeClientAnswer} sealed. */
function readAnswer(text: string): Result<JsonObject, string> {
  const { error, result }: { error?: string; result?: JsonObject } = JSON.parse(text)
  return result === undefined
    ? err(`The client refused: ${error ?? 'it gave no result.'}`)
    : ok(result)
}

/** UTF-16 units of a client's error message that reach the model. */
const ERROR_CHARS_MAX = 200

/**
 * Stores a response that a client posted. A response to no open request is dropped, as the
 * transport demands. `too_large` is for the door to report, so that the client's user learns of it.
 */
export async function takeClientAnswer(
  ports: Pick<Ports, 'clock' | 'digests' | 'clientResponses' | 'seals'>,
  authorization: string,
  posted: {
    readonly id: IdText
    readonly answer: { readonly result: Json } | { readonly error: RpcError }
  },
): Promise<'taken' | 'dropped' | 'too_large'> {
  const id = ID.exec(posted.id)?.[1]
  if (id === undefined) return 'dropped'
  const text = JSON.stringify(storedAnswer(posted.answer))
  if (bytesOf(text) > INPUT_ANSWER_BYTES_MAX) return 'too_large'
  const sealed = ports.seals.seal(id, PURPOSE, text)
  const hash = hashOf(ports, id, authorization)
  const isTaken = await ports.clientResponses.put({ hash, sealed, nowMs: ports.clock.nowMs() })
  return isTaken ? 'taken' : 'dropped'
}

function storedAnswer(
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

function hashOf(ports: Pick<Ports, 'digests'>, id: string, authorization: string): string {
  return ports.digests.sha256(`input-answer ${id} ${ports.digests.sha256(authorization)}`)
}
