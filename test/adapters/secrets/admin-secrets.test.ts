import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { mockClient } from 'aws-sdk-client-mock'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeAdminSecrets } from '../../../adapters/secrets/admin-secrets.ts'
import {
  SECRETS_FRESH_MS,
  SECRETS_PAUSE_MS,
  SECRETS_STALE_MS,
} from '../../../adapters/secrets/limits.ts'
import { testClock } from '../../contracts/test-clock.ts'

const service = mockClient(SecretsManagerClient)
beforeEach(() => service.reset())

function open() {
  const clock = testClock()
  const stale: unknown[] = []
  const secrets = makeAdminSecrets({
    client: new SecretsManagerClient({ region: 'us-east-1' }),
    ids: { internalApiSecret: 'internal', adminKey: 'arn:of:admin' },
    clock,
    onStale: (cause) => stale.push(cause),
  })
  return { clock, secrets, stale }
}

function hold(SecretId: string, current: string): void {
  const SecretString = JSON.stringify({ current })
  service.on(GetSecretValueCommand, { SecretId }).resolves({ SecretString })
}

function holdBoth(): void {
  hold('internal', 'internal-0123456789')
  hold('arn:of:admin', 'admin-key-0123456789')
}

const BOTH = {
  internalApiSecrets: ['internal-0123456789'],
  adminKeys: ['admin-key-0123456789'],
}

describe('the two secrets', () => {
  test('are fetched by their ids, at the same time', async () => {
    holdBoth()
    const { secrets } = open()
    const reading = secrets.read()
    await Promise.resolve()
    const ids = service.commandCalls(GetSecretValueCommand).map((call) => call.args[0].input)
    expect(ids).toEqual([{ SecretId: 'internal' }, { SecretId: 'arn:of:admin' }])
    expect(await reading).toEqual(BOTH)
  })

  test('are cached for a minute, so a leaked one stops working a minute after its replacement', async () => {
    holdBoth()
    const { clock, secrets } = open()
    await secrets.read()
    hold('arn:of:admin', 'admin-key-replaced-1')
    clock.advance(59_999)
    expect((await secrets.read()).adminKeys).toEqual(['admin-key-0123456789'])
    clock.advance(1)
    expect((await secrets.read()).adminKeys).toEqual(['admin-key-replaced-1'])
    expect([SECRETS_FRESH_MS, SECRETS_STALE_MS, SECRETS_PAUSE_MS]).toEqual([
      60_000, 300_000, 10_000,
    ])
  })

  test('are used for five minutes after one of them is spoilt, and then refuse everyone', async () => {
    holdBoth()
    const { clock, secrets, stale } = open()
    await secrets.read()
    hold('internal', 'too-short')
    clock.advance(299_999)
    expect(await secrets.read()).toEqual(BOTH)
    expect(stale).toMatchObject([
      { message: 'secret internal: current: is too short; give 16 characters or more' },
    ])
    clock.advance(1)
    await expect(secrets.read()).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

test('a missing secret is a fault that names it, with the cause beside it', async () => {
  holdBoth()
  const cause = new ResourceNotFoundException({ message: 'no', $metadata: {} })
  service.on(GetSecretValueCommand, { SecretId: 'arn:of:admin' }).rejects(cause)
  await expect(open().secrets.read()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: 'secret arn:of:admin: could not be fetched (ResourceNotFoundException)',
    cause: { name: 'ResourceNotFoundException' },
  })
})

test('a secret of bytes without text is refused', async () => {
  holdBoth()
  service
    .on(GetSecretValueCommand, { SecretId: 'internal' })
    .resolves({ SecretBinary: new Uint8Array([1]) })
  await expect(open().secrets.read()).rejects.toThrow('secret internal: holds no text')
})
