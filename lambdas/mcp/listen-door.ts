/**
 * The part of the mcp door that a Web Function serves itself: `subscriptions/listen`. Passes on every other
 * request, so this process has no right to make a call. Bound by ADR 0069.
 */
import { type AgentRequest, agentDoor, refuseWith } from '../../adapters/http/agent-door.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../adapters/http/events.ts'
import {
  checkJsonType,
  headerOf,
  REQUEST_BODY_BYTES_MAX,
  textOrBytesOf,
} from '../../adapters/http/request.ts'
import { admitToken } from '../../core/flow/access/admit-token.ts'
import { noteRefusedKey } from '../../core/flow/access/authenticate.ts'
import { v0Lookups } from '../../core/flow/access/v0-lookups.ts'
import type { OpenListenNeeds } from '../../core/flow/streamable-http/open-listen.ts'
import type { ListenNeeds } from '../../core/flow/streamable-http/run-listen.ts'
import { listWatch } from '../../core/flow/tools/tool-list-watch.ts'
import type { Work } from '../../core/mcp/classified.ts'
import { classify } from '../../core/mcp/classify.ts'
import type { Settings } from '../../core/settings.ts'
import { listen } from './listen.ts'
import { isMcpPath } from './paths.ts'

/** The size and Origin of the request have been judged. */
export type PassOn = (request: AgentRequest) => Promise<void>

export function listenDoor(
  ports: OpenListenNeeds & ListenNeeds,
  settings: Settings,
  passOn: PassOn,
): StreamingHandler {
  const door = { ports, settings, watch: listWatch() }
  const tokens = v0Lookups()
  return agentDoor({ log: ports.log, allowedOrigins: settings.allowedOrigins }, async (request) => {
    const { event } = request
    const work = listenOf(event)
    if (work === undefined && !isMcpPath(event.rawPath)) return passOn(request)
    // Also before a request goes on: behind this server mcp sees one address for all callers, so unknown tokens
    // of one of them must not get there.
    const authorization = headerOf(event, 'authorization')
    const address = event.requestContext.http.sourceIp
    const refusal = await admitToken(ports, tokens, { address, authorization })
    if (refusal === undefined) {
      return work === undefined ? passOn(request) : listen(door, request, work)
    }
    noteRefusedKey(ports, authorization, refusal.code === 'rate_limited' ? 'limited' : 'unknown')
    return refuseWith(request, refusal)
  })
}

const METHOD = 'subscriptions/listen'

/**
 * The request when it asks to listen, otherwise undefined. Only a body that contains the method's name as
 * clients write it is parsed here; mcp itself answers a name that is spelled with escapes.
 */
export function listenOf(event: FunctionUrlEvent): Work | undefined {
  if (event.requestContext.http.method !== 'POST' || !isMcpPath(event.rawPath)) return undefined
  if (event.body?.includes(METHOD) !== true || !checkJsonType(event).ok) return undefined
  const body = textOrBytesOf(event, { bytesMax: REQUEST_BODY_BYTES_MAX })
  if (!body.ok) return undefined
  const message = classify({
    body: body.value,
    header: (name) => headerOf(event, name),
    headerNames: () => Object.keys(event.headers),
  })
  return message.kind === 'request' && message.intent.kind === 'listen' ? message : undefined
}
