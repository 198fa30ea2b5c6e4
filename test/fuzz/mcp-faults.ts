/**
 * The faults that no answer of the door mcp may have: statuses as in docs/protocol.md, Status codes
 * of POST /mcp; one reply for each request under its own id, none for other messages, codes where
 * they belong.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parsed } from './answer-faults.ts'
import { ARGUMENT } from './canaries.ts'
import type { CountedAnswer } from './counted-answer.ts'
import { isNamed } from './gateway-faults.ts'
import { gateFaults, isGate } from './mcp-gates.ts'
import type { OddRequest } from './odd-requests.ts'
import { type PostedBody, type PostedItem, readPosted, replyIds } from './read-posted.ts'

const GATE_CODES = [-32700, -32600, -32020, -32021, -32022]
const CODES = [...GATE_CODES, -32601, -32602, -32603, -32002, -32004, -31004]

/** `note` receives each error's code. */
export function mcpFaults(
  request: OddRequest,
  answer: CountedAnswer,
  note: (code: number) => void,
): readonly string[] {
  const posted = readPosted(request)
  if (isGate(request, answer)) return gateFaults(request, answer)
  const faults = gateFaults(request, answer)
  if (answer.status === 202) return [...faults, ...silenceFaults(posted, answer)]
  const { asked, replies, text } = repliesIn(answer)
  if (replies.length === 0 && answer.isStream) return [...faults, ...listenFaults(posted, answer)]
  const errors = replies.map(errorOf).filter((error) => error !== undefined)
  for (const error of errors) note(Number(error['code']))
  return [
    ...faults,
    ...askedFaults(posted, asked),
    ...idFaults(posted, replyIds(replies, text)),
    ...replies.flatMap(replyFaults),
    ...errors.flatMap((error) => errorFaults(request, error)),
    ...(posted.kind === 'batch' && answer.status === 200
      ? []
      : statusFaults(posted, answer.status, replies[0])),
  ]
}

/** Stored once, so that a later quote is the text that came. */
function repliesIn(answer: CountedAnswer) {
  const all = answer.isStream ? eventsOf(answer.text) : [answer.text]
  const values = all.flatMap((text) => parsed(text) ?? [])
  const isReply = (value: Json) => isJsonObject(value) && value['method'] === undefined
  const texts = all.filter((text) => isReply(parsed(text) ?? null))
  const asked = values.filter((value) => !isReply(value) && isJsonObject(value))
  const text = answer.isStream ? `[${texts.join(',')}]` : answer.text
  return { replies: values.filter(isReply), asked, text }
}

function eventsOf(text: string): readonly string[] {
  return text
    .split('\n\n')
    .flatMap((block) => /^event: message\ndata: (.*)$/.exec(block)?.[1] ?? [])
}

function errorOf(reply: Json): JsonObject | undefined {
  const error = isJsonObject(reply) ? reply['error'] : undefined
  return isJsonObject(error) ? error : undefined
}

/** A message that expects no answer gets none; a batch's cancellation removes its reply. */
function silenceFaults(posted: PostedBody, { text }: CountedAnswer): readonly string[] {
  const items = itemsOf(posted)
  const isSilent = items.every(({ kind }) => kind === 'notification' || kind === 'response')
  const isDue = posted.kind !== 'no-json' && (isSilent || hasCancel(items))
  return [
    ...(text === '' ? [] : ['a 202 with a body']),
    ...(isDue ? [] : ['a request was answered by 202']),
  ]
}

/** The test ended this listen stream; before that, it had named the request that it answers. */
function listenFaults(posted: PostedBody, { text }: CountedAnswer): readonly string[] {
  const id = posted.kind === 'one' ? posted.item.id : undefined
  const [first = ''] = eventsOf(text)
  const isNamed = first.includes(`/subscriptionId":${id}}`)
  return first.includes('subscriptions/acknowledged') && isNamed
    ? []
    : ['a stream without an answer']
}

function itemsOf(posted: PostedBody): readonly PostedItem[] {
  switch (posted.kind) {
    case 'no-json':
      return []
    case 'one':
      return [posted.item]
    case 'batch':
      return posted.items
    default:
      return posted satisfies never
  }
}

function hasCancel(items: readonly PostedItem[]): boolean {
  return items.some(({ value }) => {
    return isJsonObject(value) && value['method'] === 'notifications/cancelled'
  })
}

