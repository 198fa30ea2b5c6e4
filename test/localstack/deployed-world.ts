/**
 * The deployed functions once more, with streaming: the code and the environment that the emulator
 * gives back, under AWS's own runtime client, each door behind its front, with the emulator's
 * services behind them. Only addresses differ from the deployed ones. The emulator checks no policy,
 * so a proxy judges every request to a service as AWS's IAM would, and fronts let in the roles that
 * the policies let in. A request that was denied, or could not be judged, fails `stop`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Door } from '../../lib/doors.ts'
import { type Callee, callersOf } from '../iam/internal-calls.ts'
import { roleNameOf, roleOf } from '../lambda/credentials.ts'
import { startUpstream, type Upstream } from '../lambda/doors/upstream.ts'
import { type FunctionUrl, startFunctionUrl } from '../lambda/function-url.ts'
import { type LambdaFunction, startFunction } from '../lambda/lambda-function.ts'
import type { LocalServer } from '../lambda/local-server.ts'
import { startRestApi } from '../lambda/rest-api.ts'
import { deployedFunction, fetchCode } from './deployed-functions.ts'
import { EMULATED, startJudging } from './deployed-policies.ts'
import type { Deployment } from './deployment.ts'

export type DeployedWorld = Readonly<Record<Exclude<Door, 'sweep' | 'usage'>, LambdaFunction>> & {
  readonly sseUrl: FunctionUrl
  readonly messagesUrl: FunctionUrl
  readonly mcpUrl: FunctionUrl
  readonly executeUrl: FunctionUrl
  readonly executeIamUrl: FunctionUrl
  readonly adminApi: LocalServer
  readonly upstream: Upstream
  readonly stop: () => Promise<void>
}

/** `sseEnv`: settings in which the sse function differs from the deployed one. */
export async function startDeployedWorld(
  deployment: Deployment,
  sseEnv: Readonly<Record<string, string>> = {},
): Promise<DeployedWorld> {
  const { emulator } = deployment
  await using opened = new AsyncDisposableStack()
  const later = <T extends { stop: () => Promise<void> }>(started: T): T => {
    opened.defer(() => started.stop())
    return started
  }
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-deployed-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const upstream = later(await startUpstream())
  const { policies, proxy } = await startJudging(deployment, sseEnv)
  later(proxy)

  const start = async (door: Door, peers: Readonly<Record<string, string>>) => {
    const deployed = await deployedFunction(emulator.endpoint, door)
    const [, handler = ''] = deployed.handler.split('.')
    return later(
      startFunction({
        functionName: door,
        bundle: await fetchCode(emulator.endpoint, deployed, join(folder, door)),
        handler,
        memoryMb: deployed.memoryMb,
        timeoutMs: deployed.timeoutSec * 1000,
        env: { ...deployed.env, AWS_ENDPOINT_URL: proxy.endpoint, ...peers },
      }),
    )
  }

  const execute = await start('execute', {
    ADMIN_ROLE: roleNameOf('admin'),
    SWEEP_ROLE: roleNameOf('sweep'),
  })
  const executeUrl = later(await startFunctionUrl({ fn: execute, authType: 'NONE' }))
  const callers = (callee: Callee) => callersOf(policies, EMULATED, callee).map(roleOf)
  const signed = { authType: 'AWS_IAM', callers: callers('execute') } as const
  const inner = { fn: execute, ...signed, qualifier: 'internal' } as const
  const executeIamUrl = later(await startFunctionUrl(inner))
  const peers = { EXECUTE_IAM_URL: executeIamUrl.url }
  const messages = await start('messages', {})
  const sseOnly = { authType: 'AWS_IAM', callers: callers('messages') } as const
  const messagesUrl = later(await startFunctionUrl({ fn: messages, ...sseOnly }))
  const sse = await start('sse', { ...peers, MESSAGES_URL: messagesUrl.url, ...sseEnv })
  const sseUrl = later(await startFunctionUrl({ fn: sse, authType: 'NONE' }))
  const mcp = await start('mcp', {})
  const mcpUrl = later(await startFunctionUrl({ fn: mcp, authType: 'NONE' }))
  const admin = await start('admin', peers)
  const adminApi = later(await startRestApi({ fn: admin, resource: '/admin/{proxy+}' }))
  const stack = opened.move()
  const fronts = { sseUrl, messagesUrl, mcpUrl, executeUrl, executeIamUrl, adminApi }
  const stop = async () => {
    await stack.disposeAsync()
    const wrong = [...proxy.denials, ...proxy.faults]
    if (wrong.length > 0) throw new Error(`IAM would have denied:\n${wrong.join('\n')}`)
  }
  return { sse, messages, mcp, execute, admin, ...fronts, upstream, stop }
}
