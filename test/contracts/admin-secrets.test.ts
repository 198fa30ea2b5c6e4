/** Admin secrets keep their contract: the twin's fixed ones, and those of AWS Secrets Manager. */
import { afterAll, beforeAll, vi } from 'vitest'
import { makeFixedAdminSecrets } from '../../adapters/secrets/given-admin-secrets.ts'
import { madeSecrets } from '../adapters/secrets/made-secrets.ts'
import { type SecretsServer, startSecretsServer } from '../adapters/secrets/secrets-server.ts'
import { describeAdminSecrets } from './admin-secrets-contract.ts'

let server: SecretsServer | undefined
const made = madeSecrets()
beforeAll(async () => {
  server = await startSecretsServer()
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.endpoint)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})
afterAll(async () => {
  await made.clean()
  await server?.stop()
})

describeAdminSecrets('memory', async (values) => makeFixedAdminSecrets(values))
describeAdminSecrets('secrets manager', made.make)
