/** Where services of AWS answer: the one place that knows the domain of a partition. */

/** `service` may have the name of a bucket in front of it: `archive.s3`. Regions of China have a domain of their own. */
export function awsHost(service: string, region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return `${service}.${region}.${domain}`
}
