/** Entry point of the deployed mcp function: builds the ports once. */
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { dynamoClientResponses } from '../../adapters/dynamodb/sessions/client-responses.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { collectAfter } from '../../adapters/http/collect-after.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { callPorts } from '../execute/call-ports.ts'
import { startFunction } from '../start-function.ts'
import { mcpDoor } from './door.ts'

const started = startFunction('mcp', ['settings', 'secretsKey'], signedClient)
const { store } = started

export const handler = streaming(
  collectAfter(
    mcpDoor(
      {
        ...callPorts(started),
        clientResponses: dynamoClientResponses(store),
        leases: dynamoLeases(store),
        sessions: dynamoSessions(store),
        usageSums: dynamoUsageSums(store),
      },
      started.config.settings,
    ),
  ),
)
