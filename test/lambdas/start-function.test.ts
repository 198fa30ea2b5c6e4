/** The common start of the deployed functions, and that each says its own name. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { sdkClient } from '../../adapters/dynamodb/client/sdk-client.ts'
import { signedClient } from '../../adapters/dynamodb/client/signed/signed-client.ts'
import { startFunction } from '../../lambdas/start-function.ts'
import { DOORS } from '../../lib/doors.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('a start', () => {
  test('a start gives the settings that a function asked for, and the tables and telemetry that each needs', () => {
    vi.stubEnv('GATEWAY_TABLE', 'sg-gateway')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('SKILLGATE_STAGE', 'prod')
    vi.stubEnv('MESSAGES_URL', 'https://messages.example/')
    const { config, store } = startFunction('sse', ['messagesUrl'], sdkClient)
    expect(config).toEqual({
      tables: { gateway: 'sg-gateway', sessions: 'sg-sessions' },
      telemetry: { stage: 'prod' },
      messagesUrl: new URL('https://messages.example/'),
    })
    expect(store.tables).toEqual({ gateway: 'sg-gateway', sessions: 'sg-sessions' })
  })

  test('a start names all missing settings at once', () => {
    vi.stubEnv('GATEWAY_TABLE', '')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('SKILLGATE_STAGE', 'No Stage')
    expect(() => startFunction('admin', ['adminSecretIds'], sdkClient)).toThrow(
      [
        'The environment does not fit:',
        '  GATEWAY_TABLE: is missing; give a table name',
        '  SKILLGATE_STAGE: is "No Stage"; give 1 to 16 characters of a-z, 0-9 and -, a letter first',
        '  INTERNAL_SECRET_ID: is missing; give the name or ARN of a secret',
        '  ADMIN_SECRET_ID: is missing; give the name or ARN of a secret',
      ].join('\n'),
    )
  })
})

describe('the client of the store', () => {
  test('the signed client asks for region, credentials and endpoint, and takes them from the environment', () => {
    vi.stubEnv('GATEWAY_TABLE', 'sg-gateway')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('AWS_REGION', '')
    vi.stubEnv('AWS_ACCESS_KEY_ID', '')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's')
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'yes')
    expect(() => startFunction('mcp', [], signedClient)).toThrow(
      [
        'The environment does not fit:',
        '  AWS_REGION: is missing; give a region such as eu-central-1',
        '  AWS_ACCESS_KEY_ID: is missing; give the secret',
        '  AWS_USE_FIPS_ENDPOINT: is "yes"; give true or false',
      ].join('\n'),
    )
  })

  test.each(['mcp', 'messages', 'sse', 'execute', 'sweep'])(
    'the handler %s, which agents wait for or which sends many requests, has the signed client',
    (door) => {
      const text = readFileSync(`lambdas/${door}/handler.ts`, 'utf8')
      expect(text).toContain('signedClient')
    },
  )
})

describe('the handlers', () => {
  const handlers = globSync('lambdas/*/handler.ts')

  test('the handlers are those of the doors that are deployed', () => {
    expect(handlers.map((file) => basename(dirname(file))).sort()).toEqual([...DOORS].sort())
  })

  test.each(handlers)('the handler %s starts once, under its own name', (file) => {
    const names = [...readFileSync(file, 'utf8').matchAll(/startFunction\(\s*'(\w+)'/g)]
    expect(names.map(([, name]) => name)).toEqual([basename(dirname(file))])
  })
})
