/**
 * A stand-in for the Messages API that Claude Code asks: each turn is answered, as an event stream, by
 * what a test decides. It knows POST /v1/messages alone, and has no model.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Fields, readJsonObject, stringOf } from '../e2e/fields.ts'
import { type LocalServer, readBody, startLocalServer } from '../lambda/local-server.ts'

/** Instructions and tools of a first turn are 100 kB. */
const REQUEST_BYTES_MAX = 10_000_000

export type Turn = {
  /** Names of the tools that the model may ask for; none in requests beside the conversation. */
  readonly tools: readonly string[]
  /** The JSON of the messages since the model's last reply: of the user, of tools and of Claude Code. */
  readonly heard: string
}

/** `call`: the model asks for this tool. */
export type Reply =
  | { readonly text: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly input: Fields } }

export function startModel(reply: (turn: Turn) => Promise<Reply>): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    answer(request, response, reply).catch((cause) => {
      // Claude Code shows the message in its terminal, and does not repeat a 400.
      const error = { type: 'invalid_request_error', message: String(cause) }
      sendJson(response, 400, { type: 'error', error })
    })
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  reply: (turn: Turn) => Promise<Reply>,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const body = await readBody(request, REQUEST_BYTES_MAX)
  if (request.method !== 'POST' || pathname !== '/v1/messages' || body === undefined) {
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error' } })
  }
  const asked = readJsonObject(body.toString('utf8'))
  const said = await reply(readTurn(asked))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of eventsOf(said, stringOf(asked, 'model'))) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function readTurn({ messages, tools = [] }: Fields): Turn {
  if (!Array.isArray(messages) || !Array.isArray(tools))
    throw new Error('messages or tools is no list')
  const lastReply = messages.findLastIndex((message) => Object(message)['role'] === 'assistant')
  return {
    tools: tools.map((tool) => String(Object(tool)['name'])),
    heard: JSON.stringify(messages.slice(lastReply + 1)),
  }
}

function eventsOf(reply: Reply, model: string): readonly ({ readonly type: string } & Fields)[] {
  const isCall = 'call' in reply
  const index = 0
  const message = {
    id: 'msg_stand_in',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const block = isCall
    ? { type: 'tool_use', id: reply.call.id, name: reply.call.name, input: {} }
    : { type: 'text', text: '' }
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.call.input) }
    : { type: 'text_delta', text: reply.text }
  const end = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null }
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
    { type: 'message_delta', delta: end, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
}

function sendJson(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
