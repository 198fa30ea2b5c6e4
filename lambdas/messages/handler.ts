/**
 * Entry point of the deployed messages function. Builds the ports once, those that few messages use
 * late (call-ports.ts), and makes a call to warm up.
 */
import { isInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { listVersionCache } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoReplies } from '../../adapters/dynamodb/sessions/replies.ts'
import { collectGarbageAfter } from '../../adapters/http/collect-after.ts'
import { makeStreamingHandler } from '../../adapters/http/lambda-stream.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { createCallPorts } from '../call/call-ports.ts'
import { type HandlerParts, warmUpFunction } from '../call/warm-up.ts'
import { startFunction } from '../start-function.ts'
import { createMessagesDoor } from './door.ts'
import { handOnTo } from './warm-up-message.ts'

const started = startFunction(
  'messages',
  ['archive', 'settings', 'secretsKey', 'caller'],
  stageClient,
)

function buildHandler(parts: HandlerParts<typeof started.config>) {
  const { clock, config, store } = parts
  const versions = listVersionCache(clock)
  const ports = {
    ...createCallPorts(parts, versions),
    // Most clients read guides once, at their start, and few clients use this function.
    guides: makeLatePort(async () => {
      const { dynamoGuides } = await import('../../adapters/dynamodb/registry/guides.ts')
      return dynamoGuides(store)
    }),
    replies: dynamoReplies(store),
    // Every list of tools reads these ports, so they are not late.
    skills: dynamoSkills(store),
    toolListVersion: dynamoToolListVersion(store, versions),
    toolsCache: dynamoToolsCache(store),
  }
  return collectGarbageAfter(createMessagesDoor(ports, config.settings))
}

if (isInLambda())
  await warmUpFunction({
    started,
    handlerOver: (parts) => handOnTo(buildHandler(parts), parts.clock.nowMs()),
    path: '/v1/mcp/messages',
    request: (name) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { text: 'x' } },
    }),
  })

export const handler = makeStreamingHandler(buildHandler(started))
