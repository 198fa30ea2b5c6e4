/**
 * The commands `doctor` and `status`: whether the gateway works as it should, and what it has. A
 * check of `doctor` returns a finding, or throws a CommandFault.
 */
import { KEY_VARIABLE } from '../../core/clients/server-entry.ts'
import { type Command, type Invocation, isOn } from '../command/command.ts'
import { printFields, printJson } from '../command/print.ts'
import { openAdminClient, toAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchOrFault } from '../gateway/fetch-or-fault.ts'
import { toMcpClient } from '../gateway/mcp-client.ts'
import { LIST_REQUEST, MCP_HEADERS, RENAMED_HEADER } from '../gateway/probe.ts'
import { findTarget, type Target } from '../gateway/target.ts'
import { findClients } from '../sign-in/find-issuer.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { listFirstWords, putProgramName } from '../terminal/program-name.ts'
import { toOneLine } from '../terminal/table.ts'
import { checkClients } from './doctor-clients.ts'
import { checkFunctions } from './doctor-functions.ts'
import { checkLogin } from './doctor-login.ts'
import { checkUpstreams } from './doctor-upstreams.ts'
import { type Finding, runCheck } from './finding.ts'

/**
 * Largest accepted difference of the clocks. AWS refuses signatures when clocks differ by five
 * minutes; the check warns well before.
 */
const CLOCK_SKEW_MAX_MS = 60_000

async function doctor(call: Invocation, commands: readonly Command[]): Promise<ExitCode> {
  const target = await findTarget(call)
  const checks: readonly (readonly [string, () => Promise<string>])[] = [
    ['gateway and clock', () => checkClock(call, target)],
    [usesSignIn(target) ? 'sign-in' : 'admin key', () => checkCredential(call, target)],
    ['issuers', () => checkIssuers(call, target)],
    ['functions', () => checkFunctions(call, target)],
    ['upstreams', () => checkUpstreams(call, target)],
    ['MCP revisions', () => unlessAsked(target, () => checkRevisions(call, target))],
    ['user key', () => checkUserKey(call, target)],
    ['streaming', () => unlessAsked(target, () => checkStreaming(call, target))],
    ['refusals', () => checkRefusal(call, target)],
  ]
  const findings: Finding[] = []
  for (const [check, run] of checks) findings.push(await runCheck(call, check, run))
  findings.push(...(await checkLogin(call, target)))
  findings.push(...(await checkClients(call, target)))
  if (isOn(call, 'json')) printJson(call, findings)
  else {
    const words = listFirstWords(commands)
    for (const { check, finding, ok } of findings) {
      const text = putProgramName(toOneLine(finding), call.shell.program, words)
      call.shell.out.write(`${ok ? 'ok    ' : 'WRONG '}  ${check.padEnd(17)}  ${text}\n`)
    }
  }
  return findings.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed
}

async function checkClock(call: Invocation, { adminUrl }: Target): Promise<string> {
  const response = await fetchOrFault(call, new URL(`${adminUrl}/openapi.json`), { method: 'GET' })
  await response.body?.cancel()
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return `${adminUrl} answers; its answer has no date`
  const skewMs = Math.abs(call.shell.nowMs() - date)
  if (skewMs <= CLOCK_SKEW_MAX_MS) return `${adminUrl} answers, and the clocks agree`
  throw new CommandFault(`The clocks differ by ${Math.round(skewMs / 1_000)} s.`, {
    remedy: 'Set the clock of this machine.',
  })
}

/** A sign-in that has expired, is refused or gives no role is a CommandFault with the remedy. */
async function checkCredential(call: Invocation, target: Target): Promise<string> {
  const { name, role } = await toAdminClient(call, target).send({ method: 'GET', path: '/whoami' })
  return `accepted: ${name}, ${role} (profile ${target.profile})`
}

/** Names the issuers where people can sign in, and whether the profile's sign-in is from one. */
async function checkIssuers(call: Invocation, target: Target): Promise<string> {
  const issuers = (await findClients(call, target.adminUrl)).map(({ issuer }) => issuer)
  const used = usesSignIn(target) ? target.login?.issuer : undefined
  if (used !== undefined && !issuers.includes(used)) {
    throw new CommandFault(`The gateway does not have ${used}, where you signed in.`, {
      remedy: 'Sign in again with skillgate login.',
    })
  }
  return issuers.length === 0
    ? 'none: administrators use keys'
    : `people sign in at ${issuers.join(', ')}`
}

/** An admin key, such as that of SKILLGATE_ADMIN_KEY, has precedence. */
function usesSignIn({ adminKey, login }: Target): boolean {
  return (adminKey ?? '') === '' && login !== undefined
}

/** Skips a check if the gateway asks for a key and the profile has none: people may log in. */
async function unlessAsked(target: Target, run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (cause) {
    const isAsked = cause instanceof CommandFault && cause.exitCode === EXIT.unauthenticated
    if (target.key === undefined && isAsked) return 'not checked: it needs a key'
    throw cause
  }
}

async function checkRevisions(call: Invocation, target: Target): Promise<string> {
  const result = await toMcpClient(call, target).request('server/discover', {})
  const versions = result['supportedVersions']
  return `${target.mcpUrl} speaks ${Array.isArray(versions) ? versions.join(', ') : 'none'}`
}

