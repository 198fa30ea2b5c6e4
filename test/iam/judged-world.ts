/**
 * The gateway's functions, bundled from their sources, each with the credentials of its own role, over an
 * embedded DynamoDB and small stand-ins of KMS, Secrets Manager and S3. Every request to these is judged by the
 * policies that CDK synthesizes; the internal URLs let in the roles that those policies let in.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { bundleInto } from '../../scripts/bundle.ts'
import { roleOf, testAccountId, testRegion } from '../lambda/credentials.ts'
import {
  SECRET_IDS,
  type Service,
  startWorld,
  TABLES,
  type World,
  type WorldSettings,
} from '../lambda/doors/world.ts'
import { repositoryDir } from '../lambda/paths.ts'
import { type CheckingProxy, startCheckingProxy } from './checking-proxy.ts'
import {
  ARCHIVE_BUCKET,
  type FunctionPolicies,
  rawPolicies,
  readPolicies,
} from './function-policies.ts'
import { callersOf } from './internal-calls.ts'

export type JudgedWorld = World & {
  readonly proxy: CheckingProxy
  readonly policies: FunctionPolicies
}

export const ACCOUNT = { region: testRegion, accountId: testAccountId }
/** As deployed: a stream that ends in the middle of a test takes its session with it. */
const SSE_TIMEOUT_MS = 900_000
const SECRET_ARN = `arn:aws:secretsmanager:${testRegion}:${testAccountId}:secret:`
/** As the stand-in of KMS has it. */
const KEY_ARN = `arn:aws:kms:${testRegion}:${testAccountId}:key/11111111-2222-3333-4444-555555555555`

export async function startJudgedWorld(
  stage: Stage,
  settings: Pick<WorldSettings, 'env' | 'sse'> = {},
): Promise<JudgedWorld> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-judged-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  await Promise.all(DOORS.map((door) => writeBundle(folder, door)))
  const endpoints: { [service in Service]?: string } = {}
  let judging: { policies: FunctionPolicies; proxy: CheckingProxy } | undefined

  const inFrontOf = async (service: Service, endpoint: string) => {
    endpoints[service] = endpoint
    judging ??= await startJudging(stage, endpoint, (name) => {
      // This world's stage has no event target; test/iam/event-target.test.ts has one.
      if (name === 'events') throw new Error('this world has no event bus')
      // The proxy answers for CloudWatch.
      if (name === 'monitoring') throw new Error('this world has no alarms')
      const known = endpoints[name === 'dynamodb-streams' ? 'dynamodb' : name]
      if (known === undefined) throw new Error(`${name} has not started yet`)
      return known
    })
    return judging.proxy.endpoint
  }
  const judged = () => {
    if (judging === undefined) throw new Error('the store has not started yet')
    return judging
  }
  const world = await startWorld({
    inFrontOf,
    callersOf: (door) => callersOf(judged().policies, ACCOUNT, door).map(roleOf),
    functions: {
      bundleOf: (door) => join(folder, door, 'index.mjs'),
      runtimeClient: join(import.meta.dirname, 'runtime-client.ts'),
    },
    sseEnv: async (endpoint) =>
      stage.replyTail === 'partition'
        ? {}
        : {
            REPLY_TAIL: stage.replyTail,
            SESSIONS_STREAM_ARN: await streamArn(endpoint),
            AWS_ENDPOINT_URL_DYNAMODB_STREAMS: judged().proxy.endpoint,
          },
    archiveEnv: () => ({ ARCHIVE_BUCKET, AWS_ENDPOINT_URL_S3: judged().proxy.endpoint }),
    sse: { timeoutMs: SSE_TIMEOUT_MS, ...settings.sse },
    env: settings.env ?? {},
  })
  const { policies, proxy } = judged()
  opened.defer(() => proxy.stop())
  opened.defer(() => world.stop())
  const stack = opened.move()
  return { ...world, policies, proxy, stop: () => stack.disposeAsync() }
}

async function startJudging(
  stage: Stage,
  storeEndpoint: string,
  endpointOf: Parameters<typeof startCheckingProxy>[0]['endpointOf'],
) {
  const table = (name: string) => `arn:aws:dynamodb:${testRegion}:${testAccountId}:table/${name}`
  const raw = rawPolicies(stage, {
    ...ACCOUNT,
    gatewayTable: table(TABLES.gateway),
    sessionsTable: table(TABLES.sessions),
    sessionsStream: await streamArn(storeEndpoint),
    userSecretsKey: KEY_ARN,
    adminSecret: `${SECRET_ARN}${SECRET_IDS.ADMIN_SECRET_ID}`,
    internalSecret: `${SECRET_ARN}${SECRET_IDS.INTERNAL_SECRET_ID}`,
  })
  const policies = readPolicies(raw)
  const senderOf = (accessKeyId: string) =>
    DOORS.find((door) => roleOf(door).accessKeyId === accessKeyId)
  const proxy = await startCheckingProxy({ policies, account: ACCOUNT, senderOf, endpointOf })
  return { policies, proxy }
}

async function streamArn(endpoint: string): Promise<string> {
  const client = dynamoClient({ endpoint })
  const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLES.sessions }))
  client.destroy()
  return Table?.LatestStreamArn ?? ''
}

async function writeBundle(folder: string, door: Door): Promise<void> {
  const entryPoints = { index: join(repositoryDir, `lambdas/${door}/handler.ts`) }
  const { outputFiles } = await bundleInto(join(folder, door), { entryPoints })
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}
