/** The commands `profile ls`, `use` and `rm`. */
import { configPath, type StoredProfile, writeConfig } from '../../adapters/profiles/config-file.ts'
import { type Argument, argument, type Command, type Invocation } from '../command/command.ts'
import { confirmed, YES } from '../command/confirm.ts'
import { printRows } from '../command/print.ts'
import { configOf } from '../gateway/target.ts'
import { EXIT, type ExitCode, usageFault } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { dropProfile } from './sign-in.ts'

const NAME: Argument = { name: 'NAME', help: 'the profile', completes: 'profiles' }

async function list(call: Invocation): Promise<ExitCode> {
  const { current, profiles } = configOf(call.shell)
  const rows = Object.entries(profiles).map(([name, { adminUrl, credential, mcpUrl }]) => ({
    name,
    current: name === current,
    adminUrl,
    mcpUrl,
    store: credential.store,
  }))
  printRows(call, rows, [
    { head: '', of: (row) => (row.current ? '*' : '') },
    { head: 'NAME', of: ({ name }) => name },
    { head: 'ADMIN API', of: ({ adminUrl }) => adminUrl },
    { head: 'KEYS IN', of: ({ store }) => store },
  ])
  return EXIT.ok
}

async function use(call: Invocation): Promise<ExitCode> {
  const name = argument(call, 'NAME')
  const { profiles } = configOf(call.shell)
  assertProfile(profiles, name)
  writeConfig(configPath(call.shell), { current: name, profiles })
  note(call.shell, `Commands now use the profile ${name}.`)
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const name = argument(call, 'NAME')
  assertProfile(configOf(call.shell).profiles, name)
  if (!(await confirmed(call, `Forget profile ${name} and its keys?`))) return EXIT.failed
  await dropProfile(call, name)
  return EXIT.ok
}

function assertProfile(profiles: { readonly [name: string]: StoredProfile }, name: string): void {
  if (profiles[name] === undefined) {
    throw usageFault(`There is no profile ${name}.`, 'See skillgate profile ls.')
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
    run: list,
  },
  {
    name: 'profile use',
    summary: 'Make a profile the current one',
    arguments: [NAME],
    options: [],
    examples: [{ says: 'Use the twin from now on', line: 'skillgate profile use local' }],
    prints: 'nothing',
    run: use,
  },
  {
    name: 'profile rm',
    summary: 'Forget a profile and its keys',
    arguments: [NAME],
    options: [YES],
    examples: [{ says: 'Forget a gateway', line: 'skillgate profile rm old --yes' }],
    prints: 'nothing',
    run: remove,
  },
]
