/** The KMS key of users' secrets, and where KMS is asked: in the region of the key, whatever that of the function. */
import type { SecretsKeyConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { A_KMS_KEY, KMS_KEY_ARN } from './forms.ts'
import { type EndpointRules, readServiceEndpoint } from './service-endpoint.ts'

const KMS: EndpointRules = {
  host: 'kms',
  variable: 'AWS_ENDPOINT_URL_KMS',
  hasFipsHost: () => true,
}
/** Of a key that is refused. */
const STAND_IN = 'invalid'

export function readSecretsKey(from: EnvReader): SecretsKeyConfig {
  const keyId = from.matching('SECRETS_KEY_ID', KMS_KEY_ARN, A_KMS_KEY)
  const region = KMS_KEY_ARN.exec(keyId)?.[1] ?? STAND_IN
  return { keyId, endpoint: readServiceEndpoint(from, KMS, region) }
}
