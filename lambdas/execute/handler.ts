/** Entry point of the deployed execute function: builds the ports once. */
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { collectAfter } from '../../adapters/http/collect-after.ts'
import { gzipAnswers } from '../../adapters/http/gzip-answers.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { startFunction } from '../start-function.ts'
import { callPorts } from './call-ports.ts'
import { executeDoor } from './door.ts'

const started = startFunction('execute', ['settings', 'secretsKey', 'adminRole'], signedClient)
const { adminRole, settings } = started.config

export const handler = streaming(
  collectAfter(gzipAnswers(executeDoor(callPorts(started), settings, executeCaches(), adminRole))),
)
