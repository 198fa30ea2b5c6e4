/** Where DynamoDB is, for the client that is not one of the SDK's. Refuses what it cannot give. */
import type { EnvReader } from './env-reader.ts'
import { A_REGION, REGION } from './forms.ts'
import { type EndpointRules, readServiceEndpoint } from './service-endpoint.ts'

const DYNAMODB: EndpointRules = {
  host: 'dynamodb',
  variable: 'AWS_ENDPOINT_URL_DYNAMODB',
  hasFipsHost: ({ isFips }, dualStack) => isFips !== true || dualStack,
}

/** https://dynamodb.REGION.amazonaws.com, or as the variables say. */
export function readStoreEndpoint(from: EnvReader): URL {
  const region = from.matching('AWS_REGION', REGION, A_REGION)
  // Endpoints by account are a preference, which this client need not follow, until they are required.
  from.choice('AWS_ACCOUNT_ID_ENDPOINT_MODE', ['preferred', 'disabled'], 'preferred')
  return readServiceEndpoint(from, DYNAMODB, region)
}
