/** Hosts of AWS services, by the domain of their region. */
import { findPartition } from '../../core/request/aws-partition.ts'

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
