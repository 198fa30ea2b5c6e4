/** Region and credentials as Lambda gives them to a function, for requests that are signed. */
import type { SigningConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { A_REGION, REGION } from './forms.ts'

export function readSigning(from: EnvReader): SigningConfig {
  return {
    region: from.matching('AWS_REGION', REGION, A_REGION),
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
