/**
 * The command `connect`: adds the gateway to the configuration of an MCP client, by the client's
 * own command or in its file. The entry refers to a variable for the key, unless the client
 * supports none; with --login it has no credential. A project file never holds the key.
 */

import { type Auth, KEY_VARIABLE, type Server } from '../../core/clients/server-entry.ts'
import { findNearest } from '../../core/settings/nearest.ts'
import { chooseAuth } from '../clients/choose-auth.ts'
import type { Client, ConfigPlace, Scope } from '../clients/client.ts'
import { CLIENTS } from '../clients/clients.ts'
import { type ConfigChange, planChange } from '../clients/config-change.ts'
import {
  type Connection,
  findKeySource,
  type KeySource,
  listConnections,
  openConnectionCheck,
} from '../clients/connections.ts'
import { formatKeyLine } from '../clients/key-line.ts'
import { makeChange } from '../clients/make-change.ts'
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import { toMcpClient } from '../gateway/mcp-client.ts'
import { findTarget, type Target } from '../gateway/target.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'

const SERVER_NAME = /^[a-z0-9_-]{1,64}$/

async function connect(call: Invocation): Promise<ExitCode> {
  const id = call.words['CLIENT']?.[0]
  if (isOn(call, 'list') || id === undefined) return list(call)
  const client = findClient(id)
  const place = findPlace(client, getOption(call, 'scope'))
  const name = readServerName(call)
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

function readServerName(call: Invocation): string {
  const name = getOption(call, 'name') ?? 'skillgate'
  if (SERVER_NAME.test(name)) return name
  throw toUsageFault(
    `--name: ${name} is not a valid name for a server.`,
    'Use a-z, 0-9, - and _, 64 at most.',
  )
}

function printFile({ shell }: Invocation, { after, client }: ConfigChange): void {
  if (client.format === 'json') shell.out.writeJson(after)
  else shell.out.write(after)
}

/** Says what a person does next, and tries what the client will send. */
async function sayNext(
  call: Invocation,
  client: Client,
  { server, target }: { readonly server: Server; readonly target: Target },
): Promise<void> {
  const { shell } = call
  const { kind } = server.auth
  if (kind !== 'login') await tryKey(call, target)
  if (kind === 'variable' && client.inputs !== undefined) {
    printNote(shell, `${client.title} asks for the key once.`)
  }
  if (kind === 'variable' && client.inputs === undefined) sayVariable(call, client, target)
  printNote(shell, client.reload)
  if (kind === 'login') printNote(shell, client.login?.(server.name) ?? '')
  printNote(shell, `Then ask it "${FIRST_QUESTION}", which is a free call.`)
  const own = client.own === undefined ? '' : `, or ${client.own.check}`
  printNote(shell, `To check: skillgate connect --list --check${own}`)
}

/** The account tool answers it, which every gateway has. */
const FIRST_QUESTION = 'How many Skillgate credits do I have?'

async function tryKey(call: Invocation, target: Target): Promise<void> {
  const tools = await toMcpClient(call, target).tools()
  const keyNote = target.key === undefined ? 'without a key' : 'with the key of the profile'
  const names = tools.slice(0, 5).map(({ name }) => name)
  printNote(
    call.shell,
    `${tools.length} tools ${keyNote}: ${names.join(', ')}${tools.length > 5 ? ', …' : ''}`,
  )
}

/** Prints the line that sets the variable, unless it is set. */
function sayVariable({ shell }: Invocation, client: Client, { key, profile }: Target): void {
  const { env, platform } = shell
  if (env[KEY_VARIABLE]) {
    printNote(shell, `${client.title} takes the key from ${KEY_VARIABLE}, which is set here.`)
    return
  }
  const needs = `${client.title} takes the key from ${KEY_VARIABLE}, which is not set here.`
  if (key === undefined) {
    const remedy = 'Make a key with skillgate keys issue UID, and set the variable to it.'
    printNote(shell, `${needs} Profile ${profile} has no user key: ${remedy}`)
    return
  }
  const command = `skillgate profile key --profile ${profile}`
  const { line, stays } = formatKeyLine(command, { platform, shell: env['SHELL'] })
  printNote(shell, `${needs} Set it where you start ${client.title}:\n\n  ${line}\n\n${stays}`)
  if (client.isDesktop === true && platform !== 'win32') {
    printNote(
      shell,
      `${client.title} has the variables of a shell only if you start it there. Otherwise: skillgate connect ${client.id} --key-in-file`,
    )
  }
}

type Row = {
  readonly client: string
  readonly scope: string
  readonly state: string
  readonly key?: KeySource
  readonly url?: string
  readonly works?: string
  readonly file: string
}

async function list(call: Invocation): Promise<ExitCode> {
  const connections = listConnections(call, readServerName(call))
  const tryConnection = isOn(call, 'check')
    ? openConnectionCheck(call, await findTarget(call))
    : undefined
  const rows: Row[] = []
  for (const connection of connections) rows.push(await toRow(call, connection, tryConnection))
  printRows(call, rows, [
    { head: 'CLIENT', field: 'client', kind: 'name' },
    { head: 'SCOPE', field: 'scope', kind: 'name' },
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'KEY', field: 'key', kind: 'state' },
    ...(tryConnection === undefined
      ? []
      : [{ head: 'WORKS', field: 'works', kind: 'state' as const }]),
    { head: 'FILE', field: 'file', of: ({ file }) => shortenHome(call, file) },
  ])
  return rows.some(({ works }) => works?.startsWith('no') === true) ? EXIT.failed : EXIT.ok
}

/** A path below the home folder begins with `~` on a terminal, where there is little room. */
function shortenHome({ shell: { home, out } }: Invocation, file: string): string {
  return out.isTTY && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
}

async function toRow(
  call: Invocation,
  connection: Connection,
  tryConnection: ReturnType<typeof openConnectionCheck> | undefined,
): Promise<Row> {
  const { client, entry, file, scope, state } = connection
  if (entry === undefined) return { client: client.id, scope, state, file }
  const key = findKeySource(call, client, entry)
  const url = entry.url === undefined ? {} : { url: entry.url }
  const row = { client: client.id, scope, state, key, ...url, file }
  if (tryConnection === undefined) return row
  const { finding, ok } = await tryConnection(connection)
  const verdict = ok === undefined ? 'not tried' : ok ? 'yes' : 'no'
  return { ...row, works: `${verdict}: ${finding}` }
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
  details: `Changes the client's configuration by its own command where that is installed, else in its file: comments stay, the file as it was is kept beside it without the gateway, and an invalid file is refused. What is shown of the change masks values of other servers. In a project, a link that leads out of it is refused. The client takes the key from the variable ${KEY_VARIABLE}, or asks for it (VS Code). On a terminal it asks if that variable is not set; in a pipe it prints the line that sets it. The clients that know no variables get the key itself, in a file that only you can read; a project file never holds it. With --login the entry has no key, and the client opens a browser where you log in; the gateway must have a login. --remove takes it out of the kept copy, too.`,
  arguments: [
    {
      name: 'CLIENT',
      help: `${CLIENTS.map(({ id }) => id).join(', ')}; without it as --list`,
      optional: true,
      completes: 'clients',
    },
  ],
  options: [
    { flag: 'list', help: 'show clients, their files, which are connected, and by what' },
    { flag: 'check', help: 'with --list: list tools with what each connected client sends' },
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
    { says: 'See whether they work', line: 'skillgate connect --list --check' },
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
  prints:
    'with --list a row for each file, with --print the file; otherwise nothing. With --check, a client that does not work makes the exit code 1',
  data: 'rows',
  run: connect,
}
