/**
 * Reads which client of DynamoDB a function has. The SDK's client finds its endpoint itself. For
 * the light client it is read here, from the variables of the AWS SDKs: a custom endpoint, FIPS and
 * dual-stack endpoints. Combinations that the light client does not support are refused. Bound by
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
import { describeWrongValue } from '../../core/settings/describe-setting.ts'
import { type EndpointKinds, makeRegionalUrl } from '../aws/partition.ts'
import type { LambdaConfig, StoreClientConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'

const PLACEHOLDER_ENDPOINT = 'https://endpoint.invalid/'
/** Replaces a region that was refused, since a URL is made from it. */
const PLACEHOLDER_REGION = 'invalid'
const ENDPOINT_KINDS = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'] as const

export function readStoreClient(from: EnvReader): StoreClientConfig {
  const kind = from.setting('storeClient')
  return kind === 'sdk' ? { kind } : { kind, endpoint: readStoreEndpoint(from) }
}

/** https://dynamodb.REGION.amazonaws.com, or another URL that the variables select. */
function readStoreEndpoint(from: EnvReader): URL {
  // Account-based endpoints are only preferred, so they are ignored; the reader refuses `required`.
  from.variable('AWS_ACCOUNT_ID_ENDPOINT_MODE')
  const name = findEndpointVariable(from, 'AWS_ENDPOINT_URL_DYNAMODB')
  if (name === undefined) {
    const region = from.variable('AWS_REGION') || PLACEHOLDER_REGION
    return makeRegionalUrl('dynamodb', region, readEndpointKinds(from))
  }
  for (const kind of ENDPOINT_KINDS) {
    const chosen = from.variable(kind)
    if (chosen !== 'false')
      from.refuse(describeWrongValue(kind, chosen, `false, or leave out ${name}`))
  }
  return URL.parse(from.variable(name) ?? '') ?? new URL(PLACEHOLDER_ENDPOINT)
}

/** Where the functions of skills and the caller are invoked; a custom endpoint precedes the kinds of hosts. */
export function readLambdaHosts(from: EnvReader): Pick<LambdaConfig, 'endpoint' | 'kinds'> {
  const name = findEndpointVariable(from, 'AWS_ENDPOINT_URL_LAMBDA')
  const endpoint =
    name === undefined ? undefined : (URL.parse(from.variable(name) ?? '') ?? undefined)
  return { endpoint, kinds: readEndpointKinds(from) }
}

/** Where Secrets Manager is, for the doors that read its values without the SDK. */
export function readSecretsEndpoint(from: EnvReader): URL {
  const name = findEndpointVariable(from, 'AWS_ENDPOINT_URL_SECRETS_MANAGER')
  const custom = name === undefined ? null : URL.parse(from.variable(name) ?? '')
  const region = from.variable('AWS_REGION') || PLACEHOLDER_REGION
  return custom ?? makeRegionalUrl('secretsmanager', region, readEndpointKinds(from))
}

/** The variable with a custom endpoint; the one of the service precedes the one for all services. */
function findEndpointVariable(
  from: EnvReader,
  own: 'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_ENDPOINT_URL_LAMBDA' | 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
) {
  if (from.variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true') return undefined
  return [own, 'AWS_ENDPOINT_URL' as const].find((name) => from.isSet(name))
}

function readEndpointKinds(from: EnvReader): EndpointKinds {
  const [fips, dualStack] = ENDPOINT_KINDS.map((kind) => from.variable(kind) === 'true')
  return { fips: fips === true, dualStack: dualStack === true }
}