async function status(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const document = await admin.send({ method: 'GET', path: '/openapi.json' })
  const publicTools = await countPublicTools(call, admin.target)
  const version = String(toFields(document['info'])['version'])
  const { adminUrl, mcpUrl, profile } = admin.target
  const shown = { profile, adminUrl, mcpUrl, version, publicTools }
  printFields(call, shown, [
    ['profile', profile],
    ['admin API', adminUrl],
    ['MCP', mcpUrl],
    ['version', version],
    ['public tools', publicTools],
  ])
  return EXIT.ok
}

/** A gateway with a login lists nothing to callers without a credential. */
async function countPublicTools(call: Invocation, target: Target): Promise<number> {
  try {
    return (await toMcpClient(call, { ...target, key: undefined }).tools()).length
  } catch (cause) {
    if (cause instanceof CommandFault && cause.exitCode === EXIT.unauthenticated) return 0
    throw cause
  }
}

export const DOCTOR_COMMANDS: readonly Command[] = [
  {
    name: 'status',
    summary: 'Show version and size of the gateway',
    arguments: [],
    options: [],
    examples: [{ says: 'Show the gateway', line: 'skillgate status' }],
    prints: 'addresses, version, and the number of tools that everybody sees',
    data: 'record',
    run: status,
  },
  {
    name: 'doctor',
    summary: 'Find out why something does not work',
    details:
      'Checks reachability, clock, both keys or the sign-in, the issuers of the gateway, whether it may invoke the Lambda functions of skills, whether MCP servers give their tools and none waits for an approval, the limits of the user, revisions of MCP, whether answers are streamed or buffered, refusals and their headers, whether and how clients log in, and whether the clients that are connected work with what they send. It changes nothing and costs no credits.',
    arguments: [],
    options: [],
    examples: [{ says: 'Check everything', line: 'skillgate doctor' }],
    prints: 'a line for each check; one that is wrong makes the exit code 1',
    data: 'document',
    run: doctor,
  },
]

/**
 * Longest wait for the first event. A stream sends one as soon as it opens; a host that buffers
 * sends nothing until the end.
 */
const FIRST_EVENT_MS_MAX = 5_000

/** Checks that the user's key is accepted, by a free call of the account tool. */
async function checkUserKey(call: Invocation, target: Target): Promise<string> {
  if (target.key === undefined)
    return `none: set ${KEY_VARIABLE}, or skillgate login --key-from-env`
  const result = await toMcpClient(call, target).request('tools/call', {
    name: findAccountTool(await listToolNames(call, target)),
    arguments: {},
  })
  const account = toFields(result['structuredContent'])
  const { calls_in_flight: atOnce, calls_per_minute: perMinute } = toFields(account['limits'])
  const limits = perMinute === undefined ? '' : `; ${perMinute} calls a minute, ${atOnce} at once`
  return `accepted${account['credits'] === undefined ? '' : `, ${account['credits']} credits left`}${limits}`
}

async function listToolNames(call: Invocation, target: Target): Promise<readonly string[]> {
  return (await toMcpClient(call, target).tools()).map(({ name }) => name)
}

/** Finds the account tool, whose prefix is a setting of the gateway. Its call is free. */
function findAccountTool(names: readonly string[]): string {
  return names.find((name) => name.endsWith('_account')) ?? 'sg_account'
}

/**
 * Checks that a wrong key gets 401, and tells where the host renames the header WWW-Authenticate.
 * Function URLs and API Gateway do; the body has its value, and clients find a login without it.
 */
async function checkRefusal(call: Invocation, { adminUrl, mcpUrl }: Target): Promise<string> {
  const headers = {
    Authorization: 'Bearer no-key',
    'Content-Type': 'application/json',
    ...MCP_HEADERS,
  }
  const admin = await fetchOrFault(call, new URL(`${adminUrl}/skills`), { method: 'GET', headers })
  const mcp = await fetchOrFault(call, new URL(mcpUrl), {
    method: 'POST',
    headers,
    body: LIST_REQUEST,
  })
  await Promise.all([admin.body?.cancel(), mcp.body?.cancel()])
  const renamers = [
    ...(admin.headers.has(RENAMED_HEADER) ? ['of the admin API'] : []),
    ...(mcp.headers.has(RENAMED_HEADER) ? ['of MCP'] : []),
  ]
  const note =
    renamers.length === 0
      ? ''
      : `; the host renames WWW-Authenticate ${renamers.join(' and ')}, and the body has its value`
  if (admin.status !== 401) {
    throw new CommandFault(`The admin API answers ${admin.status} to a wrong key.`)
  }
  if (mcp.status !== 401) throw new CommandFault(`MCP answers ${mcp.status} to a wrong key.`)
  return `a wrong key is refused with 401${note}`
}

/**
 * Checks that responses are streamed. A host that buffers, such as an API Gateway before MCP,
 * answers calls but reports no progress of them.
 */
async function checkStreaming(call: Invocation, target: Target): Promise<string> {
  if (await toMcpClient(call, target).streams(FIRST_EVENT_MS_MAX)) return 'answers are streamed'
  throw new CommandFault('Answers of MCP are buffered: no event came while the stream was open.', {
    remedy: 'Use the URL of the function, the output McpUrl, and a proxy that does not buffer.',
  })
}
