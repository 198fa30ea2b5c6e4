/**
 * The resources that must outlive the stacks: both tables with their items, both secrets, the key
 * of users' secrets. And their removal from an emulator, which no one should do to an account.
 */
import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DescribeKeyCommand,
  KMSClient,
  ListKeysCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms'
import {
  DeleteSecretCommand,
  DescribeSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { Deployment } from './deployment.ts'

export type RetainedResources = {
  readonly tables: readonly string[]
  readonly secrets: readonly string[]
  readonly keys: readonly string[]
  /** uids, in order */
  readonly profiles: readonly string[]
}

const KEY_DESCRIPTION = 'Skillgate emulated: secrets of users and skills'

export async function retainedOf(deployed: Deployment): Promise<RetainedResources> {
  const { gatewayTable, sessionsTable, adminSecretId, internalSecretId } = deployed.outputs
  const client = dynamoClient({})
  const secrets = new SecretsManagerClient({})
  const kms = new KMSClient({})
  const arnOfTable = async (TableName: string) => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    return Table?.TableArn ?? ''
  }
  const arnOfSecret = async (SecretId: string) => {
    const { ARN, DeletedDate } = await secrets.send(new DescribeSecretCommand({ SecretId }))
    return DeletedDate === undefined ? (ARN ?? '') : 'deleted'
  }
  const { Items = [] } = await client.send(new ScanCommand({ TableName: gatewayTable }))
  const keys = Items.map(({ pk }) => pk?.S ?? '')
  const retained = {
    tables: [await arnOfTable(gatewayTable), await arnOfTable(sessionsTable)],
    secrets: [await arnOfSecret(adminSecretId), await arnOfSecret(internalSecretId)],
    keys: await enabledKeys(kms),
    profiles: keys.flatMap((pk) => /^profile:(.*)$/.exec(pk)?.slice(1) ?? []).toSorted(),
  }
  client.destroy()
  secrets.destroy()
  kms.destroy()
  return retained
}

export async function removeRetained(deployed: Deployment): Promise<void> {
  const { gatewayTable, sessionsTable, adminSecretId, internalSecretId } = deployed.outputs
  const client = dynamoClient({})
  for (const table of [gatewayTable, sessionsTable]) await removeTable(client, table)
  client.destroy()
  const secrets = new SecretsManagerClient({})
  for (const SecretId of [adminSecretId, internalSecretId]) {
    await secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }))
  }
  secrets.destroy()
  const kms = new KMSClient({})
  for (const KeyId of await enabledKeys(kms)) {
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }))
  }
  kms.destroy()
}

/** Also a table with deletion protection. */
export async function removeTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  if (Table?.DeletionProtectionEnabled) {
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
  }
  await client.send(new DeleteTableCommand({ TableName }))
}

async function enabledKeys(kms: KMSClient): Promise<readonly string[]> {
  const { Keys = [] } = await kms.send(new ListKeysCommand({}))
  const described = await Promise.all(
    Keys.map(async ({ KeyId }) => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata),
  )
  const ours = described.filter(
    (key) => key?.Description === KEY_DESCRIPTION && key.KeyState === 'Enabled',
  )
  return ours.map((key) => key?.Arn ?? '')
}
