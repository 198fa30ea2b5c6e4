/** The common start of the deployed functions, and that each says its own name. */
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, dirname } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sdkClient } from '../../adapters/dynamodb/client/sdk-client.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { startFunction } from '../../lambdas/start-function.ts'
import { FUNCTIONS } from '../../lib/doors.ts'
import { closePort, openPort } from '../../local/http/listen.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('a start', () => {
  test('gives the settings that a function asked for, and the tables and telemetry that each needs', () => {
    vi.stubEnv('GATEWAY_TABLE', 'sg-gateway')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('SKILLGATE_STAGE', 'prod')
    vi.stubEnv('MESSAGES_URL', 'https://messages.example/')
    const { config, store } = startFunction('sse', ['messagesUrl'], sdkClient)
    expect(config).toEqual({
      tables: { gateway: 'sg-gateway', sessions: 'sg-sessions' },
      telemetry: { stage: 'prod', callLogSampling: 1 },
      messagesUrl: new URL('https://messages.example/'),
    })
    expect(store.tables).toEqual({ gateway: 'sg-gateway', sessions: 'sg-sessions' })
  })

  test('names all missing settings at once', () => {
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
  test('the light client asks for region, credentials and endpoint, and takes them from the environment', () => {
    vi.stubEnv('GATEWAY_TABLE', 'sg-gateway')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('AWS_REGION', '')
    vi.stubEnv('AWS_ACCESS_KEY_ID', '')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's')
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'yes')
    expect(() => startFunction('mcp', [], stageClient)).toThrow(
      [
        'The environment does not fit:',
        '  AWS_REGION: is missing; give a region such as eu-central-1',
        '  AWS_ACCESS_KEY_ID: is missing; give the secret',
        '  AWS_USE_FIPS_ENDPOINT: is "yes"; give true or false',
      ].join('\n'),
    )
  })

  test.each([
    ['light', undefined],
    ['sdk', expect.stringContaining('aws-sdk-js/')],
  ])('the client of a stage with %s sends under its own name', async (kind, userAgent) => {
    const agents: unknown[] = []
    const server = createServer((request, response) => {
      agents.push(request.headers['x-amz-user-agent'])
      request.resume().on('end', () => response.end('{}'))
    })
    const port = await openPort(server, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => closePort(server))
    vi.stubEnv('GATEWAY_TABLE', 'sg-gateway')
    vi.stubEnv('SESSIONS_TABLE', 'sg-sessions')
    vi.stubEnv('STORE_CLIENT', kind)
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'k')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's')
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
    const { store } = startFunction('mcp', [], stageClient)
    await store.get(store.tables.gateway, { pk: 'p', sk: 's' }, 'eventual')
    expect(agents).toEqual([userAgent])
  })

  test.each(['mcp', 'messages', 'sse', 'execute', 'sweep'])(
    'the handler %s, which agents wait for or which sends many requests, has the client that the stage chooses',
    (door) => {
      const text = readFileSync(`lambdas/${door}/handler.ts`, 'utf8')
      expect(text).toContain('stageClient')
    },
  )
})

describe('the handlers', () => {
  const handlers = globSync('lambdas/*/handler.ts')

  test('are those of the doors that are deployed', () => {
    expect(handlers.map((file) => basename(dirname(file))).sort()).toEqual([...FUNCTIONS].sort())
  })

  test('the handler of caller opens no store and reads no settings but its own', () => {
    const text = readFileSync('lambdas/caller/handler.ts', 'utf8')
    expect(text).not.toMatch(/startFunction|dynamodb|kms|secrets/i)
    expect(text).toContain("readProcessConfig(['privateNetwork', 'telemetry'])")
  })

  const withStore = handlers.filter((file) => !file.includes('/caller/'))

  test.each(withStore)('the handler %s starts once, under its own name', (file) => {
    const names = [...readFileSync(file, 'utf8').matchAll(/startFunction\(\s*'(\w+)'/g)]
    expect(names.map(([, name]) => name)).toEqual([basename(dirname(file))])
  })
})
