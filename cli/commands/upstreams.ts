/**
 * The commands `upstreams ls`, `show`, `refresh`, `approve` and `rm`: MCP servers whose tools are
 * skills (docs/upstreams.md). An approval names the digest of what was shown.
 */
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printJson, printRows } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
  toRows,
  toTexts,
} from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { printNote } from '../terminal/shell.ts'
import { printTable, toOneLine } from '../terminal/table.ts'
import { formatWaiting, isWaiting, printChanged } from '../upstreams/print-plan.ts'
import { describeCalls, printTool } from '../upstreams/print-tool.ts'
import {
  AS_USER,
  toPersonShell,
  toUpstreamPath,
  UPSTREAM,
  withUpstream,
} from '../upstreams/upstream-rows.ts'
import { PUT_UPSTREAM_COMMANDS } from './put-upstream.ts'
import { toText } from './users.ts'

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const found = await admin.send({ method: 'GET', path: '/upstreams' })
  printRows<Fields>(call, toRows(found['upstreams']), [
    { head: 'UPSTREAM', field: 'id', kind: 'id' },
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'TOOLS', field: 'tools', right: true },
    { head: 'WAITING', of: (row) => formatWaiting(row['counts']) },
    { head: 'URL', of: (row) => toText(toFields(row['settings'])['url']), field: 'url' },
  ])
  return EXIT.ok
}

async function show(typed: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(typed)
  const call = await withUpstream(typed, admin)
  const name = call.words['TOOL']?.[0]
  const shown = await admin.send({
    method: 'GET',
    path: toUpstreamPath(call),
    query: { tool: name },
  })
  if (isOn(call, 'json')) printJson(call, shown)
  else if (name === undefined) printUpstream(call, shown)
  else for (const tool of toRows(shown['tools'])) printTool(call.shell, tool)
  return EXIT.ok
}

function printUpstream(call: Invocation, shown: Fields): void {
  const { by, lastFailure, listedAtMs, nextRefreshAtMs, server, state, updatedAtMs } = shown
  const settings = toFields(shown['settings'])
  const tools = toRows(shown['tools'])
  const { name, version } = toFields(server)
  printFields(call, shown, [
    ['upstream', toText(shown['id'])],
    ['state', toText(state), 'state'],
    ['fails with', toText(lastFailure)],
    ['url', toText(settings['url'])],
    ['auth', describeAuth(settings['auth'])],
    ['server', name === undefined ? undefined : `${name} ${version}`],
    ['protocol', toText(shown['protocol'])],
    ['prefix', `${settings['prefix']} (${settings['source']})`],
    ['include', formatList(settings['include'])],
    ['exclude', formatList(settings['exclude'])],
    ['credits', formatPrices(settings)],
    ['groups', formatList(settings['groups'])],
    ['pins', toText(settings['pins'])],
    ['resources', settings['resources'] === true ? 'agents read them' : undefined],
    ['listed', listedAtMs, 'time'],
    ['next refresh', nextRefreshAtMs ?? 'by hand alone', 'time'],
    ['set', updatedAtMs, 'time'],
    ['set by', toText(by)],
  ])
  if (tools.length === 0) return
  call.shell.out.write('\n')
  printTable<Fields>(call.shell, tools, [
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'CALLS', of: describeCalls, kind: 'state' },
    { head: 'TOOL', field: 'tool', kind: 'id' },
  ])
  for (const tool of tools) printDifference(call, tool)
  const waiting = formatWaiting(shown['counts'])
  if (waiting === undefined) return
  const see = `skillgate upstreams show ${shown['id']} TOOL shows one.`
  printNote(call.shell, `Waiting for an approval: ${waiting}. ${see}`)
}

function printDifference(call: Invocation, { faults, fields, tool }: Fields): void {
  const changed = formatList(fields)
  const texts = [...(changed === undefined ? [] : [`differs in ${changed}`]), ...toTexts(faults)]
  for (const text of texts) call.shell.out.write(`${toOneLine(`${tool}: ${text}`)}\n`)
}

