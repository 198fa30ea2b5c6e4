/**
 * Requests of ours to a client, and its answers. The id of each request is the secret by which its
 * answer is found and opened: the store has only a hash of it, taken with the caller's credential,
 * so that nobody else can answer, and a copy of the table tells nothing.
 *
 *   expect (asker) ─▶ request on the stream ─▶ the client's POST: put, once ─▶ read (asker)
 * Two POSTs of one answer: the first stands. A put without an expect, or past its time: refused. The
 * asker dies: the question expires, nothing was charged. Sections 2 and 5.9 of the wire reference.
 */
import { err, ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { IdText, RpcError } from '../../jsonrpc/message.ts'
import { notificationText, requestText } from '../../jsonrpc/write-message.ts'
import { CANCELLED_METHOD } from '../../mcp/methods.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { Ports } from '../../ports.ts'
import type { Channel } from './call-progress.ts'

export type AskNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'clientResponses' | 'seals'>

export type Asker = {
  readonly authorization: string
  readonly channel: Channel
  /** When the asker must have gone: before its host ends it. */
  readonly untilMs: number
  /** Of each: the client is known to be gone (it could answer, but hear nothing), or took its call back. */
  readonly ends: readonly AbortSignal[]
}

/** A person reads and fills in a form; a function that waits costs money. */
export const INPUT_WAIT_MS_MAX = 120_000
/** Between two looks for an answer: often at first, since programs answer at once. */
const LOOK_MS_MIN = 50
const LOOK_MS_MAX = 1_000
/** UTF-8 bytes of one answer: a form or a completion; the store takes 400 KB in one piece. */
export const INPUT_ANSWER_BYTES_MAX = 262_144

const ID_BYTES = 32
const ID = /^"(sgi_[A-Za-z0-9_-]{43})"$/

/** By key, the `result` of each request. The error is for the model: why there is none. */
export async function askClient(
  ports: AskNeeds,
  asker: Asker,
  revision: Revision,
  requests: JsonObject,
): Promise<Result<JsonObject, string>> {
  const untilMs = Math.min(asker.untilMs, ports.clock.nowMs() + INPUT_WAIT_MS_MAX)
  const asked = Object.entries(requests).map(([key, request]) => {
    return { key, request, id: `sgi_${ports.ids.token(ID_BYTES)}` }
  })
  for (const { request } of asked) {
    if (methodOf(revision, request) === undefined) return err('This client has no such request.')
  }
  // One that is refused is enough: nobody waits for the others then.
  const over = new AbortController()
  const until = { untilMs, ended: AbortSignal.any([over.signal, ...asker.ends]) }
  const asking = asked.map(async ({ id, key, request }) => {
    const answer = await askOne(ports, asker, { id, request, ...until })
    if (!answer.ok) over.abort(OVER)
    return { key, answer }
  })
  try {
    return together(await Promise.all(asking))
  } finally {
    over.abort(OVER)
  }
}

const OVER = 'over'
const LEFT = 'The client left before it answered.'

type ClientAnswer = { readonly key: string; readonly answer: Result<JsonObject, string> }

/** Of several that failed the first one's own word, not that others were given up for it. */
function together(answered: readonly ClientAnswer[]): Result<JsonObject, string> {
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
  for (let pauseMs = LOOK_MS_MIN; ; pauseMs = Math.min(LOOK_MS_MAX, pauseMs * 2)) {
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

/** What {@link takeClientAnswer} sealed. */
function readAnswer(text: string): Result<JsonObject, string> {
  const { error, result }: { error?: string; result?: JsonObject } = JSON.parse(text)
  return result === undefined
    ? err(`The client refused: ${error ?? 'it gave no result.'}`)
    : ok(result)
}

/** Characters of a client's error message that the model gets to see. */
const ERROR_CHARS_MAX = 200

/**
 * A response that a client posted. One that nobody waits for is dropped, as the transport wants it;
 * `too_large` says that this one was, so that the client's user learns of it.
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
  const text = JSON.stringify(kept(posted.answer))
  if (bytesOf(text) > INPUT_ANSWER_BYTES_MAX) return 'too_large'
  const sealed = ports.seals.seal(id, PURPOSE, text)
  const hash = hashOf(ports, id, authorization)
  const isTaken = await ports.clientResponses.put({ hash, sealed, nowMs: ports.clock.nowMs() })
  return isTaken ? 'taken' : 'dropped'
}

function kept(answer: { readonly result: Json } | { readonly error: RpcError }): JsonObject {
  if ('error' in answer) {
    const { code, message } = answer.error
    return { error: `${message.slice(0, ERROR_CHARS_MAX)} (${code})` }
  }
  return isJsonObject(answer.result)
    ? { result: answer.result }
    : { error: 'its result is no object.' }
}

function hashOf(ports: Pick<Ports, 'digests'>, id: string, authorization: string): string {
  return ports.digests.sha256(`input-answer ${id} ${ports.digests.sha256(authorization)}`)
}
