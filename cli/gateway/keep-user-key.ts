/** Issues a key of a user and keeps it in the profile, where `tools`, `call` and `connect` find it. */
import {
  findConfigPath,
  type StoredProfile,
  writeConfig,
} from '../../adapters/profiles/config-file.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import { type AdminClient, encodeSegment, type Fields } from './admin-client.ts'
import { putInKeyring } from './keyring.ts'
import { findProfile, readConfigFile, readKeys, URL_VARIABLE } from './target.ts'

/** The profile to write. Called before a key is issued, so that no key is issued and lost. */
export type KeyPlace = { readonly name: string; readonly profile: StoredProfile }

/** Throws a usage fault if the keys of this call are not in a profile that a command may change. */
export function findKeyPlace(call: Invocation): KeyPlace {
  const found = findProfile(call)
  if (found === undefined) {
    throw toUsageFault(
      `${URL_VARIABLE} chooses the gateway, so there is no profile to keep a key in.`,
      'Keep the key in SKILLGATE_KEY.',
    )
  }
  if (found.profile.credential.store === 'twin') {
    throw toUsageFault(
      `The profile ${found.name} has the keys of its twin, which its start writes.`,
      'Keep the key in SKILLGATE_KEY.',
    )
  }
  return found
}

export async function issueUserKey(
  admin: AdminClient,
  uid: string,
  body?: Fields,
): Promise<Fields> {
  const path = `/users/${encodeSegment(uid)}/keys`
  return admin.send({ method: 'POST', path, ...(body === undefined ? {} : { body }) })
}

/** Puts the key where the profile has its other keys. Replaces an earlier user key. */
export async function keepUserKey(
  call: Invocation,
  { name, profile }: KeyPlace,
  key: string,
): Promise<void> {
  const { shell } = call
  const keys = { ...(await readKeys(shell, name, profile)), key }
  const { credential } = profile
  if (credential.store === 'keyring') {
    if (await putInKeyring(shell, name, keys)) return
    throw new CommandFault('The keyring did not take the key.', {
      remedy: `Revoke it with skillgate keys revoke, or sign in again with --store file.`,
    })
  }
  // Read again: another command may have written the file meanwhile.
  const config = readConfigFile(shell)
  const kept = { ...profile, credential: { ...credential, key } }
  writeConfig(findConfigPath(shell), { ...config, profiles: { ...config.profiles, [name]: kept } })
}
