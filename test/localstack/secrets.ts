/**
 * The administrators' secrets of the deployment: read as an operator reads them, and replaced where
 * the emulator generated them in another form than the template asks for.
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

/** Replaces each secret that has other characters than letters and digits, as the template asks. */
export async function mendSecrets(endpoint: string, ids: Ids): Promise<void> {
  const { adminKey, internalApiSecret } = await readSecrets(endpoint, ids)
  const client = clientAt(endpoint)
  const made = [
    [ids.adminSecretId, adminKey],
    [ids.internalSecretId, internalApiSecret],
  ] as const
  for (const [SecretId, value] of made) {
    if (/^[A-Za-z0-9]+$/.test(value)) continue
    const SecretString = JSON.stringify({ current: randomBytes(24).toString('hex') })
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }))
  }
  client.destroy()
}

function clientAt(endpoint: string): SecretsManagerClient {
  return new SecretsManagerClient({ endpoint, region: REGION, credentials: CREDENTIALS })
}
