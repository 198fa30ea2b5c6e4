/** The deployed key of users' secrets, as its owner switches it off and on in KMS. */
import { DisableKeyCommand, EnableKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { deployedFunction } from './deployed-functions.ts'
import type { Deployment } from './deployment.ts'

/** Switches it on again afterwards, whatever the outcome of the work. */
export async function withKeyOff(deployed: Deployment, work: () => Promise<void>): Promise<void> {
  const { env } = await deployedFunction(deployed.emulator.endpoint, 'execute')
  const KeyId = env['SECRETS_KEY_ID']
  const client = new KMSClient({})
  await client.send(new DisableKeyCommand({ KeyId }))
  try {
    await work()
  } finally {
    await client.send(new EnableKeyCommand({ KeyId }))
    client.destroy()
  }
}
