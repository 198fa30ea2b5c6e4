/** Chooses the credential of a login: a key that is given, a sign-in at an issuer, or a typed key. */
import { getOption, type Invocation, isOn } from '../command/command.ts'
import { readSecret } from '../command/confirm.ts'
import type { Keys } from '../gateway/keyring.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import { findClients } from './find-issuer.ts'
import { probeAdminApi } from './recognize-server.ts'
import { signIn } from './sign-in.ts'

/**
 * Takes the admin key from where the options or a pipe give one. Otherwise a person signs in at the
 * issuer of the gateway, or types the key if the gateway has no issuer.
 */
export async function chooseCredential(call: Invocation, adminUrl: string): Promise<Keys> {
  const isNamed = ['from-env', 'from-file'].some((flag) => getOption(call, flag) !== undefined)
  const { input } = call.shell
  const given = isNamed ? await readSecret(call, 'Admin key') : await readPiped(call)
  if (given !== undefined) {
    // Another server must not get the key.
    await probeAdminApi(call, adminUrl)
    return { adminKey: given }
  }
  const clients = await findClients(call, adminUrl)
  if (clients.length > 0) return { login: await signIn(call, clients) }
  if (isOn(call, 'device') || getOption(call, 'issuer') !== undefined) {
    throw new CommandFault('This gateway has no issuer where people can sign in.', {
      remedy: 'Leave --device and --issuer out, and enter an admin key.',
    })
  }
  if (input.isTTY) return { adminKey: await readSecret(call, 'Admin key') }
  throw toUsageFault('Admin key: is empty.', 'Type it, pipe it in, or name its source.')
}

/** Returns undefined if nothing is piped in. */
async function readPiped(call: Invocation): Promise<string | undefined> {
  const { input } = call.shell
  const piped = input.isTTY || isOn(call, 'device') ? '' : await input.readAll()
  return piped.trim() === '' ? undefined : piped.replace(/\r?\n$/, '')
}
