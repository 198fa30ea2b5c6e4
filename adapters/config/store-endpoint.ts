/** Where DynamoDB is, for the client that is not one of the SDK's. Refuses what it cannot give. */
import type { EnvReader } from './env-reader.ts'
import { type EndpointRules, readServiceEndpoint } from './service-endpoint.ts'

const DYNAMODB: EndpointRules = {
  host: 'dynamodb',
  variable: 'AWS_ENDPOINT_URL_DYNAMODB',
  hasFipsHost: ({ isFips }, dualStack) => isFips !== true || dualStack,
}
/** Of a region that is refused, since an address is made of it. */
const STAND_IN = 'invalid'

/** https://dynamodb.REGION.amazonaws.com, or as the variables say. */
export function readStoreEndpoint(from: EnvReader): URL {
  // Endpoints by account are a preference, which this client need not follow, until they are required.
  from.variable('AWS_ACCOUNT_ID_ENDPOINT_MODE')
  return readServiceEndpoint(from, DYNAMODB, from.variable('AWS_REGION') || STAND_IN)
}
