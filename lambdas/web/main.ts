/**
 * Entry point of the deployed Web Function: the sse door and `subscriptions/listen` behind one server, until
 * SIGTERM. Every other request of Streamable HTTP goes on to the function mcp.
 */
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { agentDoor, refuseWith } from '../../adapters/http/agent-door.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../adapters/http/events.ts'
import { passOn } from '../../adapters/http/pass-on.ts'
import { bodyTooLarge } from '../../adapters/http/request.ts'
import { listenDoor, listenOf } from '../mcp/listen-door.ts'
import { isCatalogPath, isMcpPath, MCP_PATH } from '../mcp/paths.ts'
import { sseDoor } from '../sse/door.ts'
import { ssePorts } from '../sse/sse-ports.ts'
import { startFunction } from '../start-function.ts'
import { BODY_BYTES_MAX, CONCURRENT_REQUESTS_MAX } from './limits.ts'
import { webServer } from './server.ts'

const started = startFunction(
  'web',
  ['settings', 'messagesUrl', 'executeUrl', 'signing', 'replyTail', 'listen', 'mcpFunction'],
  signedClient,
)
const { clock, config, log } = started
const ports = await ssePorts(started)
// Agents find Streamable HTTP at this server.
const settings = { ...config.settings, mcpUrl: MCP_PATH }
const sse = sseDoor(ports, settings)
const mcp = listenDoor(
  ports,
  settings,
  passOn({ to: config.mcpFunction, socketsMax: CONCURRENT_REQUESTS_MAX }),
)
const door: StreamingHandler = (event, out, context) =>
  (isOfMcp(event) ? mcp : sse)(event, out, context)
const tooLarge = agentDoor({ log, allowedOrigins: settings.allowedOrigins }, (request) =>
  refuseWith(request, bodyTooLarge(BODY_BYTES_MAX)),
)
const { server, stop } = webServer({ door, tooLarge, isStream, clock, log })

function isOfMcp({ rawPath }: FunctionUrlEvent): boolean {
  return isMcpPath(rawPath) || isCatalogPath(rawPath)
}

function isStream(event: FunctionUrlEvent): boolean {
  if (isOfMcp(event)) return listenOf(event) !== undefined
  return event.requestContext.http.method === 'GET'
}

process.once('SIGTERM', () => {
  stop().then(
    () => process.exit(0),
    (cause: unknown) => {
      log.note('error', 'request-failed', {}, cause)
      process.exit(1)
    },
  )
})
server.listen(config.listen.port, config.listen.host)
