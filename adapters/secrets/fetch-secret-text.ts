/** Reads the text of one secret from Secrets Manager. */
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { Fault } from '../../core/errors.ts'

/** Undefined if the secret holds no text. Throws `Fault('store_unavailable')`. */
export async function fetchSecretText(
  client: SecretsManagerClient,
  id: string,
): Promise<string | undefined> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: id }))
    return answer.SecretString
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : 'unknown'
    throw new Fault('store_unavailable', `secret ${id}: could not be fetched (${name})`, cause)
  }
}
