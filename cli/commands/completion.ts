/** The command `completion`, and the hidden command that its scripts run while a person types. */
import { isOnPath, PROGRAM } from '../../adapters/profiles/program-name.ts'
import { readStagesFile } from '../../adapters/stages/config-file.ts'
import { listStageNames } from '../../core/settings/stage-records.ts'
import { CLIENTS } from '../clients/clients.ts'
import {
  type Command,
  type CompletionSource,
  getArgument,
  getOption,
  type Invocation,
} from '../command/command.ts'
import { completeWords } from '../command/complete.ts'
import { type Completed, getCompletionScript, SHELLS } from '../command/completion-scripts.ts'
import { type AdminRequest, openAdminClient } from '../gateway/admin-client.ts'
import { openMcpClient } from '../gateway/mcp-client.ts'
import { readConfigFile } from '../gateway/target.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'

/** Longest wait for values, because a person waits after pressing Tab. */
const FETCH_TIMEOUT_MS = 2_000
/** Most values that are offered; typing narrows them. */
const VALUES_MAX = 100

async function printScript(call: Invocation): Promise<ExitCode> {
  const shell = SHELLS.find((one) => one === getArgument(call, 'SHELL'))
  if (shell === undefined) {
    throw toUsageFault(
      `${getArgument(call, 'SHELL')} is not a shell with completion.`,
      `Write one of ${SHELLS.join(', ')}.`,
    )
  }
  call.shell.out.write(getCompletionScript(shell, findCompleted(call)))
  return EXIT.ok
}

/** Chooses what the script completes: a name that the shell knows, or one that the script makes. */
function findCompleted(call: Invocation): Completed {
  const { env, platform, program } = call.shell
  const given = getOption(call, 'name')
  const name = given ?? PROGRAM
  if (!NAME.test(name)) {
    throw toUsageFault(
      `--name: ${name} is not a name that a shell can start.`,
      'Use letters, digits, dots, - and _, 64 at most.',
    )
  }
  const isThere = isOnPath(name, { path: env['PATH'], platform })
  // A given name may be an alias, of which a script that runs in no shell has no knowledge.
  return { name, program: isThere ? name : program, isMissing: given === undefined && !isThere }
}

const NAME = /^[\w][\w.-]{0,63}$/

/**
 * Prints the words that may come next. Prints nothing on an error, because the person is in the
 * middle of a line.
 */
async function printCandidates(call: Invocation, commands: readonly Command[]): Promise<ExitCode> {
  const words = call.rest.map((word) => (word === '""' ? '' : word))
  const found = await completeWords(words, commands, (source) =>
    fetchValuesOrNone(call, source, words),
  )
  for (const word of found) call.shell.out.write(`${word}\n`)
  return EXIT.ok
}

async function fetchValuesOrNone(
  call: Invocation,
  source: CompletionSource,
  words: readonly string[],
): Promise<readonly string[]> {
  const profile = words[words.indexOf('--profile') + 1]
  const given = words.includes('--profile') && profile !== undefined ? { profile: [profile] } : {}
  const signal = AbortSignal.any([call.shell.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
  try {
    return await fetchValues({ ...call, given, shell: { ...call.shell, signal } }, source)
  } catch {
    return []
  }
}

async function fetchValues(call: Invocation, source: CompletionSource): Promise<readonly string[]> {
  switch (source) {
    case 'profiles':
      return Object.keys(readConfigFile(call.shell).profiles)
    case 'stages':
      return listStageNames(readStagesFile(call.shell).records)
    case 'shells':
      return SHELLS
    case 'tools':
      return (await (await openMcpClient(call)).tools()).map(({ name }) => name)
    case 'skills':
      return fetchIds(call, '/skills', 'skillId')
    case 'upstreams':
      return fetchIds(call, '/upstreams', 'id', {})
    case 'guides':
      return fetchIds(call, '/guides', 'guideId')
    case 'users':
      return fetchIds(call, '/users', 'uid')
    case 'clients':
      return CLIENTS.map(({ id }) => id)
    case 'commands':
    case 'files':
      return []
    default:
      return source satisfies never
  }
}

async function fetchIds(
  call: Invocation,
  path: string,
  field: string,
  query: AdminRequest['query'] = { limit: String(VALUES_MAX) },
): Promise<readonly string[]> {
  const admin = await openAdminClient(call)
  const page = await admin.send({ method: 'GET', path, query })
  const rows: readonly unknown[] = Object.values(page).find(Array.isArray) ?? []
  return rows.flatMap((row) => {
    const value = typeof row === 'object' && row !== null ? Reflect.get(row, field) : undefined
    return typeof value === 'string' ? [value] : []
  })
}

export const COMPLETION_COMMANDS: readonly Command[] = [
  {
    name: 'completion',
    summary: 'Print the script that completes commands in your shell',
    details:
      'The first lines of the script say where it goes. It completes skillgate where that is installed. Started by npx, it also makes skillgate a name for that, since shells complete the first word of a line and npx completes its own words. With --name it completes an alias or another name of the program.',
    arguments: [{ name: 'SHELL', help: SHELLS.join(', '), completes: 'shells' }],
    options: [{ flag: 'name', value: 'NAME', help: 'the name that you type (skillgate)' }],
    examples: [
      { says: 'Complete in bash', line: 'skillgate completion bash' },
      { says: 'Complete the alias sg', line: 'skillgate completion zsh --name sg' },
    ],
    prints: 'a script for that shell',
    data: 'none',
    run: printScript,
  },
  {
    name: '__complete',
    summary: 'Answer a completion script',
    arguments: [],
    options: [],
    examples: [],
    prints: 'a line for each word that may follow',
    data: 'none',
    passesOn: true,
    hidden: true,
    run: printCandidates,
  },
]
