/**
 * Entry point of the deployed mcp function. Builds the ports once, those that few requests use late
 * (call-ports.ts), and makes a call to warm up.
 */
import { isInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { listVersionCache } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { gzipAnswers } from '../../adapters/http/answer.ts'
import { collectGarbageAfter } from '../../adapters/http/collect-after.ts'
import { makeStreamingHandler } from '../../adapters/http/lambda-stream.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { createCallPorts } from '../call/call-ports.ts'
import { createTokenVerifier } from '../call/token-verifier.ts'
import { type HandlerParts, warmUpFunction } from '../call/warm-up.ts'
import { openEdgeCheck, putBehindEdge } from '../edge/behind-edge.ts'
import { startFunction } from '../start-function.ts'
import { createMcpDoor } from './door.ts'

const started = startFunction(
  'mcp',
  ['archive', 'settings', 'secretsKey', 'caller', 'edge'],
  stageClient,
)
const edge = openEdgeCheck(started)

function buildHandler(parts: HandlerParts<typeof started.config>) {
  const { clock, config, store } = parts
  const versions = listVersionCache(clock)
  const loadRarePorts = loadOnce(async () => {
    const { createRareMcpPorts } = await import('./rare-ports.ts')
    return createRareMcpPorts(store)
  })
  const callPorts = createCallPorts(parts, versions)
  const ports = {
    ...callPorts,
    tokenVerifier: createTokenVerifier(callPorts, config.settings),
    clientResponses: makeLatePort(async () => (await loadRarePorts()).clientResponses),
    guides: makeLatePort(async () => (await loadRarePorts()).guides),
    identityInvites: makeLatePort(async () => (await loadRarePorts()).identityInvites),
    leases: makeLatePort(async () => (await loadRarePorts()).leases),
    sessions: makeLatePort(async () => (await loadRarePorts()).sessions),
    usageSums: makeLatePort(async () => (await loadRarePorts()).usageSums),
    usernames: makeLatePort(async () => (await loadRarePorts()).usernames),
    // Every list of tools reads these ports, so they are not late.
    skills: dynamoSkills(store),
    toolListVersion: dynamoToolListVersion(store, versions),
    toolsCache: dynamoToolsCache(store),
  }
  return collectGarbageAfter(gzipAnswers(createMcpDoor(ports, config.settings)))
}

if (isInLambda())
  await warmUpFunction({
    started,
    handlerOver: buildHandler,
    path: '/mcp',
    request: (name) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { text: 'x' } },
    }),
  })

export const handler = makeStreamingHandler(putBehindEdge(buildHandler(started), edge, started.log))
