/**
 * The commands `login`, `logout` and `whoami`: choose the gateway and the keys that later commands
 * use.
 */
import {
  findConfigPath,
  type StoredCredential,
  writeConfig,
} from '../../adapters/profiles/config-file.ts'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { readSecret, SECRET_OPTIONS } from '../command/confirm.ts'
import { printFields } from '../command/print.ts'
import { type Fields, openAdminClient, toAdminClient } from '../gateway/admin-client.ts'
import { type Keys, putInKeyring, removeFromKeyring } from '../gateway/keyring.ts'
import { readConfigFile, toAddresses } from '../gateway/target.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'

/**
 * The form of a profile's name, which becomes part of file names of keyrings and of command lines.
 */
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

async function login(call: Invocation): Promise<ExitCode> {
  const { shell } = call
  const name = getOption(call, 'name') ?? 'default'
  if (!PROFILE_NAME.test(name)) {
    throw toUsageFault(
      `--name: ${name} is not a valid name for a profile.`,
      'Use a-z, 0-9, - and _, 64 at most.',
    )
  }
  const urls = toAddresses(getArgument(call, 'URL'), getOption(call, 'mcp-url'))
  const adminKey = await readSecret(call, 'Admin key')
  const keys = { adminKey, key: readUserKey(call) }
  await fetchIdentity(call, { profile: name, ...urls, ...keys })
  const credential = await storeKeys(call, name, keys)
  const config = readConfigFile(shell)
  const profiles = { ...config.profiles, [name]: { ...urls, credential } }
  writeConfig(findConfigPath(shell), { current: name, profiles })
  printFields(call, { profile: name, ...urls, store: credential.store }, [
    ['profile', name],
    ['admin API', urls.adminUrl],
    ['MCP', urls.mcpUrl],
    ['keys in', credential.store],
  ])
  return EXIT.ok
}

function readUserKey(call: Invocation): string | undefined {
  const name = getOption(call, 'key-from-env')
  if (name === undefined) return undefined
  const key = call.shell.env[name]
  if (key) return key
  throw toUsageFault(`--key-from-env: ${name} is not set.`, `export ${name}=sgk_…`)
}

/**
 * Returns the name and role of the administrator. Throws a CommandFault if the gateway refuses the
 * key.
 */
async function fetchIdentity(
  call: Invocation,
  target: Parameters<typeof toAdminClient>[1],
): Promise<Fields> {
  return toAdminClient(call, target).send({ method: 'GET', path: '/whoami' })
}

async function storeKeys(call: Invocation, name: string, keys: Keys): Promise<StoredCredential> {
  const { shell } = call
  if (getOption(call, 'store') !== 'file') {
    if (await putInKeyring(shell, name, keys)) return { store: 'keyring' }
    if (getOption(call, 'store') === 'keyring') {
      throw toUsageFault(
        'This system has no keyring that can keep the keys.',
        'Leave --store out to keep them in a file.',
      )
    }
    printNote(
      shell,
      `No keyring here: the keys are in ${findConfigPath(shell)}, readable by you alone.`,
    )
  }
  const { adminKey, key } = keys
  return {
    store: 'file',
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(key === undefined ? {} : { key }),
  }
}

async function logout(call: Invocation): Promise<ExitCode> {
  const { shell } = call
  const config = readConfigFile(shell)
  const name = getOption(call, 'profile') ?? config.current
  if (name === undefined || config.profiles[name] === undefined) {
    throw toUsageFault('There is no profile to sign out of.', 'See skillgate profile ls.')
  }
  await removeProfile(call, name)
  printNote(shell, `Signed out of ${name}.`)
  return EXIT.ok
}

/** Removes a profile and its keys. If it was the current profile, none is current afterwards. */
export async function removeProfile(call: Invocation, name: string): Promise<void> {
  const { shell } = call
  const config = readConfigFile(shell)
  const { [name]: dropped, ...profiles } = config.profiles
  if (dropped?.credential.store === 'keyring') await removeFromKeyring(shell, name)
  const { current } = config
  const profileChange = current === undefined || current === name ? {} : { current }
  writeConfig(findConfigPath(shell), { ...profileChange, profiles })
}

async function whoami(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { adminUrl, key, mcpUrl, profile } = admin.target
  const { name, role } = await fetchIdentity(call, admin.target)
  printFields(call, { profile, adminUrl, mcpUrl, name, role, key: key !== undefined }, [
    ['profile', profile],
    ['admin API', adminUrl],
    ['MCP', mcpUrl],
    ['admin key', `${name}, ${role}`],
    ['user key', key === undefined ? 'none' : `${key.slice(0, 8)}…`],
  ])
  return EXIT.ok
}

export const SIGN_IN_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'Sign in to a gateway and keep its keys in a profile',
    details:
      'The admin key is asked for, or read from stdin, and tried before anything is kept. It goes into the keyring of the system where there is one, else into a file that only you can read.',
    arguments: [{ name: 'URL', help: 'the origin of a gateway, or the address of its admin API' }],
    options: [
      { flag: 'name', value: 'NAME', help: 'name of the profile (default)' },
      {
        flag: 'mcp-url',
        value: 'URL',
        help: 'the address of MCP clients, where it is another host',
      },
      {
        flag: 'key-from-env',
        value: 'NAME',
        help: "also keep a user's key, for tools, call and connect",
      },
      { flag: 'store', value: 'STORE', help: 'where the keys go', choices: ['keyring', 'file'] },
      ...SECRET_OPTIONS,
    ],
    examples: [
      {
        says: 'Sign in to a twin, with the admin key that its start printed',
        line: 'skillgate login http://127.0.0.1:8787 --name twin --from-env ADMIN_KEY',
      },
    ],
    prints: 'the profile, without its keys',
    run: login,
  },
  {
    name: 'logout',
    summary: 'Forget a profile and its keys',
    arguments: [],
    options: [],
    examples: [{ says: 'Sign out', line: 'skillgate logout --profile twin' }],
    prints: 'nothing',
    run: logout,
  },
  {
    name: 'whoami',
    summary: 'Show the gateway in use, and whether it accepts the admin key',
    arguments: [],
    options: [],
    examples: [{ says: 'Try the profile', line: 'skillgate whoami' }],
    prints: 'profile and addresses',
    run: whoami,
  },
]
