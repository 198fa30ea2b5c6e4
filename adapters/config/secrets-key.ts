/** The KMS key of users' secrets, and where KMS is asked: in the region of the key, whatever that of the function. */
import { regionOfKey } from '../../core/settings/form.ts'
import type { SecretsKeyConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { type EndpointRules, readServiceEndpoint } from './service-endpoint.ts'

const KMS: EndpointRules = {
  host: 'kms',
  variable: 'AWS_ENDPOINT_URL_KMS',
  hasFipsHost: () => true,
}
/** Of a key that is refused. */
const STAND_IN = 'invalid'

export function readSecretsKey(from: EnvReader): SecretsKeyConfig {
  const keyId = from.variable('SECRETS_KEY_ID')
  return { keyId, endpoint: readServiceEndpoint(from, KMS, regionOfKey(keyId) ?? STAND_IN) }
}
