/** Where DynamoDB and KMS are, for the clients that are not the SDK's. Refuses what it cannot give. */
import { regionOfKey } from '../../core/settings/form.ts'
import type { SecretsKeyConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { type EndpointRules, readServiceEndpoint } from './service-endpoint.ts'

const DYNAMODB: EndpointRules = {
  host: 'dynamodb',
  variable: 'AWS_ENDPOINT_URL_DYNAMODB',
  hasFipsHost: ({ isFips }, dualStack) => isFips !== true || dualStack,
}
const KMS: EndpointRules = {
  host: 'kms',
  variable: 'AWS_ENDPOINT_URL_KMS',
  hasFipsHost: () => true,
}
/** Of a key that is refused. */
const STAND_IN = 'invalid'

/** https://dynamodb.REGION.amazonaws.com, or as the variables say. */
export function readStoreEndpoint(from: EnvReader): URL {
  const region = from.variable('AWS_REGION')
  // Endpoints by account are a preference, which this client need not follow, until they are required.
  from.variable('AWS_ACCOUNT_ID_ENDPOINT_MODE')
  return readServiceEndpoint(from, DYNAMODB, region || STAND_IN)
}

/** The key of users' secrets; KMS is asked in the region of the key, whatever that of the function. */
export function readSecretsKey(from: EnvReader): SecretsKeyConfig {
  const keyId = from.variable('SECRETS_KEY_ID')
  return { keyId, endpoint: readServiceEndpoint(from, KMS, regionOfKey(keyId) ?? STAND_IN) }
}
