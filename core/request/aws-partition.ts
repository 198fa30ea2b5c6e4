/**
 * Domains of AWS services: a region's partition decides them. From the partitions file of the AWS
 * SDKs, https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
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

/** Function URLs and services of VPC Lattice, in all partitions that have them. */
export const ON_AWS = 'on.aws'

/** True for every host below a domain of AWS. */
export function isAwsDomain(host: string): boolean {
  const domains = [COMMERCIAL, ...PARTITIONS].flatMap((one) => [one.suffix, one.dualStackSuffix])
  return [...domains, ON_AWS].some((domain) => host.endsWith(`.${domain}`))
}