function describeAuth(auth: unknown): string | undefined {
  if (auth === undefined) return undefined
  const { grant, secret, type } = toFields(auth)
  return [type, grant, secret].filter((one) => one !== undefined).join(' ')
}

function formatList(value: unknown): string | undefined {
  return Array.isArray(value) && value.length > 0 ? value.join(', ') : undefined
}

function formatPrices({ credits, prices }: Fields): string {
  const byTool = Object.entries(toFields(prices)).map(([tool, price]) => `${tool} ${price}`)
  return [String(credits), ...byTool].join(', ')
}

async function refresh(typed: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(typed)
  const call = await withUpstream(typed, admin)
  const query = { uid: getOption(call, 'uid') }
  const request = { method: 'POST', path: `${toUpstreamPath(call)}:refresh`, query } as const
  const work = completeApply(call, admin, { request, name: 'refresh', isApply: true })
  showChanged(call, await withProgress(call.shell, 'Asking the server for its tools', work))
  return EXIT.ok
}

async function approve(typed: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(typed)
  const call = await withUpstream(typed, admin)
  const tools = await fetchWaiting(call, admin)
  const id = getArgument(call, 'UPSTREAM')
  const shell = toPersonShell(call)
  for (const [index, tool] of tools.entries()) {
    if (index > 0) shell.out.write('\n')
    printTool(shell, tool)
  }
  const names = tools.map((one) => String(one['tool']))
  if (!(await askConfirmation(call, `Approve ${names.join(', ')} of ${id} as shown?`))) {
    return EXIT.failed
  }
  const body = { tools: tools.map(({ digest, tool }) => ({ tool, digest })) }
  const request = { method: 'POST', path: `${toUpstreamPath(call)}:approve`, body } as const
  const work = completeApply(call, admin, { request, name: 'approval', isApply: true })
  showChanged(call, await withProgress(call.shell, `Approving tools of ${id}`, work))
  return EXIT.ok
}

/** Fetches each named tool in full, or with `--all` each that waits. */
async function fetchWaiting(call: Invocation, admin: AdminClient): Promise<readonly Fields[]> {
  const id = getArgument(call, 'UPSTREAM')
  const named = call.words['TOOL'] ?? []
  const digest = getOption(call, 'digest')
  if ((named.length === 0) !== isOn(call, 'all')) {
    throw toUsageFault('Name the tools, or give --all, and not both.', SEE(id))
  }
  if (digest !== undefined && named.length !== 1) {
    throw toUsageFault('--digest is of one tool.', 'Name one TOOL.')
  }
  const chosen = named.length > 0 ? named : await listWaiting(call, admin)
  const tools: Fields[] = []
  for (const tool of new Set(chosen)) {
    const shown = await admin.send({ method: 'GET', path: toUpstreamPath(call), query: { tool } })
    const found = toRows(shown['tools'])[0] ?? {}
    if (!isWaiting(found)) {
      throw new CommandFault(`${tool} does not wait: it is ${found['state']}.`, { remedy: SEE(id) })
    }
    if (digest !== undefined && digest !== found['digest']) {
      const remedy = `Look at it again: skillgate upstreams show ${id} ${tool}`
      throw new CommandFault(`${tool} has the digest ${found['digest']} by now.`, { remedy })
    }
    tools.push(found)
  }
  return tools
}

async function listWaiting(call: Invocation, admin: AdminClient): Promise<readonly string[]> {
  const shown = await admin.send({ method: 'GET', path: toUpstreamPath(call) })
  const waiting = toRows(shown['tools']).filter(isWaiting)
  if (waiting.length > 0) return waiting.map(({ tool }) => String(tool))
  throw new CommandFault(`No tool of ${getArgument(call, 'UPSTREAM')} waits for an approval.`)
}

