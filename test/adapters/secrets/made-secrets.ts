// Admin secrets as an operator makes them, in the Secrets Manager that the environment names
// (`AWS_ENDPOINT_URL`, or the variable for this service alone): the fake one of these tests or
// LocalStack.
import { randomBytes } from 'node:crypto'
import { CreateSecretCommand, DeleteSecretCommand } from '@aws-sdk/client-secrets-manager'
import { makeAdminSecrets } from '../../../adapters/secrets/admin-secrets.ts'
import { makeSecretsClient } from '../../../adapters/secrets/client.ts'
import type { MakeAdminSecrets } from '../../contracts/admin-secrets-contract.ts'
import { testClock } from '../../contracts/test-clock.ts'

/** `make` for the contract suite; `clean` removes the secrets that it made. */
export function madeSecrets(): { make: MakeAdminSecrets; clean: () => Promise<void> } {
  const client = makeSecretsClient()
  const names: string[] = []
  const create = async ([current, previous]: readonly string[]) => {
    const name = `skillgate-test-${randomBytes(9).toString('hex')}`
    const text = JSON.stringify({ current, previous })
    await client.send(new CreateSecretCommand({ Name: name, SecretString: text }))
    names.push(name)
    return name
  }
  return {
    make: async (values) =>
      makeAdminSecrets({
        client,
        clock: testClock(),
        ids: {
          internalApiSecret: await create(values.internalApiSecrets),
          adminKey: await create(values.adminKeys),
        },
        onStale: () => {},
      }),
    clean: async () => {
      for (const SecretId of names.splice(0)) {
        await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }))
      }
      client.destroy()
    },
  }
}
