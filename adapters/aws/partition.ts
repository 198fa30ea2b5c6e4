/** Hosts of AWS services, by the domain of their region. */
import { findPartition } from '../../core/request/aws-partition.ts'

/** The host of an AWS service. `service` may have a bucket's name in front: `archive.s3`. */
export function makeAwsHost(service: string, region: string): string {
  return `${service}.${region}.${findPartition(region).suffix}`
}
