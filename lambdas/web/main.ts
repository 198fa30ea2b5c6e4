/** Entry point of the deployed Web Function: the sse door behind one server, until SIGTERM. */
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { sseDoor } from '../sse/door.ts'
import { ssePorts } from '../sse/sse-ports.ts'
import { startFunction } from '../start-function.ts'
import { webServer } from './server.ts'

const started = startFunction(
  'web',
  ['settings', 'messagesUrl', 'executeUrl', 'signing', 'replyTail', 'listen'],
  signedClient,
)
const { clock, config, log } = started
const { server, stop } = webServer({
  door: sseDoor(await ssePorts(started), config.settings),
  clock,
  log,
})

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
