/** An agent in the test world: opens streams, posts messages, reads what arrives. */
import { credentialOf } from '../../../bench/lib/credential.ts'
import type { Credential } from '../../../core/access/credential.ts'
import { acceptMessage } from '../../../core/flow/sse/accept-message.ts'
import { type OpenedSession, openSession } from '../../../core/flow/sse/open-session.ts'
import { runStream } from '../../../core/flow/sse/run-stream.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { StreamEndReason } from '../../../core/session/stream-plan.ts'
import { okOf, type World } from './world.ts'

export type AgentStream = {
  readonly opened: OpenedSession
  /** Blocks as they were written, comments included. */
  readonly blocks: string[]
  /** Messages that arrived, parsed, in order. */
  messages(): readonly JsonObject[]
  /** Messages with this id, as JSON text. */
  withId(id: Json): readonly JsonObject[]
  heartbeats(): number
  /** Why the stream ended; undefined while it is open. */
  why(): StreamEndReason | undefined
  readonly ended: Promise<StreamEndReason>
  /** Ends the connection from the client's side. */
  close(): void
  /** Stops reading: writes are accepted, but do not finish until the reader resumes. */
  stall(): void
  resume(): void
  /** Returns `accepted`, or the refusal of the POST. */
  post(message: Json | string): Promise<'accepted' | JsonObject>
}

export async function openStream(
  world: World,
  authorization: string | undefined,
  options: { deadlineMs?: number } = {},
): Promise<AgentStream> {
  return openStreamOf(world, credentialOf(authorization), options)
}

/** The stream of a caller whom a door has admitted. */
export async function openStreamOf(
  world: World,
  credential: Credential,
  options: { deadlineMs?: number } = {},
): Promise<AgentStream> {
  const opened = okOf(await openSession(world.ports, world.settings, credential))
  return streamOf(world, opened, options)
}

export async function streamOf(
  world: World,
  opened: OpenedSession,
  options: { deadlineMs?: number; stalled?: boolean } = {},
): Promise<AgentStream> {
  const blocks: string[] = []
  const closed = new AbortController()
  let why: StreamEndReason | undefined
  let stalled = options.stalled === true ? Promise.withResolvers<void>() : undefined
  const outlet = {
    write: (block: string) => {
      if (!closed.signal.aborted) blocks.push(block)
      return stalled?.promise ?? Promise.resolve()
    },
    closed: closed.signal,
    deadlineMs: options.deadlineMs,
  }
  const ended = runStream(world.ports, opened, outlet, '/v1/mcp/messages')
  ended.then(
    (reason) => {
      why = reason
    },
    () => {},
  )
  const messages = () => blocks.map(messageIn).filter((one) => one !== undefined)
  await world.clock.settle()
  return {
    opened,
    blocks,
    messages,
    withId: (id) => messages().filter((one) => JSON.stringify(one['id']) === JSON.stringify(id)),
    heartbeats: () => blocks.filter((block) => block === ':\n\n').length,
    why: () => why,
    ended,
    close: () => closed.abort(),
    stall: () => {
      stalled = Promise.withResolvers()
    },
    resume: () => {
      stalled?.resolve()
      stalled = undefined
    },
    post: (message) => postTo(world, opened.sessionId, message),
  }
}

export async function postTo(
  world: World,
  sessionId: string | undefined,
  message: Json | string,
): Promise<'accepted' | JsonObject> {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  const body = new TextEncoder().encode(text)
  const accepted = await acceptMessage(world.ports, { sessionId, body })
  await world.clock.settle()
  return accepted.ok ? accepted.value : parsed(JSON.stringify(accepted.error))
}

export function request(id: Json, method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

export function call(id: Json, name: string, args: JsonObject = {}): JsonObject {
  return request(id, 'tools/call', { name, arguments: args })
}

export function cancelled(requestId: Json): JsonObject {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
}

/** The text of a tools/call result. */
export function textOf(message: JsonObject | undefined): string {
  const result = message?.['result']
  const content = isJsonObject(result) ? result['content'] : undefined
  const first = Array.isArray(content) ? content[0] : undefined
  const text = isJsonObject(first) ? first['text'] : undefined
  return typeof text === 'string' ? text : ''
}

function messageIn(block: string): JsonObject | undefined {
  const data = /^event: message\ndata: (.*)\n\n$/.exec(block)?.[1]
  return data === undefined ? undefined : parsed(data)
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (!isJsonObject(value)) throw new Error(`not an object: ${text}`)
  return value
}
