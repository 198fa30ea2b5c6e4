/**
 * What must outlive the stacks: both tables with what is in them, both secrets, the key of users' secrets.
 * And how to remove it from an emulator, which nobody should do to an account.
 */
import { DeleteTableCommand, DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  DeleteSecretCommand,
  DescribeSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { type Fields, fieldsOf, readJsonObject, stringOf } from '../e2e/fields.ts'
import type { Deployment } from './deployment.ts'
import { unsignedFor } from './emulator-http.ts'

export type Retained = {
  readonly tables: readonly string[]
  readonly secrets: readonly string[]
  readonly keys: readonly string[]
  /** uids, in order */
  readonly profiles: readonly string[]
}

const KEY_DESCRIPTION = 'Skillgate emulated: secrets of users and skills'

export async function retainedOf(deployed: Deployment): Promise<Retained> {
  const { gatewayTable, sessionsTable, adminSecretId, internalSecretId } = deployed.outputs
  const client = dynamoClient({})
  const secrets = new SecretsManagerClient({})
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
    keys: await enabledKeys(deployed),
    profiles: keys.flatMap((pk) => /^profile:(.*)$/.exec(pk)?.slice(1) ?? []).toSorted(),
  }
  client.destroy()
  secrets.destroy()
  return retained
}

export async function removeRetained(deployed: Deployment): Promise<void> {
  const { gatewayTable, sessionsTable, adminSecretId, internalSecretId } = deployed.outputs
  const client = dynamoClient({})
  for (const TableName of [gatewayTable, sessionsTable]) {
    await client.send(new DeleteTableCommand({ TableName }))
  }
  client.destroy()
  const secrets = new SecretsManagerClient({})
  for (const SecretId of [adminSecretId, internalSecretId]) {
    await secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }))
  }
  secrets.destroy()
  for (const KeyId of await enabledKeys(deployed)) {
    await askKms(deployed, 'ScheduleKeyDeletion', { KeyId, PendingWindowInDays: 7 })
  }
}

async function enabledKeys(deployed: Deployment): Promise<readonly string[]> {
  const { Keys } = await askKms(deployed, 'ListKeys', {})
  const ids = Array.isArray(Keys)
    ? Keys.map((one) => stringOf(fieldsOf({ one }, 'one'), 'KeyId'))
    : []
  const described = await Promise.all(
    ids.map(async (KeyId) => {
      const { KeyMetadata } = await askKms(deployed, 'DescribeKey', { KeyId })
      return fieldsOf({ KeyMetadata }, 'KeyMetadata')
    }),
  )
  const ours = described.filter(
    ({ Description, KeyState }) => Description === KEY_DESCRIPTION && KeyState === 'Enabled',
  )
  return ours.map((key) => stringOf(key, 'Arn'))
}

/** The KMS client comes with the adapter that needs it (issue 6); its protocol is plain JSON. */
async function askKms(deployed: Deployment, action: string, body: object): Promise<Fields> {
  const answer = await fetch(deployed.emulator.endpoint, {
    method: 'POST',
    headers: {
      ...unsignedFor('kms'),
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${action}`,
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status === 200) return readJsonObject(text)
  throw new Error(`KMS answered ${answer.status} to ${action}: ${text.slice(0, 400)}`)
}
