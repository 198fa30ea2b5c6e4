/**
 * Chooses how a client proves who calls: by the options, or by an answer of the person on a
 * terminal. Throws a CommandFault for a way that the client, its file or the gateway does not have.
 */

import { type Auth, KEY_VARIABLE } from '../../core/clients/server-entry.ts'
import { type Invocation, isOn } from '../command/command.ts'
import { readResource, toMetadataUrl } from '../gateway/login-documents.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault, EXIT, toUsageFault } from '../terminal/exit-code.ts'
import type { Client, ConfigPlace } from './client.ts'

export type AuthChoice = {
  readonly client: Client
  readonly place: ConfigPlace
  readonly target: Target
}

export async function chooseAuth(call: Invocation, choice: AuthChoice): Promise<Auth> {
  if (isOn(call, 'login')) {
    await checkLogin(call, choice)
    return { kind: 'login' }
  }
  if (isOn(call, 'key-in-file')) return toKeyInFile(choice)
  const ways = mustAsk(call, choice) ? await listWays(call, choice) : []
  if (ways.length > 1) return askWay(call, choice, ways)
  return choice.client.hasVariables ? { kind: 'variable' } : toKeyInFile(choice)
}

type Way = { readonly says: string; readonly toAuth: (choice: AuthChoice) => Auth }

/** A variable that is set works, and `--print` changes nothing. A pipe has nobody to answer. */
function mustAsk(call: Invocation, { client }: AuthChoice): boolean {
  const { env, input } = call.shell
  const works = client.hasVariables && client.inputs === undefined && Boolean(env[KEY_VARIABLE])
  return input.isTTY && !isOn(call, 'print') && !works
}

/** Lists what works here, the simplest first. */
async function listWays(call: Invocation, choice: AuthChoice): Promise<readonly Way[]> {
  const { client, place, target } = choice
  const hasLogin = client.login !== undefined && (await offersLogin(call, target))
  const holdsKey = place.scope !== 'project' && target.key !== undefined
  return [
    ...(hasLogin
      ? [{ says: 'log in with a browser; no key', toAuth: () => ({ kind: 'login' }) as const }]
      : []),
    ...(client.hasVariables ? [describeVariable(client)] : []),
    // VS Code asks for the key by itself, which needs no question here.
    ...(holdsKey && (client.inputs === undefined || hasLogin)
      ? [{ says: 'write the key into its file, readable by you alone', toAuth: toKeyInFile }]
      : []),
  ]
}

/** A login that is set up wrongly is not offered; doctor says what is wrong with it. */
async function offersLogin(call: Invocation, target: Target): Promise<boolean> {
  try {
    return (await findLogin(call, target)) === target.mcpUrl
  } catch (cause) {
    if (!(cause instanceof CommandFault)) throw cause
    return false
  }
}

function describeVariable({ inputs, title }: Client): Way {
  const toAuth = () => ({ kind: 'variable' }) as const
  if (inputs !== undefined) return { says: `let ${title} ask for the key`, toAuth }
  return { says: `set the variable ${KEY_VARIABLE}; the next line says how`, toAuth }
}

async function askWay(call: Invocation, choice: AuthChoice, ways: readonly Way[]): Promise<Auth> {
  const rows = ways.map(({ says }, index) => `  ${index + 1}  ${says}\n`)
  const question = `How does ${choice.client.title} prove who you are?\n${rows.join('')}[1] `
  const answer = (await call.shell.input.ask(question)).trim()
  const way = ways[answer === '' ? 0 : Number(answer) - 1]
  if (way !== undefined) return way.toAuth(choice)
  throw toUsageFault(`${answer} is none of the answers.`, `Answer 1 to ${ways.length}.`)
}

/** Throws a CommandFault if the client or the gateway has no login. */
async function checkLogin(call: Invocation, { client, target }: AuthChoice): Promise<void> {
  if (isOn(call, 'key-in-file')) {
    throw toUsageFault('--login writes no key into the file.', 'Leave --key-in-file out.')
  }
  if (client.login === undefined) {
    throw new CommandFault(`No login is known for ${client.title}.`, {
      remedy: 'Leave --login out: the client then uses the key.',
    })
  }
  const resource = await findLogin(call, target)
  if (resource === undefined) {
    throw new CommandFault(`${target.mcpUrl} has no login.`, {
      remedy: 'Leave --login out to use the key. A twin has a login with skillgate dev -- --login.',
    })
  }
  if (resource === target.mcpUrl) return
  throw new CommandFault(`The login of ${target.mcpUrl} is for ${resource}.`, {
    remedy: `Sign in with skillgate login ${target.adminUrl} --mcp-url ${resource}`,
  })
}

/** Returns the URL that the login of the gateway is for; undefined for a gateway without one. */
async function findLogin(call: Invocation, { mcpUrl }: Target): Promise<string | undefined> {
  const found = await readResource(call, toMetadataUrl(mcpUrl))
  return found.kind === 'found' ? found.resource : undefined
}

function toKeyInFile({ client, place, target }: AuthChoice): Auth {
  if (place.scope === 'project') {
    throw toUsageFault(
      'A project file never holds a key: others can read it.',
      'Leave --key-in-file out.',
    )
  }
  if (target.key !== undefined) return { kind: 'key', key: target.key }
  throw new CommandFault(
    `Profile ${target.profile} has no user key, which ${client.title} needs.`,
    {
      exitCode: EXIT.unauthenticated,
      remedy: `Make one with skillgate keys issue UID, and set it in ${KEY_VARIABLE}.`,
    },
  )
}
