/** The policies of the deployed stage over what the emulator has deployed, and the proxy that judges by them. */
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { DOORS } from '../../lib/doors.ts'
import { type CheckingProxy, startCheckingProxy } from '../iam/checking-proxy.ts'
import { type FunctionPolicies, rawPolicies, readPolicies } from '../iam/function-policies.ts'
import { roleOf } from '../lambda/credentials.ts'
import { EMULATED_STAGE } from './config.ts'
import { ACCOUNT, REGION } from './credentials.ts'
import { deployedFunction } from './deployed-functions.ts'
import type { Deployment } from './deployment.ts'

export const EMULATED = { region: REGION, accountId: ACCOUNT }

/** `sseEnv` may name another tail than the deployed stage has; its policy is then that of such a stage. */
export async function startJudging(
  { emulator, outputs }: Deployment,
  sseEnv: Readonly<Record<string, string>>,
): Promise<{ readonly policies: FunctionPolicies; readonly proxy: CheckingProxy }> {
  const table = (name: string) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`
  const { env } = await deployedFunction(emulator.endpoint, 'execute')
  const isTailed = sseEnv['REPLY_TAIL'] === 'dynamodb-streams'
  const replyTail = isTailed ? 'dynamodb-streams' : EMULATED_STAGE.replyTail
  const raw = rawPolicies(
    { ...EMULATED_STAGE, replyTail },
    {
      ...EMULATED,
      gatewayTable: table(outputs.gatewayTable),
      sessionsTable: table(outputs.sessionsTable),
      sessionsStream: await streamOf(outputs.sessionsTable),
      userSecretsKey: env['SECRETS_KEY_ID'] ?? '',
      adminSecret: outputs.adminSecretId,
      internalSecret: outputs.internalSecretId,
    },
  )
  const policies = readPolicies(raw)
  const proxy = await startCheckingProxy({
    policies,
    account: EMULATED,
    senderOf: (accessKeyId) => DOORS.find((door) => roleOf(door).accessKeyId === accessKeyId),
    endpointOf: () => emulator.endpoint,
  })
  return { policies, proxy }
}

async function streamOf(table: string): Promise<string> {
  const client = dynamoClient({})
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  client.destroy()
  return Table?.LatestStreamArn ?? ''
}
