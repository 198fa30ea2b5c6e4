/**
 * Where a service of AWS is, by the variables that the AWS SDKs read, for clients that are not one of theirs: an
 * endpoint in place of AWS's, FIPS and dual-stack endpoints. Refuses what it cannot give.
 * Bound by https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
import { faultLine } from '../../core/settings/read-setting.ts'
import { type Partition, partitionOf } from '../aws/partition.ts'
import type { EnvReader } from './env-reader.ts'

export type EndpointRules = {
  /** The service's name in its hosts. */
  readonly host: string
  /** Names an endpoint for this service alone, which precedes the one for all. */
  readonly variable: 'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_ENDPOINT_URL_KMS'
  /** Whether FIPS is asked for by another host there. */
  readonly hasFipsHost: (partition: Partition, dualStack: boolean) => boolean
}

const STAND_IN = 'https://endpoint.invalid/'
const KINDS = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'] as const

/** https://HOST.REGION.amazonaws.com, or as the variables say. */
export function readServiceEndpoint(from: EnvReader, rules: EndpointRules, region: string): URL {
  const name = namedEndpoint(from, rules.variable)
  if (name === undefined) {
    const [fips, dualStack] = KINDS.map((kind) => from.variable(kind) === 'true')
    return regional(rules, region, { fips: fips === true, dualStack: dualStack === true })
  }
  for (const kind of KINDS) {
    const chosen = from.variable(kind)
    if (chosen !== 'false') from.refuse(faultLine(kind, chosen, `false, or leave out ${name}`))
  }
  return URL.parse(from.variable(name) ?? '') ?? new URL(STAND_IN)
}

/** The variable that names another endpoint. */
function namedEndpoint(from: EnvReader, own: EndpointRules['variable']) {
  if (from.variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true') return undefined
  return ([own, 'AWS_ENDPOINT_URL'] as const).find((name) => from.isSet(name))
}

function regional(
  { hasFipsHost, host }: EndpointRules,
  region: string,
  { fips, dualStack }: { fips: boolean; dualStack: boolean },
): URL {
  const partition = partitionOf(region)
  const name = fips && hasFipsHost(partition, dualStack) ? `${host}-fips` : host
  const suffix = dualStack ? partition.dualStackSuffix : partition.suffix
  return new URL(`https://${name}.${region}.${suffix}`)
}
