/** The commands `profile ls`, `use`, `key` and `rm`. */
import {
  findConfigPath,
  type StoredProfile,
  writeConfig,
} from '../../adapters/profiles/config-file.ts'
import { type Argument, type Command, getArgument, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printRows } from '../command/print.ts'
import { findProfile, readConfigFile, readKeys, URL_VARIABLE } from '../gateway/target.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { removeProfile } from './sign-in.ts'

const NAME: Argument = { name: 'NAME', help: 'the profile', completes: 'profiles' }

async function list(call: Invocation): Promise<ExitCode> {
  const { current, profiles } = readConfigFile(call.shell)
  const rows = Object.entries(profiles).map(([name, { adminUrl, credential, mcpUrl }]) => ({
    name,
    current: name === current,
    adminUrl,
    mcpUrl,
    store: credential.store,
  }))
  printRows(call, rows, [
    { head: '', field: 'current', of: (row) => (row.current ? '*' : ''), kind: 'state' },
    { head: 'NAME', field: 'name', kind: 'name' },
    { head: 'ADMIN API', field: 'adminUrl' },
    { head: 'KEYS IN', field: 'store' },
  ])
  return EXIT.ok
}

async function use(call: Invocation): Promise<ExitCode> {
  const name = getArgument(call, 'NAME')
  const { profiles } = readConfigFile(call.shell)
  assertProfile(profiles, name)
  writeConfig(findConfigPath(call.shell), { current: name, profiles })
  printNote(call.shell, `Commands now use the profile ${name}.`)
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const name = getArgument(call, 'NAME')
  assertProfile(readConfigFile(call.shell).profiles, name)
  if (!(await askConfirmation(call, `Forget profile ${name} and its keys?`))) return EXIT.failed
  await removeProfile(call, name)
  return EXIT.ok
}

/** Prints the key of the profile, also where SKILLGATE_KEY has another one. */
async function printKey(call: Invocation): Promise<ExitCode> {
  const { out } = call.shell
  if (out.isTTY) {
    throw toUsageFault(
      'The key is not shown on a terminal.',
      'Pipe it on: export SKILLGATE_KEY="$(skillgate profile key)"',
    )
  }
  const found = findProfile(call)
  if (found === undefined) {
    throw toUsageFault(`${URL_VARIABLE} is no profile.`, 'Give --profile NAME.')
  }
  const { key } = await readKeys(call.shell, found.name, found.profile)
  if (key === undefined) {
    throw new CommandFault(`Profile ${found.name} has no user key.`, {
      exitCode: EXIT.unauthenticated,
      remedy: 'Make one with skillgate keys issue UID.',
    })
  }
  out.write(`${key}\n`)
  return EXIT.ok
}

function assertProfile(profiles: { readonly [name: string]: StoredProfile }, name: string): void {
  if (profiles[name] === undefined) {
    throw toUsageFault(`There is no profile ${name}.`, 'See skillgate profile ls.')
  }
}

export const PROFILE_COMMANDS: readonly Command[] = [
  {
    name: 'profile ls',
    summary: 'List profiles',
    arguments: [],
    options: [],
    examples: [{ says: 'List the gateways that you can administer', line: 'skillgate profile ls' }],
    prints: 'a row for each profile; * marks the current one',
    data: 'rows',
    run: list,
  },
  {
    name: 'profile use',
    summary: 'Make a profile the current one',
    arguments: [NAME],
    options: [],
    examples: [{ says: 'Use the twin from now on', line: 'skillgate profile use local' }],
    prints: 'nothing',
    data: 'none',
    run: use,
  },
  {
    name: 'profile key',
    summary: "Print the user's key of a profile, for a pipe or a variable",
    details:
      'The line connect prints for SKILLGATE_KEY has this command in place of the key. Refused on a terminal, where others may see it.',
    arguments: [],
    options: [],
    examples: [
      {
        says: 'Set the variable that clients take the key from',
        line: 'export SKILLGATE_KEY="$(skillgate profile key)"',
        untested: 'is a line for a shell',
      },
    ],
    prints: 'the key',
    data: 'none',
    run: printKey,
  },
  {
    name: 'profile rm',
    summary: 'Forget a profile and its keys',
    arguments: [NAME],
    options: [YES],
    examples: [{ says: 'Forget a gateway', line: 'skillgate profile rm old --yes' }],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]
