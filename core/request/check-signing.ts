/**
 * Decides whether a request may be signed for AWS, and with whose credentials. A signature goes
 * only to an endpoint of AWS in the region that it names, or to a host that the operator allows
 * anyway. A role, and the gateway's own identity, are used only as the operator lists them: the
 * gateway itself may write its tables. Checked at sync and again just before a request is sent.
 * Bound by docs/service.md, Requests to AWS, and ADR 0120.
 */
import { CUSTOMER_HOSTS } from '../settings/customer-hosts.ts'
import type { AwsSigning } from '../skills/skill.ts'
import { findPartition, isAwsDomain, ON_AWS } from './aws-partition.ts'
import { parseTarget, type TargetRules } from './check-target.ts'

export type SigningRules = TargetRules & {
  /** ARNs of roles that may be assumed, and hosts that get signatures of the gateway itself. */
  readonly signedAccess: readonly string[]
}

/** Why a request may not be signed: a clause without a full stop; undefined if it may. */
export function findDenial(
  url: string,
  signing: AwsSigning,
  rules: SigningRules,
): string | undefined {
  const host = findHostError(url, signing, rules)
  if (host !== undefined) return `its URL ${host}`
  const access = findAccessError(url, signing, rules)
  return access === undefined ? undefined : `the gateway ${access}`
}

/**
 * Explains why no signature may go to the host, in a clause that follows "the URL …". The URL must
 * have passed {@link parseTarget}.
 */
export function findHostError(
  url: string,
  { region, service }: AwsSigning,
  rules: TargetRules,
): string | undefined {
  const target = parseTarget(url, rules)
  if (!target.ok) return target.error
  if (target.value.isAllowListed) return undefined
  if (isAwsHost(target.value.url.hostname, { region, service })) return undefined
  return `is no endpoint of AWS for ${service} in ${region}, and signatures go nowhere else; use one such as ${service}.${region}.${findPartition(region).suffix}`
}

/**
 * Explains why the gateway may not sign with the role, or with its own identity, in a clause that
 * follows "the gateway …".
 */
export function findAccessError(
  url: string,
  { role }: AwsSigning,
  rules: SigningRules,
): string | undefined {
  const { signedAccess } = rules
  if (role !== undefined) {
    return signedAccess.includes(role.arn)
      ? undefined
      : `may not assume the role of the skill; let the operator list its ARN (${SETTING})`
  }
  const target = parseTarget(url, rules)
  if (!target.ok) return undefined
  const { host, hostname } = target.value.url
  // A host of AWS may be allow-listed for its private address; the gateway's tables are behind some.
  const isElsewhere = target.value.isAllowListed && !isAwsDomain(hostname)
  return isElsewhere || signedAccess.includes(host)
    ? undefined
    : `does not sign for ${host} as itself; name a role in config.auth, or let the operator list the host (${SETTING})`
}

const SETTING = '--signed-access, on AWS signedAccess'

/** Domains with the region before the service. */
const REGION_FIRST: ReadonlySet<string> = new Set(['es', 'aoss'])

/** Endpoints of several labels that are AWS's own, buckets among them. */
const SERVICE_HOSTS: readonly { readonly pattern: RegExp; readonly service: string }[] = [
  { pattern: /^(?:[a-z0-9.-]+\.)?s3(?:-fips)?(?:\.dualstack)?$/, service: 's3' },
  { pattern: /^[a-z0-9-]+\.s3-accesspoint(?:-fips)?(?:\.dualstack)?$/, service: 's3' },
  { pattern: /^\d{12}\.ddb$/, service: 'dynamodb' },
  { pattern: /^streams\.dynamodb$/, service: 'dynamodb' },
  { pattern: /^api\.ecr$/, service: 'ecr' },
  { pattern: /^(?:api|runtime)\.sagemaker$/, service: 'sagemaker' },
  { pattern: /^[a-z0-9-]+\.iot$/, service: 'iotdata' },
]

const LABEL = /^[a-z0-9][a-z0-9-]*$/
/** Where global services sign, whose endpoints name no region. */
const GLOBAL_REGION = 'us-east-1'

function isAwsHost(host: string, signing: Pick<AwsSigning, 'region' | 'service'>): boolean {
  const { region, service } = signing
  const { dualStackSuffix, suffix } = findPartition(region)
  if (host.endsWith(`.${region}.${ON_AWS}`)) {
    return isCustomerPrefix(host.slice(0, -`.${region}.${ON_AWS}`.length), service)
  }
  if (REGION_FIRST.has(service) && host.endsWith(`.${region}.${service}.${suffix}`)) {
    return LABEL.test(host.slice(0, -`.${region}.${service}.${suffix}`.length))
  }
  for (const domain of [suffix, dualStackSuffix]) {
    const end = `.${region}.${domain}`
    if (host.endsWith(end)) return isServicePrefix(host.slice(0, -end.length), service)
  }
  if (region !== GLOBAL_REGION || !host.endsWith(`.${suffix}`)) return false
  const prefix = host.slice(0, -`.${suffix}`.length)
  return isServicePrefix(prefix, service) && !isCustomerPrefix(prefix, service)
}

/** A single label before the region is always a service's: customers get names below one. */
function isServicePrefix(prefix: string, service: string): boolean {
  if (LABEL.test(prefix)) return true
  return (
    SERVICE_HOSTS.some((one) => one.service === service && one.pattern.test(prefix)) ||
    isCustomerPrefix(prefix, service)
  )
}

function isCustomerPrefix(prefix: string, service: string): boolean {
  return CUSTOMER_HOSTS.some(
    (one) =>
      one.service === service &&
      prefix.endsWith(`.${one.labels}`) &&
      prefix
        .slice(0, -one.labels.length - 1)
        .split('.')
        .every((label) => LABEL.test(label)),
  )
}
