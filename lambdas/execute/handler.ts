/** Entry point of the deployed execute function: builds the ports once, and makes a call to warm up. */
import { runsInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { collectAfter } from '../../adapters/http/collect-after.ts'
import { gzipAnswers } from '../../adapters/http/gzip-answers.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { startFunction } from '../start-function.ts'
import { callPorts } from './call-ports.ts'
import { executeDoor } from './door.ts'
import { type HandlerParts, warmUp } from './warm-up.ts'

const started = startFunction('execute', ['settings', 'secretsKey', 'adminRole'], stageClient)

function handlerOver(parts: HandlerParts<typeof started.config>) {
  const { adminRole, settings } = parts.config
  const door = executeDoor(callPorts(parts), settings, executeCaches(), adminRole)
  return collectAfter(gzipAnswers(door))
}

if (runsInLambda())
  await warmUp({
    started,
    handlerOver,
    path: '/v1/execute',
    request: (skill) => ({ skill, arguments: { text: 'x', count: 1 } }),
  })

export const handler = streaming(handlerOver(started))
