/**
 * Which client of DynamoDB a function has. The SDK's finds the endpoint itself. For the light one it is read here, by the variables
 * that the AWS SDKs read: an endpoint in place of AWS's, FIPS and dual-stack endpoints. What that client cannot give is refused.
 * Bound by https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
import { partitionOf } from '../aws/partition.ts'
import type { StoreClientConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import { A_REGION, REGION } from './forms.ts'

const ON_OFF = ['true', 'false'] as const
const STAND_IN = new URL('https://endpoint.invalid/')

export function readStoreClient(from: EnvReader): StoreClientConfig {
  const kind = from.choice('STORE_CLIENT', ['light', 'sdk'], 'light')
  return kind === 'sdk' ? { kind } : { kind, endpoint: readStoreEndpoint(from) }
}

/** https://dynamodb.REGION.amazonaws.com, or as the variables say. */
function readStoreEndpoint(from: EnvReader): URL {
  const region = from.matching('AWS_REGION', REGION, A_REGION)
  // Endpoints by account are a preference, which this client need not follow, until they are required.
  from.choice('AWS_ACCOUNT_ID_ENDPOINT_MODE', ['preferred', 'disabled'], 'preferred')
  const name = namedEndpoint(from)
  if (name === undefined) {
    return regional(region, {
      fips: from.choice('AWS_USE_FIPS_ENDPOINT', ON_OFF, 'false') === 'true',
      dualStack: from.choice('AWS_USE_DUALSTACK_ENDPOINT', ON_OFF, 'false') === 'true',
    })
  }
  for (const choice of ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT']) {
    from.matching(choice, /^false$/, `false, or leave out ${name}`, 'false')
  }
  const text = from.matching(name, { test: isOriginUrl }, 'an http or https URL without a path')
  return URL.canParse(text) ? new URL(text) : STAND_IN
}

function isOriginUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hash, pathname, protocol, password, search, username } = new URL(text)
  const rest = `${username}${password}${pathname}${search}${hash}`
  return (protocol === 'http:' || protocol === 'https:') && rest === '/'
}

/** The variable that names another endpoint; the one for DynamoDB alone precedes the one for all services. */
function namedEndpoint(from: EnvReader): string | undefined {
  if (from.choice('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', ON_OFF, 'false') === 'true') {
    return undefined
  }
  const names = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL']
  return names.find((name) => from.optional(name) !== undefined)
}

function regional(region: string, { dualStack, fips }: { fips: boolean; dualStack: boolean }): URL {
  const { dualStackSuffix, isFips, suffix } = partitionOf(region)
  // The plain hosts of some partitions are FIPS hosts by themselves.
  const name = fips && (isFips !== true || dualStack) ? 'dynamodb-fips' : 'dynamodb'
  return new URL(`https://${name}.${region}.${dualStack ? dualStackSuffix : suffix}`)
}
