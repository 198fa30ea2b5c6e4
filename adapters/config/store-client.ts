/**
 * Which client of DynamoDB a function has. The SDK's finds the endpoint itself. For the light one it is read here, by the variables
 * that the AWS SDKs read: an endpoint in place of AWS's, FIPS and dual-stack endpoints. What that client cannot give is refused.
 * Bound by https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
import { faultLine } from '../../core/settings/read-setting.ts'
import { partitionOf } from '../aws/partition.ts'
import type { StoreClientConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'

const STAND_IN = 'https://endpoint.invalid/'
/** Of a region that is refused, since an address is made of it. */
const STAND_IN_REGION = 'invalid'
const KINDS = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'] as const

export function readStoreClient(from: EnvReader): StoreClientConfig {
  const kind = from.setting('storeClient')
  return kind === 'sdk' ? { kind } : { kind, endpoint: readStoreEndpoint(from) }
}

/** https://dynamodb.REGION.amazonaws.com, or as the variables say. */
function readStoreEndpoint(from: EnvReader): URL {
  // Endpoints by account are a preference, which this client need not follow, until they are required.
  from.variable('AWS_ACCOUNT_ID_ENDPOINT_MODE')
  const name = namedEndpoint(from)
  if (name === undefined) {
    const [fips, dualStack] = KINDS.map((kind) => from.variable(kind) === 'true')
    const region = from.variable('AWS_REGION') || STAND_IN_REGION
    return regional(region, { fips: fips === true, dualStack: dualStack === true })
  }
  for (const kind of KINDS) {
    const chosen = from.variable(kind)
    if (chosen !== 'false') from.refuse(faultLine(kind, chosen, `false, or leave out ${name}`))
  }
  return URL.parse(from.variable(name) ?? '') ?? new URL(STAND_IN)
}

/** The variable that names another endpoint; the one for DynamoDB alone precedes the one for all services. */
function namedEndpoint(from: EnvReader) {
  if (from.variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true') return undefined
  const names = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL'] as const
  return names.find((name) => from.isSet(name))
}

function regional(region: string, { dualStack, fips }: { fips: boolean; dualStack: boolean }): URL {
  const { dualStackSuffix, isFips, suffix } = partitionOf(region)
  // The plain hosts of some partitions are FIPS hosts by themselves.
  const name = fips && (isFips !== true || dualStack) ? 'dynamodb-fips' : 'dynamodb'
  return new URL(`https://${name}.${region}.${dualStack ? dualStackSuffix : suffix}`)
}
