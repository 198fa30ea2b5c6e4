import { expect, test } from 'vitest'
import { makeAwsHost } from '../../../adapters/aws/partition.ts'

test.each([
  ['events', 'eu-central-1', 'events.eu-central-1.amazonaws.com'],
  ['archive-of-dev.s3', 'us-gov-west-1', 'archive-of-dev.s3.us-gov-west-1.amazonaws.com'],
  ['events', 'us-iso-east-1', 'events.us-iso-east-1.c2s.ic.gov'],
  ['events', 'cn-north-1', 'events.cn-north-1.amazonaws.com.cn'],
  ['archive-of-dev.s3', 'cn-northwest-1', 'archive-of-dev.s3.cn-northwest-1.amazonaws.com.cn'],
])('the service %s in %s answers at %s', (service, region, host) => {
  expect(makeAwsHost(service, region)).toBe(host)
})
