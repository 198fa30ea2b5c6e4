/**
 * Entry point of the deployed mcp function: builds the ports once, late those that few requests use (call-ports.ts), and makes a
 * call to warm up.
 */
import { runsInLambda } from '../../adapters/config/env.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { listVersionCache } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { gzipAnswers } from '../../adapters/http/answer.ts'
import { collectAfter } from '../../adapters/http/collect-after.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { latePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { callPorts } from '../call/call-ports.ts'
import { type HandlerParts, warmUp } from '../call/warm-up.ts'
import { startFunction } from '../start-function.ts'
import { mcpDoor } from './door.ts'

const started = startFunction('mcp', ['settings', 'secretsKey'], stageClient)

function handlerOver(parts: HandlerParts<typeof started.config>) {
  const { clock, config, store } = parts
  const versions = listVersionCache(clock)
  const rare = loadOnce(async () => {
    const { rarePorts } = await import('./rare-ports.ts')
    return rarePorts(store)
  })
  const ports = {
    ...callPorts(parts, versions),
    clientResponses: latePort(async () => (await rare()).clientResponses),
    leases: latePort(async () => (await rare()).leases),
    sessions: latePort(async () => (await rare()).sessions),
    tasks: latePort(async () => (await rare()).tasks),
    usageSums: latePort(async () => (await rare()).usageSums),
    // Each list of tools reads these.
    skills: dynamoSkills(store),
    toolListVersion: dynamoToolListVersion(store, versions),
    toolsCache: dynamoToolsCache(store),
  }
  return collectAfter(gzipAnswers(mcpDoor(ports, config.settings)))
}

if (runsInLambda())
  await warmUp({
    started,
    handlerOver,
    path: '/mcp',
    request: (name) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { text: 'x' } },
    }),
  })

export const handler = streaming(handlerOver(started))
