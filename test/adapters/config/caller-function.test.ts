/** Where the function caller is, by the variables of execute and mcp; and what it knows itself. */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:stage-Caller-1A:internal'
const ROLE = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'ASIAX',
  AWS_SECRET_ACCESS_KEY: 's',
  AWS_SESSION_TOKEN: 't',
}
const WITH = { ...ROLE, PRIVATE_HOSTS: 'billing.corp.example', CALLER_FUNCTION: ARN }

function endpointOf(more: Readonly<Record<string, string>>): string | undefined {
  const config = readConfig({ ...WITH, ...more }, ['caller'])
  return config.ok ? config.value.caller?.endpoint.href : config.error.join()
}

describe('the function caller', () => {
  test('is absent without private hosts, whatever else is set', () => {
    expect(readConfig({ ...ROLE, CALLER_FUNCTION: ARN }, ['caller'])).toEqual({
      ok: true,
      value: { caller: undefined },
    })
  })

  test('is invoked at the API of its region, with the credentials of the role', () => {
    expect(readConfig(WITH, ['caller'])).toEqual({
      ok: true,
      value: {
        caller: {
          functionArn: ARN,
          endpoint: new URL('https://lambda.eu-central-1.amazonaws.com/'),
          region: 'eu-central-1',
          credentials: { accessKeyId: 'ASIAX', secretAccessKey: 's', sessionToken: 't' },
        },
      },
    })
  })

  test('is invoked in the partition of its region', () => {
    expect(endpointOf({ AWS_REGION: 'cn-north-1' })).toBe(
      'https://lambda.cn-north-1.amazonaws.com.cn/',
    )
  })

  test('is invoked at another endpoint that is given, that of Lambda before that of all', () => {
    const all = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }
    expect(endpointOf(all)).toBe('http://127.0.0.1:4566/')
    expect(endpointOf({ ...all, AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9001' })).toBe(
      'http://127.0.0.1:9001/',
    )
    expect(endpointOf({ ...all, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' })).toBe(
      'https://lambda.eu-central-1.amazonaws.com/',
    )
  })

  test('is invoked at the kind of host that the environment selects', () => {
    expect(endpointOf({ AWS_USE_FIPS_ENDPOINT: 'true' })).toBe(
      'https://lambda-fips.eu-central-1.amazonaws.com/',
    )
  })

  test('is refused as missing where a stage has private hosts', () => {
    expect(readConfig({ ...ROLE, PRIVATE_HOSTS: 'billing.corp.example' }, ['caller'])).toEqual({
      ok: false,
      error: [
        'CALLER_FUNCTION: is missing, and PRIVATE_HOSTS is set; give the ARN of a function (arn:aws:lambda:REGION:ACCOUNT:function:NAME:ALIAS)',
      ],
    })
  })

  test.each(['caller', 'arn:aws:lambda:eu-central-1:1:function:x', `${ARN}:more`, `${ARN} `])(
    'is refused by another text than an ARN: %s',
    (text) => {
      const config = readConfig({ ...WITH, CALLER_FUNCTION: text }, ['caller'])
      expect(config.ok ? '' : config.error[0]).toMatch(/^CALLER_FUNCTION: is ".*"; give the ARN/)
    },
  )
})

test('the function caller itself knows its hosts and where Lambda’s Runtime API is', () => {
  const env = { PRIVATE_HOSTS: '10.0.3.7:8443', AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001' }
  expect(readConfig(env, ['privateNetwork'])).toEqual({
    ok: true,
    value: { privateNetwork: { hosts: ['10.0.3.7:8443'], runtimeApi: '127.0.0.1:9001' } },
  })
})
