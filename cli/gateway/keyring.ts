/**
 * Keeps keys in the keyring of the system, by its own program: `secret-tool` of libsecret on Linux,
 * `security` on macOS. Each program takes the secret from stdin, so that no list of processes shows
 * it. Windows, containers and SSH sessions have no such keyring.
 */
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import type { Shell } from '../terminal/shell.ts'

export type Keys = {
  readonly adminKey?: string | undefined
  readonly key?: string | undefined
  readonly login?: StoredLogin | undefined
}

const SERVICE = 'skillgate'

/** Stores the keys. Returns false if no keyring accepts them. */
export async function putInKeyring(shell: Shell, profile: string, keys: Keys): Promise<boolean> {
  const text = Buffer.from(JSON.stringify(keys)).toString('base64')
  const put = await (shell.platform === 'darwin'
    ? shell.programs.collect(
        'security',
        ['-i'],
        `add-generic-password -U -s ${SERVICE} -a ${profile} -w ${text}\n`,
      )
    : shell.programs.collect(
        'secret-tool',
        ['store', `--label=Skillgate ${profile}`, ...toAttributes(profile)],
        text,
      ))
  if (put?.code !== 0) return false
  const stored = await readFromKeyring(shell, profile)
  return stored !== undefined && JSON.stringify(stored) === JSON.stringify(keys)
}

/** Reads the keys; undefined if the keyring has none. */
export async function readFromKeyring(shell: Shell, profile: string): Promise<Keys | undefined> {
  const found = await (shell.platform === 'darwin'
    ? shell.programs.collect('security', [
        'find-generic-password',
        '-s',
        SERVICE,
        '-a',
        profile,
        '-w',
      ])
    : shell.programs.collect('secret-tool', ['lookup', ...toAttributes(profile)]))
  if (found?.code !== 0) return undefined
  try {
    return JSON.parse(Buffer.from(found.stdout.trim(), 'base64').toString('utf8'))
  } catch {
    // The entry was written by another program.
    return undefined
  }
}

export async function removeFromKeyring(shell: Shell, profile: string): Promise<void> {
  if (shell.platform === 'darwin') {
    await shell.programs.collect('security', [
      'delete-generic-password',
      '-s',
      SERVICE,
      '-a',
      profile,
    ])
    return
  }
  await shell.programs.collect('secret-tool', ['clear', ...toAttributes(profile)])
}

function toAttributes(profile: string): readonly string[] {
  return ['service', SERVICE, 'account', profile]
}
