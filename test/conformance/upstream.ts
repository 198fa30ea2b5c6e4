/**
 * The API behind the fixtures: `POST /<tool>` on 127.0.0.1, answering as an mcp upstream. It knows
 * no more of the gateway than any upstream does; the function that changes the tools is passed in.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LocalServer, readBody, startLocalServer } from '../lambda/local-server.ts'
import { PLAIN_TOOLS, type Surroundings, type ToolAnswer } from './answers.ts'
import { ASKING_TOOLS, type QuestionCall } from './questions.ts'
import { TASK_TOOLS } from './task-tools.ts'

/** Arguments and answers of the suite are below 10 kB. */
const BODY_BYTES_MAX = 262_144

export function startUpstream(around: Surroundings): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    serve(around, request, response).catch((cause: unknown) => {
      send(response, { status: 500, body: { error: String(cause) } })
    })
  })
}

async function serve(
  around: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const tool = (request.url ?? '/').slice(1)
  const body = await readBody(request, BODY_BYTES_MAX)
  if (body === undefined) return send(response, { status: 413, body: { error: 'Too large.' } })
  send(response, await answerOf(around, tool, body.toString('utf8')))
}

async function answerOf(around: Surroundings, tool: string, text: string): Promise<ToolAnswer> {
  const plain = PLAIN_TOOLS.get(tool)
  if (plain !== undefined) return plain(around)
  const asking = ASKING_TOOLS.get(tool)
  if (asking !== undefined) return asking(readAsked(text))
  const task = TASK_TOOLS.get(tool)
  if (task !== undefined) return task.answer(readAsked(text))
  return { status: 404, body: { error: `No fixture ${tool}.` } }
}

/** Placeholders without a value become nothing, null or an empty text. */
export function readAsked(text: string): QuestionCall {
  const sent = fieldsOf(text === '' ? {} : JSON.parse(text))
  const state = sent['state']
  return {
    args: fieldsOf(sent['args']),
    responses: fieldsOf(sent['responses']),
    state: typeof state === 'string' && state !== '' ? state : undefined,
    capabilities: fieldsOf(sent['capabilities']),
  }
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function send(response: ServerResponse, { status = 200, body }: ToolAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
