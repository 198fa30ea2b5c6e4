/**
 * Where a service of AWS is, by the variables that the AWS SDKs read, for clients that are not one of theirs: an
 * endpoint in place of AWS's, FIPS and dual-stack endpoints. Refuses what it cannot give.
 * Bound by https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
import { type Partition, partitionOf } from '../aws/partition.ts'
import type { EnvReader } from './env-reader.ts'

export type EndpointRules = {
  /** The service's name in its hosts. */
  readonly host: string
  /** Names an endpoint for this service alone, which precedes the one for all. */
  readonly variable: string
  /** Whether FIPS is asked for by another host there. */
  readonly hasFipsHost: (partition: Partition, dualStack: boolean) => boolean
}

const ON_OFF = ['true', 'false'] as const
const STAND_IN = new URL('https://endpoint.invalid/')

/** https://HOST.REGION.amazonaws.com, or as the variables say. */
export function readServiceEndpoint(from: EnvReader, rules: EndpointRules, region: string): URL {
  const name = namedEndpoint(from, rules.variable)
  if (name === undefined) {
    return regional(rules, region, {
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

/** The variable that names another endpoint. */
function namedEndpoint(from: EnvReader, own: string): string | undefined {
  if (from.choice('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', ON_OFF, 'false') === 'true') {
    return undefined
  }
  return [own, 'AWS_ENDPOINT_URL'].find((name) => from.optional(name) !== undefined)
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
