/**
 * Hosts of AWS services: a region's partition decides their domains. From the partitions file of
 * the AWS SDKs, https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */

export type Partition = {
  readonly suffix: string
  readonly dualStackSuffix: string
  /** All endpoints of the partition are FIPS endpoints. */
  readonly isFips?: true
}

/** A region that matches no row is commercial. */
const PARTITIONS: readonly (Partition & { readonly regions: RegExp })[] = [
  {
    regions: /^cn-/,
    suffix: 'amazonaws.com.cn',
    dualStackSuffix: 'api.amazonwebservices.com.cn',
  },
  { regions: /^us-gov-/, suffix: 'amazonaws.com', dualStackSuffix: 'api.aws', isFips: true },
  { regions: /^us-iso-/, suffix: 'c2s.ic.gov', dualStackSuffix: 'api.aws.ic.gov' },
  { regions: /^us-isob-/, suffix: 'sc2s.sgov.gov', dualStackSuffix: 'api.aws.scloud' },
  { regions: /^eu-isoe-/, suffix: 'cloud.adc-e.uk', dualStackSuffix: 'api.cloud-aws.adc-e.uk' },
  { regions: /^us-isof-/, suffix: 'csp.hci.ic.gov', dualStackSuffix: 'api.aws.hci.ic.gov' },
  { regions: /^eusc-/, suffix: 'amazonaws.eu', dualStackSuffix: 'api.amazonwebservices.eu' },
]
const COMMERCIAL: Partition = { suffix: 'amazonaws.com', dualStackSuffix: 'api.aws' }

export function findPartition(region: string): Partition {
  return PARTITIONS.find(({ regions }) => regions.test(region)) ?? COMMERCIAL
}

/** The host of an AWS service. `service` may have a bucket's name in front: `archive.s3`. */
export function makeAwsHost(service: string, region: string): string {
  return `${service}.${region}.${findPartition(region).suffix}`
}

export type EndpointKinds = { readonly fips: boolean; readonly dualStack: boolean }

/** The URL of a service's regional host, or of its FIPS or dual-stack host. */
export function makeRegionalUrl(
  service: string,
  region: string,
  { dualStack, fips }: EndpointKinds,
): URL {
  const { dualStackSuffix, isFips, suffix } = findPartition(region)
  // In some partitions all hosts are FIPS hosts.
  const name = fips && (isFips !== true || dualStack) ? `${service}-fips` : service
  return new URL(`https://${name}.${region}.${dualStack ? dualStackSuffix : suffix}`)
}
