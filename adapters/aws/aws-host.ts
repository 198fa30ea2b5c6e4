/** Where services of AWS answer. */
import { partitionOf } from './partition.ts'

/** The host of an AWS service. `service` may have a bucket's name in front: `archive.s3`. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.${partitionOf(region).suffix}`
}
