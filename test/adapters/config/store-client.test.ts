/** Endpoints of DynamoDB against the rules of the SDK, and what is refused. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'

function endpointOf(env: Record<string, string>): string {
  const config = readConfig({ AWS_REGION: 'eu-central-1', ...env }, ['storeClient'])
  if (!config.ok) return config.error.join('\n')
  const { storeClient } = config.value
  return storeClient.kind === 'light' ? storeClient.endpoint.href : storeClient.kind
}

const sdk = new DynamoDBClient({ region: 'us-east-1' })
const REGIONS = [
  'us-east-1',
  'eu-central-1',
  'cn-north-1',
  'cn-northwest-1',
  'us-gov-west-1',
  'us-gov-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
  'eusc-de-east-1',
  'mars-1',
]

test("the client of the SDK is taken where the environment says so, with endpoints that only the SDK's gives", () => {
  const env = { STORE_CLIENT: 'sdk', AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required' }
  expect(endpointOf(env)).toBe('sdk')
  expect(endpointOf({ STORE_CLIENT: 'heavy' })).toBe('STORE_CLIENT: is "heavy"; give light or sdk')
})

describe('the endpoint of the store', () => {
  test.each(REGIONS)('in %s is that of the SDK, in each form', (Region) => {
    for (const UseFIPS of [false, true]) {
      for (const UseDualStack of [false, true]) {
        const theirs = sdk.config.endpointProvider({ Region, UseFIPS, UseDualStack })
        const ours = endpointOf({
          AWS_REGION: Region,
          AWS_USE_FIPS_ENDPOINT: String(UseFIPS),
          AWS_USE_DUALSTACK_ENDPOINT: String(UseDualStack),
        })
        expect(ours).toBe(theirs.url.href)
      }
    }
  })

  test('is the one that the environment names, that for DynamoDB first', () => {
    const all = 'http://localhost.localstack.cloud:4566'
    const one = 'https://vpce-1.dynamodb.eu-central-1.vpce.amazonaws.com/'
    expect(endpointOf({ AWS_ENDPOINT_URL: all })).toBe(`${all}/`)
    expect(endpointOf({ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: one })).toBe(one)
    const ignored = { AWS_ENDPOINT_URL: all, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }
    expect(endpointOf(ignored)).toBe('https://dynamodb.eu-central-1.amazonaws.com/')
  })

  test.each([
    'ftp://store.example/',
    'https://store.example/path',
    'https://store.example/?query',
    'https://user:word@store.example/',
    'store',
  ])('the endpoint %s is refused', (url) => {
    const shown = JSON.stringify(url)
    const fault = `AWS_ENDPOINT_URL: is ${shown}; give an http or https URL without a path`
    expect(endpointOf({ AWS_ENDPOINT_URL: url })).toBe(fault)
  })

  test.each(['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'])(
    'the setting %s beside an endpoint of another store is refused',
    (name) => {
      const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', [name]: 'true' }
      expect(endpointOf(env)).toBe(`${name}: is "true"; give false, or leave out AWS_ENDPOINT_URL`)
    },
  )

  test('an endpoint by account is refused where it is required', () => {
    expect(endpointOf({ AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required' })).toBe(
      'AWS_ACCOUNT_ID_ENDPOINT_MODE: is "required"; give preferred or disabled',
    )
  })
})
