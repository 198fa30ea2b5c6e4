/**
 * The administrators' secrets of the deployment: read as an operator reads them, and put there where the
 * emulator has made them up wrong.
 */
import { randomBytes } from 'node:crypto'
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { readJsonObject, stringOf } from '../e2e/fields.ts'
import { CREDENTIALS, REGION } from './credentials.ts'

type Ids = { readonly adminSecretId: string; readonly internalSecretId: string }

export async function readSecrets(
  endpoint: string,
  ids: Ids,
): Promise<{ readonly adminKey: string; readonly internalApiSecret: string }> {
  const client = clientAt(endpoint)
  const current = async (SecretId: string) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }))
    return stringOf(readJsonObject(SecretString ?? ''), 'current')
  }
  const secrets = {
    adminKey: await current(ids.adminSecretId),
    internalApiSecret: await current(ids.internalSecretId),
  }
  client.destroy()
  return secrets
}

/** In the form that the template asks for: letters and digits. */
export async function replaceSecrets(endpoint: string, ids: Ids): Promise<void> {
  const client = clientAt(endpoint)
  for (const SecretId of [ids.adminSecretId, ids.internalSecretId]) {
    const SecretString = JSON.stringify({ current: randomBytes(24).toString('hex') })
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }))
  }
  client.destroy()
}

function clientAt(endpoint: string): SecretsManagerClient {
  return new SecretsManagerClient({ endpoint, region: REGION, credentials: CREDENTIALS })
}
