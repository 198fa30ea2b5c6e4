/** Where services of AWS answer. */
import { partitionOf } from './partition.ts'

/** `service` may have the name of a bucket in front of it: `archive.s3`. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.${partitionOf(region).suffix}`
}