const SEE = (id: string) => `See skillgate upstreams show ${id}.`

async function remove(typed: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(typed)
  const call = await withUpstream(typed, admin)
  const id = getArgument(call, 'UPSTREAM')
  // Fails for a wrong name before the person is asked.
  const shown = await admin.send({ method: 'GET', path: toUpstreamPath(call) })
  const skills = toRows(shown['tools']).filter(({ skillId }) => skillId !== undefined).length
  const question = `Delete upstream ${id} and its ${skills === 1 ? 'skill' : `${skills} skills`}?`
  if (!(await askConfirmation(call, question))) return EXIT.failed
  const request = { method: 'DELETE', path: toUpstreamPath(call) } as const
  await completeApply(call, admin, { request, name: 'deletion', isApply: true })
  printNote(
    call.shell,
    'Deleted. Agents no longer see its tools; calls may find them for 30 seconds.',
  )
  return EXIT.ok
}

function showChanged(call: Invocation, changed: Fields): void {
  if (isOn(call, 'json')) printJson(call, changed)
  else printChanged(call.shell, getArgument(call, 'UPSTREAM'), changed)
}

export const UPSTREAM_COMMANDS: readonly Command[] = [
  {
    name: 'upstreams ls',
    summary: 'List MCP servers whose tools are skills',
    arguments: [],
    options: [],
    examples: [{ says: 'List them', line: 'skillgate upstreams ls' }],
    prints: 'a row for each, with what waits for an approval',
    data: 'rows',
    run: list,
  },
  ...PUT_UPSTREAM_COMMANDS,
  {
    name: 'upstreams show',
    summary: 'Show an MCP server and its tools, or one tool with what changed',
    arguments: [UPSTREAM, { name: 'TOOL', help: "the server's name of a tool", optional: true }],
    options: [],
    examples: [
      { says: 'What a server has, and what waits', line: 'skillgate upstreams show files' },
      { says: 'One tool', line: 'skillgate upstreams show files read_file' },
    ],
    prints:
      'settings, state and tools; of one tool the lines that differ: - approved, + offered by the server',
    data: 'document',
    run: show,
  },
  {
    name: 'upstreams refresh',
    summary: 'Ask an MCP server for its tools now',
    details:
      'What its pins let through is applied; the rest waits. The gateway refreshes by itself, too.',
    arguments: [UPSTREAM],
    options: [AS_USER],
    examples: [{ says: 'Refresh it', line: 'skillgate upstreams refresh files' }],
    prints: 'the skills: + added, ~ changed, - removed; and what waits',
    data: 'document',
    run: refresh,
  },
  {
    name: 'upstreams approve',
    summary: 'Approve tools that wait',
    details:
      'Shows what differs and asks. What is approved is what was shown: if the server has changed the tool again, nothing is approved.',
    arguments: [
      UPSTREAM,
      { name: 'TOOL', help: "the server's name of a tool", optional: true, many: true },
    ],
    options: [
      { flag: 'all', help: 'all tools that wait' },
      {
        flag: 'digest',
        value: 'DIGEST',
        help: 'only if the tool still has this digest, which show prints',
      },
      YES,
    ],
    examples: [
      {
        says: 'Look at a tool and approve it',
        line: 'skillgate upstreams approve files read_file',
        untested: 'needs a tool that its server has changed',
      },
      {
        says: 'Approve what was looked at before, in a script',
        line: 'skillgate upstreams approve files read_file --digest $DIGEST --yes',
        untested: 'needs a tool that its server has changed',
      },
    ],
    prints: 'what differs, then the skills: + added, ~ changed',
    data: 'document',
    run: approve,
  },
  {
    name: 'upstreams rm',
    summary: 'Delete an MCP server and its skills',
    arguments: [UPSTREAM],
    options: [YES],
    examples: [{ says: 'Delete it', line: 'skillgate upstreams rm files --yes' }],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]
