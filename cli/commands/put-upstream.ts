/**
 * The commands `upstreams plan`, `put` and `reject`: settings of an MCP server, with a look at its
 * tools first. What is applied is the plan that was shown: the gateway compares its digest.
 */
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printJson } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
  toRefusalFault,
  toTexts,
} from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { printChanged, printUpstreamPlan } from '../upstreams/print-plan.ts'
import { isWhole, readSettings, SETTINGS_OPTIONS } from '../upstreams/settings-options.ts'
import {
  AS_USER,
  toPersonShell,
  toUpstreamPath,
  UPSTREAM,
  withUpstream,
} from '../upstreams/upstream-rows.ts'

async function plan(call: Invocation): Promise<ExitCode> {
  const given = readSettings(call)
  const admin = await openAdminClient(call)
  const settings = await mergeSettings(call, admin, given)
  const found = await requestPlan(call, admin, settings)
  if (isOn(call, 'json')) printJson(call, found)
  else printUpstreamPlan(call.shell, found)
  assertTools(found, settings)
  return EXIT.ok
}

/** Settings without a tool are a mistake, unless agents read resources of the server. */
function assertTools({ excluded, tools }: Fields, { resources }: Fields): void {
  const isEmpty = Array.isArray(tools) && tools.length === 0
  if (!isEmpty || resources === true) return
  const { length } = toTexts(excluded)
  const why =
    length === 0
      ? 'the server lists none that can be one'
      : `--include and --exclude leave out ${length === 1 ? 'the only one' : `all ${length}`}`
  throw new CommandFault(`0 tools: ${why}.`)
}

async function put(call: Invocation): Promise<ExitCode> {
  const given = readSettings(call)
  const admin = await openAdminClient(call)
  return applySettings(call, admin, await mergeSettings(call, admin, given))
}

/** Excludes tools by name, besides what is excluded already. */
async function reject(typed: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(typed)
  const call = await withUpstream(typed, admin)
  const shown = await admin.send({ method: 'GET', path: toUpstreamPath(call) })
  const settings = toFields(shown['settings'])
  const before: readonly unknown[] = Array.isArray(settings['exclude']) ? settings['exclude'] : []
  const exclude = [...new Set([...before, ...(call.words['TOOL'] ?? [])])]
  return applySettings(call, admin, { ...settings, exclude })
}

/** Shows the plan, asks, and applies what was shown. */
async function applySettings(
  call: Invocation,
  admin: AdminClient,
  settings: Fields,
): Promise<ExitCode> {
  const id = getArgument(call, 'UPSTREAM')
  const found = await requestPlan(call, admin, settings)
  printUpstreamPlan(toPersonShell(call), found)
  if (found['isFirst'] === true) assertFreeNames(found)
  if (!(await askConfirmation(call, `Apply this to ${id}?`))) return EXIT.failed
  const body = { ...settings, digest: found['digest'] }
  const request = { method: 'PUT', path: toUpstreamPath(call), query: toQuery(call), body } as const
  const work = completeApply(call, admin, { request, name: 'apply', isApply: true })
  const changed = await withProgress(call.shell, `Applying ${id}`, work)
  if (isOn(call, 'json')) printJson(call, changed)
  else printChanged(call.shell, id, changed)
  return EXIT.ok
}

/** The gateway refuses a registration with names that somebody else has. */
function assertFreeNames({ collisions }: Fields): void {
  const { length } = toTexts(collisions)
  if (length === 0) return
  const taken = length === 1 ? '1 name is taken' : `${length} names are taken`
  throw new CommandFault(`${taken}, so nothing was changed.`, {
    remedy: 'Leave those tools out with --exclude, or take another --prefix.',
  })
}

async function requestPlan(call: Invocation, admin: AdminClient, body: Fields): Promise<Fields> {
  const path = `${toUpstreamPath(call)}:plan`
  const work = admin.exchange({ method: 'POST', path, query: toQuery(call), body })
  const answer = await withProgress(call.shell, 'Asking the server for its tools', work)
  if (answer.status < 400) return toFields(answer.body)
  const fault = toRefusalFault(answer)
  const remedy = findRemedy(toFields(answer.body), body)
  throw remedy === undefined ? fault : new CommandFault(fault.message, { remedy })
}

