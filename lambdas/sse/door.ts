/**
 * HTTP+SSE (2024-11-05): GET opens the stream; POST accepts a message into its session and passes
 * it to the messages function. The door itself does none of a message's work. Bound by
 * docs/service.md, Doors, Sessions and Streams.
 */

import { type AgentRequest, makeAgentDoor, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerJson, answerText } from '../../adapters/http/answer.ts'
import {
  type BlockWriter,
  EVENT_STREAM_HEADERS,
  makeBlockWriter,
} from '../../adapters/http/block-writer.ts'
import type { InvocationContext, StreamingHandler } from '../../adapters/http/events.ts'
import { startResponse } from '../../adapters/http/lambda-stream.ts'
import {
  checkJsonType,
  findHeader,
  REQUEST_BODY_BYTES_MAX,
  readBodyBytes,
  readQuery,
} from '../../adapters/http/request.ts'
import { type AdmitCallerNeeds, admitCaller } from '../../core/flow/access/admit-caller.ts'
import { createV0Lookups, type V0Lookups } from '../../core/flow/access/v0-lookups.ts'
import { acceptMessage } from '../../core/flow/sse/accept-message.ts'
import { openSession } from '../../core/flow/sse/open-session.ts'
import { runStream } from '../../core/flow/sse/run-stream.ts'
import { writeErrorReply } from '../../core/jsonrpc/write-message.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { MESSAGES_PATH, type NotFoundHint, SSE_PATH, toNotFoundHint } from './not-found-hints.ts'

export type SsePorts = AdmitCallerNeeds &
  Pick<
    Ports,
    | 'changes'
    | 'toolListVersion'
    | 'clock'
    | 'digests'
    | 'execute'
    | 'ids'
    | 'keys'
    | 'leases'
    | 'log'
    | 'messages'
    | 'rateCounters'
    | 'profiles'
    | 'replies'
    | 'seals'
    | 'sessions'
  >

export function createSseDoor(ports: SsePorts, settings: Settings): StreamingHandler {
  const tokens = createV0Lookups()
  return makeAgentDoor({ log: ports.log, settings }, (request) => {
    const { rawPath } = request.event
    switch (rawPath) {
      case SSE_PATH:
        return request.method === 'GET'
          ? openStream({ ports, settings, tokens }, request)
          : refuseMethod(request, 'GET')
      case MESSAGES_PATH:
        return request.method === 'POST'
          ? acceptPost(ports, request)
          : refuseMethod(request, 'POST')
      default:
        return answerNotFoundHint(request, toNotFoundHint(rawPath, settings))
    }
  })
}

type Door = {
  readonly ports: SsePorts
  readonly settings: Settings
  readonly tokens: V0Lookups
}

async function openStream({ ports, settings, tokens }: Door, request: AgentRequest): Promise<void> {
  const { context, cors, event, out } = request
  const admitting = { ports, settings, lookups: tokens }
  const admitted = await admitCaller(admitting, {
    authorization: findHeader(event, 'authorization'),
    address: event.requestContext.http.sourceIp,
  })
  if (!admitted.ok) {
    ports.log.note('info', 'stream-refused', { code: admitted.error.code })
    return refuseWith(request, admitted.error)
  }
  const opened = await openSession(ports, settings, admitted.value)
  if (!opened.ok) return refuseWith(request, opened.error)
  const response = startResponse(out, {
    statusCode: 200,
    headers: { ...EVENT_STREAM_HEADERS, ...cors },
  })
  const writer = makeBlockWriter(response)
  const why = await runStream(ports, opened.value, toOutlet(ports, writer, context), MESSAGES_PATH)
  ports.log.note('info', 'stream-ended', {
    why,
    openMs: ports.clock.nowMs() - opened.value.session.createdAtMs,
  })
  await writer.end()
}

function toOutlet(ports: SsePorts, writer: BlockWriter, context: InvocationContext) {
  const remainingMs = context.getRemainingTimeInMillis()
  return {
    write: (block: string) => writer.write(block),
    closed: writer.closed,
    deadlineMs: Number.isFinite(remainingMs) ? ports.clock.nowMs() + remainingMs : undefined,
  }
}

async function acceptPost(ports: SsePorts, request: AgentRequest): Promise<void> {
  const { cors, event, out } = request
  const type = checkJsonType(event)
  if (!type.ok) return refuseWith(request, type.error)
  const body = readBodyBytes(event, { bytesMax: REQUEST_BODY_BYTES_MAX })
  if (!body.ok) return refuseWith(request, body.error)
  const sessionId = readQuery(event).get('session_id') ?? undefined
  const client = findHeader(event, 'user-agent')
  const accepted = await acceptMessage(ports, { sessionId, body: body.value, client })
  if (accepted.ok) {
    return answerText(out, 202, 'Accepted', {
      'content-type': 'text/plain; charset=utf-8',
      ...cors,
    })
  }
  if (accepted.error.kind === 'problem') return refuseWith(request, accepted.error.refusal)
  const { error, id } = accepted.error
  const headers = { 'content-type': 'application/json; charset=utf-8', ...cors }
  return answerText(out, 400, writeErrorReply(id, error), headers)
}

function answerNotFoundHint(request: AgentRequest, answer: NotFoundHint): Promise<void> {
  if ('refusal' in answer) return refuseWith(request, answer.refusal)
  return answerJson(request.out, answer.status, answer.body, request.cors)
}

function refuseMethod(request: AgentRequest, allow: 'GET' | 'POST'): Promise<void> {
  const detail = `This path takes ${allow} only. GET ${SSE_PATH} opens a stream; its endpoint event names the URL to POST to.`
  return refuseWith(request, { code: 'method_not_allowed', detail }, { allow })
}
