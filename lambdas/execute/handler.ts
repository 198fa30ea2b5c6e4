/**
 * Entry point of the deployed execute function. Builds the ports once, and makes a call to warm up.
 */
import { isInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { gzipAnswers } from '../../adapters/http/answer.ts'
import { collectGarbageAfter } from '../../adapters/http/collect-after.ts'
import { makeStreamingHandler } from '../../adapters/http/lambda-stream.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { createCallPorts } from '../call/call-ports.ts'
import { createTokenVerifier } from '../call/token-verifier.ts'
import { type HandlerParts, warmUpFunction } from '../call/warm-up.ts'
import { openEdgeCheck, putBehindEdge } from '../edge/behind-edge.ts'
import { startFunction } from '../start-function.ts'
import { createExecuteDoor } from './door.ts'

const started = startFunction(
  'execute',
  ['archive', 'settings', 'secretsKey', 'caller', 'callerRoles', 'edge'],
  stageClient,
)
const edge = openEdgeCheck(started)

function buildHandler(parts: HandlerParts<typeof started.config>) {
  const { callerRoles, settings } = parts.config
  const callPorts = createCallPorts(parts)
  const ports = { ...callPorts, tokenVerifier: createTokenVerifier(callPorts, settings) }
  const door = createExecuteDoor(ports, settings, makeExecuteCaches(), callerRoles)
  return collectGarbageAfter(gzipAnswers(door))
}

if (isInLambda())
  await warmUpFunction({
    started,
    handlerOver: buildHandler,
    path: '/v1/execute',
    request: (skill) => ({ skill, arguments: { text: 'x', count: 1 } }),
  })

export const handler = makeStreamingHandler(putBehindEdge(buildHandler(started), edge, started.log))