/** Returns undefined if the words of the gateway say what to do. */
function findRemedy({ code, upstreamFault }: Fields, { auth, url }: Fields): string | undefined {
  const { secret = 'NAME' } = toFields(auth)
  const set = `skillgate secrets shared set ${secret} --origin ${formatOrigin(url)}`
  if (code === 'secret_missing') return `Set it with ${set}, or name a user with --uid.`
  if (upstreamFault !== 'access_denied') return undefined
  return auth === undefined
    ? `If it needs a key: ${set}, then add --bearer ${secret}.`
    : `Set the key again: ${set}.`
}

function formatOrigin(url: unknown): string {
  const text = String(url)
  return URL.canParse(text) ? new URL(text).origin : 'ORIGIN'
}

/** Options change what is stored. A new upstream has its id as prefix, unless one is given. */
async function mergeSettings(call: Invocation, admin: AdminClient, given: Fields): Promise<Fields> {
  const prefix = getArgument(call, 'UPSTREAM')
  if (isWhole(call)) return { prefix, ...given }
  const answer = await admin.exchange({ method: 'GET', path: toUpstreamPath(call) })
  if (answer.status === 404) return { prefix, ...given }
  if (answer.status >= 400) throw toRefusalFault(answer)
  const stored = toFields(toFields(answer.body)['settings'])
  const prices = { ...toFields(stored['prices']), ...toFields(given['prices']) }
  return { ...stored, ...given, prices }
}

function toQuery(call: Invocation) {
  return { uid: getOption(call, 'uid') }
}

const DETAILS =
  'Options change what is stored: --price adds a price, and every other list replaces the stored one. Fields without an option, such as headers, timeout_ms and other kinds of auth, are written in --file.'

export const PUT_UPSTREAM_COMMANDS: readonly Command[] = [
  {
    name: 'upstreams plan',
    summary: 'Show what settings of an MCP server would change',
    details: `Asks the server for its tools, and writes nothing. ${DETAILS}`,
    arguments: [UPSTREAM],
    options: [...SETTINGS_OPTIONS, AS_USER],
    examples: [
      {
        says: 'Look at the tools of a server',
        line: 'skillgate upstreams plan files --url https://mcp.example.com/mcp',
      },
    ],
    prints: 'a row for each tool, with its price, its tokens, and what is wrong with it',
    data: 'document',
    run: plan,
  },
  {
    name: 'upstreams put',
    summary: 'Register an MCP server, or change its settings',
    details: `Shows the plan and asks before it is applied. ${DETAILS}`,
    arguments: [UPSTREAM],
    options: [...SETTINGS_OPTIONS, AS_USER, YES],
    examples: [
      {
        says: 'Register a server, without its tools that delete',
        line: "skillgate upstreams put files --url https://mcp.example.com/mcp --credits 0.5 --exclude 'delete_*' --yes",
      },
      {
        says: 'Change a price, and keep the other settings',
        line: 'skillgate upstreams put files --price write_file=1 --yes',
      },
      {
        says: 'Take all settings from a file',
        line: 'skillgate upstreams put files --file files.json',
        untested: 'the file is of the reader',
      },
    ],
    prints: 'the plan, then the skills: + added, ~ changed, - removed',
    data: 'document',
    run: put,
  },
  {
    name: 'upstreams reject',
    summary: 'Leave tools of a server out for good',
    details:
      'Adds them to the excluded ones, so that they no longer wait. If one was approved before, its skill is disabled. Shows the plan and asks.',
    arguments: [UPSTREAM, { name: 'TOOL', help: "the server's name of a tool", many: true }],
    options: [AS_USER, YES],
    examples: [
      { says: 'Refuse a tool', line: 'skillgate upstreams reject files write_file --yes' },
    ],
    prints: 'the plan, then the skills: + added, ~ changed, - removed',
    data: 'document',
    run: reject,
  },
]
