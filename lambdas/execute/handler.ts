/**
 * Entry point of the deployed execute function. Builds the ports once, and makes a call to warm up.
 */
import { runsInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { gzipAnswers } from '../../adapters/http/answer.ts'
import { collectAfter } from '../../adapters/http/collect-after.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { callPorts } from '../call/call-ports.ts'
import { type HandlerParts, warmUp } from '../call/warm-up.ts'
import { startFunction } from '../start-function.ts'
import { executeDoor } from './door.ts'

const started = startFunction('execute', ['settings', 'secretsKey', 'adminRole'], stageClient)

function buildHandler(parts: HandlerParts<typeof started.config>) {
  const { adminRole, settings } = parts.config
  const door = executeDoor(callPorts(parts), settings, executeCaches(), adminRole)
  return collectAfter(gzipAnswers(door))
}

if (runsInLambda())
  await warmUp({
    started,
    handlerOver: buildHandler,
    path: '/v1/execute',
    request: (skill) => ({ skill, arguments: { text: 'x', count: 1 } }),
  })

export const handler = streaming(buildHandler(started))
