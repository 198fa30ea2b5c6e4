/**
 * The commands `login`, `logout` and `whoami`: choose the gateway and the credential that later
 * commands use.
 */

import { VERSION } from '../../adapters/config/version.ts'
import {
  findConfigPath,
  type StoredCredential,
  writeConfig,
} from '../../adapters/profiles/config-file.ts'
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { readSecret, SECRET_OPTIONS } from '../command/confirm.ts'
import { printFields } from '../command/print.ts'
import { type Fields, openAdminClient, toAdminClient, toFields } from '../gateway/admin-client.ts'
import { issueUserKey } from '../gateway/keep-user-key.ts'
import { type Keys, putInKeyring, removeFromKeyring } from '../gateway/keyring.ts'
import {
  findProfile,
  readConfigFile,
  readKeys,
  type Target,
  toAddresses,
  URL_VARIABLE,
} from '../gateway/target.ts'
import { findClients } from '../sign-in/find-issuer.ts'
import { revokeLogin } from '../sign-in/fresh-login.ts'
import { probeAdminApi } from '../sign-in/recognize-server.ts'
import { SIGN_IN_OPTIONS, signIn } from '../sign-in/sign-in.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'

/**
 * The form of a profile's name, which becomes part of file names of keyrings and of command lines.
 */
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

async function login(call: Invocation): Promise<ExitCode> {
  const { shell } = call
  const { name, urls, userKey } = await findPlace(call)
  const chosen = await chooseCredential(call, urls.adminUrl)
  const keys = { ...chosen, key: readUserKey(call) ?? userKey }
  const target = { profile: name, ...urls, ...keys }
  const { role, name: who } = await tryKeys(call, target)
  const key = await makeUserKey(call, target)
  const credential = await storeKeys(call, name, { ...keys, key })
  const config = readConfigFile(shell)
  const profiles = { ...config.profiles, [name]: { ...urls, credential } }
  writeConfig(findConfigPath(shell), { current: name, profiles })
  const issuer = keys.login?.issuer
  const signedIn = issuer === undefined ? {} : { name: who, role, issuer }
  printFields(call, { profile: name, ...urls, store: credential.store, ...signedIn }, [
    ['profile', name],
    ['admin API', urls.adminUrl],
    ['MCP', urls.mcpUrl],
    ['signed in', issuer === undefined ? undefined : `${who}, ${role}`],
    ['user key', key === undefined ? undefined : `${key.slice(0, 8)}…`],
    ['keys in', credential.store],
  ])
  if (key === undefined) {
    printNote(shell, 'tools and call need a key of a user: skillgate keys issue UID --save')
  }
  await noteOtherVersion(call, target)
  return EXIT.ok
}

/** Returns the key of the option --user, newly issued; else the key that the profile has. */
async function makeUserKey(call: Invocation, target: Target): Promise<string | undefined> {
  const uid = getOption(call, 'user')
  if (uid === undefined) return target.key
  const { key } = await issueUserKey(toAdminClient(call, target), uid)
  return typeof key === 'string' ? key : undefined
}

/** Commands of another version may send what this gateway does not know. */
async function noteOtherVersion(call: Invocation, target: Target): Promise<void> {
  const document = await toAdminClient(call, target).send({ method: 'GET', path: '/openapi.json' })
  const { version } = toFields(document['info'])
  if (version === VERSION) return
  printNote(
    call.shell,
    `The gateway has version ${toOneLine(String(version))}, and this command line has ${VERSION}.`,
  )
}

type Place = {
  readonly name: string
  readonly urls: { readonly adminUrl: string; readonly mcpUrl: string }
  /** The user's key that the profile has already. */
  readonly userKey: string | undefined
}

/** Returns the profile to write: a new one for a URL, else the one in use, which keeps its key. */
async function findPlace(call: Invocation): Promise<Place> {
  const { shell } = call
  const url = getArgument(call, 'URL')
  const given = getOption(call, 'name')
  if (given !== undefined && !PROFILE_NAME.test(given)) {
    throw toUsageFault(
      `--name: ${given} is not a valid name for a profile.`,
      'Use a-z, 0-9, - and _, 64 at most.',
    )
  }
  const mcpUrl = getOption(call, 'mcp-url')
  if (url !== '') {
    return { name: given ?? 'default', urls: toAddresses(url, mcpUrl), userKey: undefined }
  }
  const found = findProfile(call)
  if (found === undefined) {
    throw toUsageFault(`${URL_VARIABLE} is no profile to sign in to.`, 'Give the URL.')
  }
  const { adminUrl, mcpUrl: keptUrl } = found.profile
  const { key } = await readKeys(shell, found.name, found.profile)
  const urls = toAddresses(adminUrl, mcpUrl ?? keptUrl)
  return { name: given ?? found.name, urls, userKey: key }
}

