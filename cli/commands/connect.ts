/**
 * The command `connect`: adds the gateway to the configuration of an MCP client, by the client's
 * own command or in its file. The entry refers to a variable for the key, unless the client
 * supports none; with --login it has no credential. A project file never holds the key.
 */

import { findNearest } from '../../core/settings/nearest.ts'
import type { Auth, Client, ConfigPlace, Scope, Server } from '../clients/client.ts'
import { KEY_VARIABLE } from '../clients/client.ts'
import { CLIENTS } from '../clients/clients.ts'
import { type ConfigChange, planChange, readConnectionState } from '../clients/config-change.ts'
import { makeChange } from '../clients/make-change.ts'
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import { readResource, toMetadataUrl } from '../gateway/login-documents.ts'
import { toMcpClient } from '../gateway/mcp-client.ts'
import { findTarget, type Target } from '../gateway/target.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'

const SERVER_NAME = /^[a-z0-9_-]{1,64}$/

async function connect(call: Invocation): Promise<ExitCode> {
  const id = call.words['CLIENT']?.[0]
  if (isOn(call, 'list') || id === undefined) return list(call)
  const client = findClient(id)
  const place = findPlace(client, getOption(call, 'scope'))
  const name = getOption(call, 'name') ?? 'skillgate'
  if (!SERVER_NAME.test(name)) {
    throw toUsageFault(
      `--name: ${name} is not a valid name for a server.`,
      'Use a-z, 0-9, - and _, 64 at most.',
    )
  }
  const removes = isOn(call, 'remove')
  const target = removes ? undefined : await findTarget(call)
  const auth: Auth =
    target === undefined ? { kind: 'variable' } : await chooseAuth(call, { client, place, target })
  const server = { name, url: target?.mcpUrl ?? '', auth }
  const change = planChange(call, { client, place, server, removes })
  if (isOn(call, 'print')) {
    printFile(call, change)
    return EXIT.ok
  }
  await makeChange(call, change)
  if (target !== undefined) await sayNext(call, client, { server, target })
  return EXIT.ok
}

function printFile({ shell }: Invocation, { after, client }: ConfigChange): void {
  if (client.format === 'json') shell.out.writeJson(after)
  else shell.out.write(after)
}

type Choice = { readonly client: Client; readonly place: ConfigPlace; readonly target: Target }

async function chooseAuth(call: Invocation, choice: Choice): Promise<Auth> {
  if (isOn(call, 'login')) {
    await checkLogin(call, choice)
    return { kind: 'login' }
  }
  const key = chooseKeyInFile(call, choice)
  return key === undefined ? { kind: 'variable' } : { kind: 'key', key }
}

/** Throws a CommandFault if the client or the gateway has no login. */
async function checkLogin(call: Invocation, { client, target }: Choice): Promise<void> {
  if (isOn(call, 'key-in-file')) {
    throw toUsageFault('--login writes no key into the file.', 'Leave --key-in-file out.')
  }
  if (client.login === undefined) {
    throw new CommandFault(`No login is known for ${client.title}.`, {
      remedy: 'Leave --login out: the client then uses the key.',
    })
  }
  const found = await readResource(call, toMetadataUrl(target.mcpUrl))
  if (found.kind === 'absent') {
    throw new CommandFault(`${target.mcpUrl} has no login.`, {
      remedy: 'Leave --login out to use the key. A twin has a login with npm start -- --login.',
    })
  }
  if (found.resource === target.mcpUrl) return
  throw new CommandFault(`The login of ${target.mcpUrl} is for ${found.resource}.`, {
    remedy: `Sign in with skillgate login ${target.adminUrl} --mcp-url ${found.resource}`,
  })
}

/** Returns the key to write into the file; undefined if the entry refers to the variable. */
function chooseKeyInFile(call: Invocation, { client, place, target }: Choice): string | undefined {
  const wanted = isOn(call, 'key-in-file') || !client.hasVariables
  if (!wanted) return undefined
  if (place.scope === 'project') {
    throw toUsageFault(
      'A project file never holds a key: others can read it.',
      'Leave --key-in-file out.',
    )
  }
  if (target.key !== undefined) return target.key
  throw new CommandFault(
    `Profile ${target.profile} has no user key, which ${client.title} needs.`,
    {
      exitCode: EXIT.unauthenticated,
      remedy: `Make one with skillgate keys issue UID, and set it in ${KEY_VARIABLE}.`,
    },
  )
}