/**
 * Messages before an answer are notifications or questions to the client; only requests get them.
 */
function askedFaults(posted: PostedBody, asked: readonly Json[]): readonly string[] {
  if (asked.length === 0) return []
  const isCall = itemsOf(posted).some(({ kind }) => kind === 'request')
  return isCall ? [] : ['something was sent ahead of an answer to no request']
}

function idFaults(posted: PostedBody, ids: readonly (string | null)[]): readonly string[] {
  if (posted.kind === 'batch') return batchFaults(posted.items, ids)
  if (ids.length !== 1) return [`${ids.length} replies to one message`]
  const item = posted.kind === 'one' ? posted.item : undefined
  const id = item?.id ?? null
  const mayBeNull = item?.kind !== 'request' || (posted.kind === 'one' && posted.isDeep)
  const isRight = ids[0] === id || (mayBeNull && ids[0] === null)
  return isRight ? [] : [`the id ${ids[0]} for ${id}`]
}

/**
 * A batch is refused whole, or gets one reply for each item that is no notification and no
 * response.
 */
function batchFaults(
  items: readonly PostedItem[],
  ids: readonly (string | null)[],
): readonly string[] {
  if (ids.length === 1 && ids[0] === null) return []
  const due = items.filter(({ kind }) => kind === 'request' || kind === 'none')
  const wanted = due.map(({ id }) => id ?? null)
  const isWhole = JSON.stringify(wanted) === JSON.stringify(ids)
  return isWhole || hasCancel(items) ? [] : [`the ids ${ids.join()} for ${wanted.join()}`]
}

function replyFaults(reply: Json): readonly string[] {
  if (!isJsonObject(reply)) return ['a reply is no object']
  const { error, jsonrpc, result } = reply
  const isWhole = jsonrpc === '2.0' && (error === undefined) !== (result === undefined)
  const isTyped = error === undefined || isErrorObject(error)
  return isWhole && isTyped ? [] : ['a reply that is none of JSON-RPC']
}

function isErrorObject(error: Json): boolean {
  if (!isJsonObject(error)) return false
  return CODES.includes(Number(error['code'])) && typeof error['message'] === 'string'
}

function errorFaults(request: OddRequest, error: JsonObject): readonly string[] {
  const isTold = JSON.stringify(error).includes(ARGUMENT) && !isNamed(request)
  const isWrong = request.isUntouched === true && GATE_CODES.includes(Number(error['code']))
  const { data } = error
  const names = isJsonObject(data) ? Object.keys(data) : []
  const isSpoken = error['code'] !== -32022 || names.join() === 'supported,requested'
  return [
    ...(isTold ? ['an error repeats an argument'] : []),
    ...(isWrong ? [`a right request was refused with ${error['code']}`] : []),
    ...(isSpoken ? [] : ['an unsupported version without those that are']),
  ]
}

/**
 * Errors of the gates have a status, errors of a handler are 200, an unknown method depends on the
 * revision.
 */
function statusFaults(
  posted: PostedBody,
  status: number,
  reply: Json | undefined,
): readonly string[] {
  const item = itemsOf(posted)[0]
  const isModern = posted.kind === 'one' && item?.isModern === true
  const error = errorOf(reply ?? null)
  if (status === 200 && isUnanswered(item)) return ['an answer to what asks for none']
  if (error === undefined) return status === 200 ? [] : [`a result with status ${status}`]
  const code = Number(error['code'])
  const faults: string[] = []
  if (isModern && code <= -32000 && code >= -32019) faults.push('a legacy code in the modern era')
  if (!isModern && code === -31004) faults.push('a modern code in the legacy era')
  if (!dueStatuses(code, isModern, posted).includes(status)) {
    faults.push(`the code ${code} with status ${status}`)
  }
  return faults
}

function isUnanswered(item: PostedItem | undefined): boolean {
  return item?.kind === 'notification' || item?.kind === 'response'
}

function dueStatuses(code: number, isModern: boolean, posted: PostedBody): readonly number[] {
  if (posted.kind === 'no-json') return code === -32700 || code === -32600 ? [400] : []
  if (GATE_CODES.includes(code)) return [400]
  if (code === -32601) return [isModern ? 404 : 200]
  // 400: an envelope that is malformed, or missing under the header of a modern revision.
  return code === -32602 ? [200, 400] : [200]
}
