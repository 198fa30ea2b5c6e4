/** The rules for the streams at the end of a run: whole blocks, one reply for each request. */
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { isWellFormed, parsed } from './answer-faults.ts'
import { CANARIES } from './canaries.ts'
import type { Gateway } from './fuzzed-gateway.ts'

/** POSTs that were accepted. */
export type AcceptedPost = { readonly requests: number; readonly cancels: number }

export function streamFaults({ streams }: Gateway, accepted: AcceptedPost): readonly string[] {
  const faults: string[] = []
  const blocks = [...blocksOf(streams.ada.text), ...blocksOf(streams.nobody.text)]
  const messages = blocks.flatMap((block) => messageIn(block, faults))
  for (const message of messages) faults.push(...messageFaults(message))
  if (blocksOf(streams.bob.text).some((block) => isReply(messageIn(block, faults)[0]))) {
    faults.push('bob was sent a reply, who had asked for nothing')
  }
  const replies = messages.filter(isReply).length
  const { cancels, requests } = accepted
  if (replies > requests || replies < requests - cancels) {
    faults.push(`${replies} replies to ${requests} requests, ${cancels} cancellations`)
  }
  return faults
}

function blocksOf(text: string): readonly string[] {
  return text.split('\n\n').slice(0, -1)
}

const BLOCK = /^(?::|retry: 1000\nevent: endpoint\ndata: \S+|event: message\ndata: (\{[^\r\n]*\}))$/
/** Older Python clients (httpx-sse before 0.4.2) also end a line at these characters. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/

/** Undefined for a comment and for the first block. */
function messageIn(block: string, faults: string[]): readonly JsonObject[] {
  const match = BLOCK.exec(block)
  const data = match?.[1]
  if (match === null) faults.push(`a block that is none: ${block.slice(0, 200)}`)
  if (data === undefined) return []
  if (OTHER_LINE_ENDS.test(data))
    faults.push('what some clients take for a line end is in a message')
  const message = parsed(data)
  if (isJsonObject(message)) return [message]
  faults.push(`a message that is no object: ${data.slice(0, 200)}`)
  return []
}

function messageFaults(message: JsonObject): readonly string[] {
  const text = JSON.stringify(message)
  const faults = CANARIES.filter((canary) => text.includes(canary)).map(
    (canary) => `a message holds ${canary}`,
  )
  if (!isWellFormed(message)) faults.push('half of a surrogate pair is in a message')
  if (message['jsonrpc'] !== '2.0') faults.push('a message is not of JSON-RPC')
  const hasOneEnd = (message['result'] === undefined) !== (message['error'] === undefined)
  if (isReply(message) && (!hasOneEnd || message['id'] === undefined)) {
    faults.push('a reply without an id, or with two ends')
  }
  return faults
}

/** Pings and notifications are the gateway's own. */
function isReply(message: JsonObject | undefined): boolean {
  return message !== undefined && message['method'] === undefined
}
