/**
 * Reads and replaces the secret of the edge. Secrets Manager has no conditional write, but moves the
 * label of the current version only away from the version that the request names:
 *
 *   this command   read v1 ── put v2 ── move AWSCURRENT from v1 to v2
 *   another one    read v1 ── put v3 ─────────────────────────────── move from v1: refused
 *
 * A version without the label is never read, and Secrets Manager deletes it in time. A command that
 * dies before the move has changed nothing.
 */
import { randomUUID } from 'node:crypto'
import { type OriginSecret, readOriginSecret } from '../../../core/access/origin-secret.ts'
import { type AwsAccount, ServiceError } from '../../aws/ask-service.ts'

export type SecretVersion = OriginSecret & { readonly versionId: string }

/** A label for versions that are not current yet: a version needs one to be written. */
const NEXT_LABEL = 'SKILLGATE_NEXT'

/** Throws an Error for a secret that does not have the form. */
export async function readSecretVersion(
  account: AwsAccount,
  secretId: string,
): Promise<SecretVersion> {
  const answer = await askSecrets(account, 'GetSecretValue', { SecretId: secretId })
  const { SecretString: text, VersionId: versionId } = answer
  const secret = readOriginSecret(typeof text === 'string' ? text : undefined)
  if (secret !== undefined && typeof versionId === 'string') return { ...secret, versionId }
  throw new Error(
    `secret ${secretId}: is not {"current":"…"} with 43 letters and digits; restore its version AWSPREVIOUS and run this again`,
  )
}

/** Replaces `from`. Throws an Error if another command has replaced it. */
export async function replaceSecretVersion(
  account: AwsAccount,
  secretId: string,
  { from, to }: { readonly from: SecretVersion; readonly to: OriginSecret },
): Promise<SecretVersion> {
  const versionId = randomUUID()
  await askSecrets(account, 'PutSecretValue', {
    SecretId: secretId,
    ClientRequestToken: versionId,
    SecretString: JSON.stringify(to),
    VersionStages: [NEXT_LABEL],
  })
  try {
    await askSecrets(account, 'UpdateSecretVersionStage', {
      SecretId: secretId,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: versionId,
      RemoveFromVersionId: from.versionId,
    })
  } catch (cause) {
    const isLost = cause instanceof ServiceError && cause.code === 'InvalidParameterException'
    if (!isLost) throw cause
    throw new Error('another rotation changed the secret meanwhile; run this again to finish it', {
      cause,
    })
  }
  return { ...to, versionId }
}

async function askSecrets(
  account: AwsAccount,
  action: string,
  input: object,
): Promise<{ readonly [member: string]: unknown }> {
  const text = await account.ask({
    service: 'secretsmanager',
    path: '/',
    body: JSON.stringify(input),
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `secretsmanager.${action}`,
    },
  })
  return JSON.parse(text)
}