/** Says what a person does next. With a key, tries it. */
async function sayNext(
  call: Invocation,
  client: Client,
  { server, target }: { readonly server: Server; readonly target: Target },
): Promise<void> {
  const { shell } = call
  switch (server.auth.kind) {
    case 'login':
      printNote(shell, client.login?.(server.name) ?? '')
      return
    case 'variable':
      printNote(
        shell,
        client.inputs === undefined
          ? `${client.title} takes the key from ${KEY_VARIABLE}: set it where you start it.`
          : `${client.title} asks for the key once.`,
      )
      return tryKey(call, target)
    case 'key':
      return tryKey(call, target)
    default:
      return server.auth satisfies never
  }
}

async function tryKey(call: Invocation, target: Target): Promise<void> {
  const tools = await toMcpClient(call, target).tools()
  const keyNote = target.key === undefined ? 'without a key' : 'with the key of the profile'
  const names = tools.slice(0, 5).map(({ name }) => name)
  printNote(
    call.shell,
    `${tools.length} tools ${keyNote}: ${names.join(', ')}${tools.length > 5 ? ', …' : ''}`,
  )
}

async function list(call: Invocation): Promise<ExitCode> {
  const rows = CLIENTS.flatMap((client) =>
    client.places.map((place) => ({
      client: client.id,
      scope: place.scope,
      ...readConnectionState(call, { client, place, name: getOption(call, 'name') ?? 'skillgate' }),
    })),
  )
  printRows(call, rows, [
    { head: 'CLIENT', field: 'client', kind: 'name' },
    { head: 'SCOPE', field: 'scope', kind: 'name' },
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'FILE', field: 'file' },
  ])
  return EXIT.ok
}

function findClient(id: string): Client {
  const client = CLIENTS.find((one) => one.id === id)
  if (client !== undefined) return client
  const ids = CLIENTS.map((one) => one.id)
  const suggestion = findNearest(id, ids)
  const remedy =
    suggestion === undefined ? `Write one of ${ids.join(', ')}.` : `Did you mean ${suggestion}?`
  throw toUsageFault(`${id} is not a client that is known here.`, remedy)
}

function findPlace(client: Client, scope: string | undefined): ConfigPlace {
  const place = client.places.find((one) => one.scope === (scope ?? 'user'))
  if (place !== undefined) return place
  const scopes = client.places.map((one) => one.scope).join(', ')
  throw toUsageFault(`${client.title} has no file of the scope ${scope}.`, `Its scopes: ${scopes}.`)
}

const SCOPES: readonly Scope[] = ['user', 'project', 'local']

export const CONNECT_COMMAND: Command = {
  name: 'connect',
  summary: 'Connect an MCP client to the gateway',
  details: `Changes the client's configuration by its own command where that is installed, else in its file: comments stay, the file as it was is kept beside it without the gateway, and an invalid file is refused. What is shown of the change masks values of other servers. In a project, a link that leads out of it is refused. The client takes the key from the variable ${KEY_VARIABLE}, or asks for it (VS Code). The clients that know no variables get the key itself, in a file that only you can read; a project file never holds it. With --login the entry has no key, and the client opens a browser where you log in; the gateway must have a login. --remove takes it out of the kept copy, too.`,
  arguments: [
    {
      name: 'CLIENT',
      help: `${CLIENTS.map(({ id }) => id).join(', ')}; without it as --list`,
      optional: true,
      completes: 'clients',
    },
  ],
  options: [
    { flag: 'list', help: 'show clients, their files, and which are connected' },
    { flag: 'scope', value: 'SCOPE', help: 'whose file (user)', choices: SCOPES },
    { flag: 'name', value: 'NAME', help: 'name of the server in the client (skillgate)' },
    { flag: 'print', help: 'print the file as it would be, and change nothing' },
    { flag: 'remove', help: 'take the gateway out of the file' },
    { flag: 'key-in-file', help: 'write the key itself into a file of yours' },
    { flag: 'login', help: 'write no key: the client opens a browser to log in' },
    { flag: 'edit-file', help: "edit the file even where the client's own command is installed" },
  ],
  examples: [
    { says: 'See which clients are connected', line: 'skillgate connect --list' },
    {
      says: 'Show what would be written for a project',
      line: 'skillgate connect claude-code --scope project --print',
    },
    { says: 'Connect Cursor', line: 'skillgate connect cursor' },
    {
      says: 'Connect Claude Code, which then opens a browser',
      line: 'skillgate connect claude-code --login',
      untested: 'needs a gateway with a login',
    },
    { says: 'Disconnect Cursor', line: 'skillgate connect cursor --remove' },
  ],
  prints: 'with --list a row for each file, with --print the file; otherwise nothing',
  data: 'rows',
  run: connect,
}