/**
 * Takes the admin key from where the options or a pipe give one. Otherwise a person signs in at the
 * issuer of the gateway, or types the key if the gateway has no issuer.
 */
async function chooseCredential(call: Invocation, adminUrl: string): Promise<Keys> {
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

/** Tries the credential before it is kept. A sign-in that opens nothing is ended again. */
async function tryKeys(call: Invocation, target: Target): Promise<Fields> {
  const { login: made } = target
  if (made === undefined) return fetchIdentity(call, target)
  try {
    // Not renewed yet: the profile of this name may still have an earlier sign-in.
    const login = { ...made, expiresAtMs: Number.POSITIVE_INFINITY }
    return await fetchIdentity(call, { ...target, login })
  } catch (cause) {
    await revokeLogin(call, made)
    throw cause
  }
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
 * credential.
 */
async function fetchIdentity(call: Invocation, target: Target): Promise<Fields> {
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
  const { adminKey, key, login: kept } = keys
  return {
    store: 'file',
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(key === undefined ? {} : { key }),
    ...(kept === undefined ? {} : { login: kept }),
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

/**
 * Removes a profile and its keys, and ends its sign-in. If it was the current profile, none is
 * current afterwards.
 */
export async function removeProfile(call: Invocation, name: string): Promise<void> {
  const { shell } = call
  const dropped = readConfigFile(shell).profiles[name]
  if (dropped !== undefined) {
    const { login: kept } = await readKeys(shell, name, dropped)
    if (kept !== undefined) await revokeLogin(call, kept)
  }
  if (dropped?.credential.store === 'keyring') await removeFromKeyring(shell, name)
  // Read again: another command may have written the file meanwhile.
  const { current, profiles: all } = readConfigFile(shell)
  const { [name]: _, ...profiles } = all
  const profileChange = current === undefined || current === name ? {} : { current }
  writeConfig(findConfigPath(shell), { ...profileChange, profiles })
}

async function whoami(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { adminKey, adminUrl, key, login: kept, mcpUrl, profile } = admin.target
  const { identityId, name, role } = await fetchIdentity(call, admin.target)
  // An admin key in the environment has precedence over the sign-in of the profile.
  const issuer = adminKey === undefined ? kept?.issuer : undefined
  const shown = {
    profile,
    adminUrl,
    mcpUrl,
    name,
    role,
    identityId,
    issuer,
    key: key !== undefined,
  }
  printFields(call, shown, [
    ['profile', profile],
    ['admin API', adminUrl],
    ['MCP', mcpUrl],
    [issuer === undefined ? 'admin key' : 'signed in', `${name}, ${role}`],
    ['issuer', issuer],
    ['user key', key === undefined ? 'none' : `${key.slice(0, 8)}…`],
  ])
  return EXIT.ok
}

export const SIGN_IN_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'Sign in and keep the credential in a profile',
    details:
      'If the gateway has an issuer, your browser opens and you sign in there; without a browser, a page and a code are printed for another device. If the gateway takes keys alone, or with --from-env, --from-file or a pipe, it is the admin key that is kept. The credential is tried first. It goes into the keyring of the system where there is one, else into a file that only you can read. Commands renew a sign-in by themselves.',
    arguments: [
      {
        name: 'URL',
        help: 'the origin of a gateway, or the address of its admin API; without it, sign in to the profile in use again',
        optional: true,
      },
    ],
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
      { flag: 'user', value: 'UID', help: 'issue a key for this user and keep it likewise' },
      { flag: 'store', value: 'STORE', help: 'where the keys go', choices: ['keyring', 'file'] },
      ...SIGN_IN_OPTIONS,
      ...SECRET_OPTIONS,
    ],
    examples: [
      {
        says: 'Sign in to a twin, with the admin key that its start printed',
        line: 'skillgate login http://127.0.0.1:8787 --name twin --from-env ADMIN_KEY',
      },
      {
        says: 'Sign in, and call tools as the user demo afterwards',
        line: 'skillgate login http://127.0.0.1:8787 --name twin --user demo --from-env ADMIN_KEY',
      },
      {
        says: 'Sign in as yourself, in the browser',
        line: 'skillgate login https://gateway.example.com',
        untested: 'needs a person and an issuer',
      },
    ],
    prints: 'the profile, without its keys',
    data: 'record',
    run: login,
  },
  {
    name: 'logout',
    summary: 'Forget a profile and its keys, and end its sign-in',
    arguments: [],
    options: [],
    examples: [{ says: 'Sign out', line: 'skillgate logout --profile twin' }],
    prints: 'nothing',
    data: 'none',
    run: logout,
  },
  {
    name: 'whoami',
    summary: 'Show the gateway in use, and whether it accepts the credential',
    arguments: [],
    options: [],
    examples: [{ says: 'Try the profile', line: 'skillgate whoami' }],
    prints: 'profile and addresses',
    data: 'record',
    run: whoami,
  },
]
