/** Endpoints of KMS against the rules of the SDK, and what is refused. */
import { KMSClient } from '@aws-sdk/client-kms'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'

const keyIn = (region: string) =>
  `arn:aws:kms:${region}:111111111111:key/11111111-2222-3333-4444-555555555555`

function endpointOf(env: Record<string, string>, region = 'eu-central-1'): string {
  const all = { AWS_REGION: 'us-east-2', SECRETS_KEY_ID: keyIn(region), ...env }
  const config = readConfig(all, ['secretsKey'])
  return config.ok ? String(config.value.secretsKey.endpoint) : config.error.join('\n')
}

const sdk = new KMSClient({ region: 'us-east-1' })

describe('the endpoint of KMS', () => {
  test.each([
    'us-east-1',
    'eu-central-1',
    'cn-north-1',
    'us-gov-west-1',
    'us-iso-east-1',
    'us-isob-east-1',
    'eu-isoe-west-1',
    'us-isof-south-1',
    'eusc-de-east-1',
    'mars-1',
  ])('the endpoint of KMS for a key in %s is that of the SDK, in each form', (Region) => {
    for (const UseFIPS of [false, true]) {
      for (const UseDualStack of [false, true]) {
        const theirs = sdk.config.endpointProvider({ Region, UseFIPS, UseDualStack })
        const env = {
          AWS_USE_FIPS_ENDPOINT: String(UseFIPS),
          AWS_USE_DUALSTACK_ENDPOINT: String(UseDualStack),
        }
        expect(endpointOf(env, Region)).toBe(theirs.url.href)
      }
    }
  })

  test('the endpoint of KMS is the one that the environment names, that for KMS first', () => {
    const all = 'http://localhost.localstack.cloud:4566'
    const one = 'https://vpce-1.kms.eu-central-1.vpce.amazonaws.com/'
    expect(endpointOf({ AWS_ENDPOINT_URL: all })).toBe(`${all}/`)
    expect(endpointOf({ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_KMS: one })).toBe(one)
    const ignored = { AWS_ENDPOINT_URL_KMS: one, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }
    expect(endpointOf(ignored)).toBe('https://kms.eu-central-1.amazonaws.com/')
  })

  test('the endpoint of KMS is refused with a path, and beside a choice between those of AWS', () => {
    expect(endpointOf({ AWS_ENDPOINT_URL_KMS: 'https://kms.example/path' })).toBe(
      'AWS_ENDPOINT_URL_KMS: is "https://kms.example/path"; give an http or https URL without a path',
    )
    const fips = { AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:1', AWS_USE_FIPS_ENDPOINT: 'true' }
    expect(endpointOf(fips)).toBe(
      'AWS_USE_FIPS_ENDPOINT: is "true"; give false, or leave out AWS_ENDPOINT_URL_KMS',
    )
  })

  test('the endpoint of KMS is not asked about where the key is refused', () => {
    expect(endpointOf({ SECRETS_KEY_ID: 'alias/secrets' })).toBe(
      'SECRETS_KEY_ID: is "alias/secrets"; give the ARN of a KMS key (arn:aws:kms:REGION:ACCOUNT:key/ID)',
    )
  })
})
