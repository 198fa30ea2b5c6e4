/** Region and credentials as Lambda gives them to a function, for requests that are signed. */
import type { EnvReader } from './env-reader.ts'

export type SigningConfig = {
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken: string | undefined
  }
}

const REGION = /^[a-z0-9-]{3,30}$/

export function readSigning(from: EnvReader): SigningConfig {
  return {
    region: from.matching('AWS_REGION', REGION, 'a region such as eu-central-1'),
    credentials: readCredentials(from),
  }
}

export function readCredentials(from: EnvReader): SigningConfig['credentials'] {
  return {
    accessKeyId: from.secret('AWS_ACCESS_KEY_ID', 1),
    secretAccessKey: from.secret('AWS_SECRET_ACCESS_KEY', 1),
    sessionToken: from.optional('AWS_SESSION_TOKEN'),
  }
}
