/** Entry point of the deployed sse function: builds the ports once. */
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { startFunction } from '../start-function.ts'
import { sseDoor } from './door.ts'
import { ssePorts } from './sse-ports.ts'

const started = startFunction(
  'sse',
  ['settings', 'messagesUrl', 'executeUrl', 'signing', 'replyTail'],
  signedClient,
)

export const handler = streaming(sseDoor(await ssePorts(started), started.config.settings))
