// Bare requests of 2026-07-28 to the mcp door, whose bodies are read event by event. A body that is JSON
// is one message.

import { createParser } from 'eventsource-parser'
import type { World } from './world.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export type Message = Readonly<Record<string, unknown>>

export type PostOutcome = {
  readonly response: Response
  /** Of the invocation that serves it. */
  readonly requestId: string
  /** The next message of the body; undefined at its end. Comments are skipped. */
  readonly next: () => Promise<Message | undefined>
  /** All remaining messages. */
  readonly rest: () => Promise<readonly Message[]>
  /** Drops the connection without closing it. */
  readonly leave: () => void
}

/** `_meta` of `params` is added to the members that every request has. */
export async function postModern(
  world: World,
  key: string | undefined,
  method: string,
  params: { readonly [name: string]: unknown; readonly _meta?: object } = {},
): Promise<PostOutcome> {
  const departure = new AbortController()
  const { name } = params
  const response = await fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method,
      params: { ...params, _meta: { ...META, ...params._meta } },
    }),
    signal: departure.signal,
  })
  const messages = messagesOf(response)
  const next = async () => (await messages.next()).value
  const rest = async () => {
    const all: Message[] = []
    for (let one = await next(); one !== undefined; one = await next()) all.push(one)
    return all
  }
  const requestId = response.headers.get('x-amzn-requestid') ?? ''
  return { response, requestId, next, rest, leave: () => departure.abort() }
}

async function* messagesOf(response: Response): AsyncGenerator<Message, undefined> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || response.body === null) {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text)
    return undefined
  }
  const arrived: Message[] = []
  const parser = createParser({ onEvent: ({ data }) => arrived.push(JSON.parse(data)) })
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk)
    yield* arrived.splice(0)
  }
  return undefined
}
