/**
 * AWS Signature Version 4 for the one form of request that DynamoDB and KMS take: `POST /` with a JSON body. By hand, since
 * the general signer costs three times as much CPU; a test compares the two on random requests. Keeps the key of
 * the day, which depends on nothing of the request.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { Credentials } from '../sign-request.ts'
import type { JsonService } from './json-service.ts'

export type UnsignedRequest = {
  /** With its port, where that is not the scheme's own. */
  readonly host: string
  /** `DynamoDB_20120810.GetItem` */
  readonly target: string
  readonly body: string
}

export type SignedHeaders = { readonly [name: string]: string }

export type Sign = (
  request: UnsignedRequest,
  credentials: Credentials,
  atMs: number,
) => SignedHeaders

const ALGORITHM = 'AWS4-HMAC-SHA256'

export type SignedService = Pick<JsonService, 'contentType' | 'signingName'>

/** Signs for a service in the region. The headers are all that the request needs. */
export function signer({ contentType, signingName }: SignedService, region: string): Sign {
  const keyOfDay = dayKeys(signingName, region)
  return ({ body, host, target }, credentials, atMs) => {
    const { accessKeyId, sessionToken } = credentials
    const time = `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
    const scope = `${time.slice(0, 8)}/${region}/${signingName}/aws4_request`
    const token = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`
    const names = `content-type;host;x-amz-date;${token === '' ? '' : 'x-amz-security-token;'}x-amz-target`
    const canonical =
      `POST\n/\n\ncontent-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${token}` +
      `x-amz-target:${target}\n\n${names}\n${hash('sha256', body, 'hex')}`
    const toSign = `${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`
    const signature = createHmac('sha256', keyOfDay(credentials, time.slice(0, 8)))
      .update(toSign)
      .digest('hex')
    return {
      host,
      'content-type': contentType,
      'x-amz-date': time,
      'x-amz-target': target,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    }
  }
}

/** The key of the newest day and secret: one environment has one role. */
function dayKeys(
  signingName: string,
  region: string,
): (credentials: Credentials, day: string) => KeyObject {
  let kept: { readonly of: string; readonly key: KeyObject } | undefined
  return ({ secretAccessKey }, day) => {
    const of = `${day}/${secretAccessKey}`
    if (kept?.of !== of) {
      const parts = [day, region, signingName, 'aws4_request']
      const first: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
      const key = parts.reduce((by, part) => createHmac('sha256', by).update(part).digest(), first)
      // As an object: made of bytes for each signature, the key would cost more than the signature.
      kept = { of, key: createSecretKey(key) }
    }
    return kept.key
  }
}
