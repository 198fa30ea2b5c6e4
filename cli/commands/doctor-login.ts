/**
 * The checks of `doctor` that concern the login: what a client meets that has the URL and no key.
 * Each is one line with its remedy. Asks the gateway and the authorization servers that it names
 * for public documents; logs in nowhere. Bound by RFC 9728, RFC 8414 and MCP 2026-07-28,
 * basic/authorization.
 */
import type { Invocation } from '../command/command.ts'
import { fetchOrFault } from '../gateway/fetch-or-fault.ts'
import {
  type Document,
  isLoopback,
  listServerUrls,
  type Resource,
  readCleanUrl,
  readDocument,
  readResource,
  toMetadataUrl,
  toRootMetadataUrl,
} from '../gateway/login-documents.ts'
import { LIST_REQUEST, MCP_HEADERS, RENAMED_HEADER } from '../gateway/probe.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { type Finding, runCheck } from './finding.ts'

type Found = Extract<Resource, { kind: 'found' }>

const PASS_ON = 'Let the host in front of the gateway pass /.well-known/ on to the function mcp.'

/** Returns one line if the gateway has no login, else one for each thing that clients need. */
export async function checkLogin(call: Invocation, target: Target): Promise<readonly Finding[]> {
  let found: Resource | undefined
  const first = await runCheck(call, 'login', async () => {
    found = await readResource(call, toMetadataUrl(target.mcpUrl))
    if (found.kind === 'absent') {
      return 'none: clients need a key (docs/login.md says how to switch a login on)'
    }
    return describeResource(target, found)
  })
  if (found?.kind !== 'found') return [first]
  const resource = found
  const findings = [
    first,
    await runCheck(call, 'login metadata', () => checkMetadata(call, target, resource)),
    await runCheck(call, 'login challenge', () => checkChallenge(call, target, resource)),
  ]
  for (const server of resource.servers) {
    findings.push(await runCheck(call, 'login server', () => checkServer(call, resource, server)))
  }
  return [...findings, { check: 'hosted clients', ok: true, finding: describeReach(resource) }]
}

function describeResource({ mcpUrl }: Target, { resource }: Found): string {
  if (resource === mcpUrl) return `${resource} can be logged in with`
  return `clients that log in must use ${resource}, not ${mcpUrl}`
}

/** Clients ask for the path form first and for the root form after it; browsers need CORS. */
async function checkMetadata(call: Invocation, target: Target, found: Found): Promise<string> {
  const rootUrl = toRootMetadataUrl(target.mcpUrl)
  const root = await readResource(call, rootUrl)
  if (root.kind === 'absent' || root.resource !== found.resource) {
    throw new CommandFault(`${rootUrl.href} does not say the same as its path form.`, {
      remedy: PASS_ON,
    })
  }
  if (found.isOpen && root.isOpen) return 'at both paths, for any origin'
  throw new CommandFault('Clients in browsers cannot read the metadata.', {
    remedy: 'Let the host in front of the gateway pass the header Access-Control-Allow-Origin on.',
  })
}

/** Some clients ask by POST first and some by GET; both must be sent to the login. */
async function checkChallenge(
  call: Invocation,
  { mcpUrl }: Target,
  { resource }: Found,
): Promise<string> {
  const headers = { 'Content-Type': 'application/json', ...MCP_HEADERS }
  const url = new URL(mcpUrl)
  const post = await fetchOrFault(call, url, { method: 'POST', headers, body: LIST_REQUEST })
  const get = await fetchOrFault(call, url, { method: 'GET', headers: MCP_HEADERS })
  await Promise.all([post.body?.cancel(), get.body?.cancel()])
  if (post.status === 200) {
    return 'none for a list of tools: some products then show no login, see anonymousList'
  }
  if (post.status !== 401 || get.status !== 401) {
    throw new CommandFault(
      `Without a key, POST is answered with ${post.status} and GET with ${get.status}.`,
      { remedy: 'Both must be 401: let the host in front of the gateway pass both on.' },
    )
  }
  const expected = `resource_metadata="${toMetadataUrl(resource).href}"`
  if ([post, get].every(({ headers: sent }) => sent.has(RENAMED_HEADER))) {
    return 'by POST and GET; its header is renamed on the way, so clients go by the metadata'
  }
  if ([post, get].every(({ headers: sent }) => readChallenge(sent).includes(expected))) {
    return 'by POST and GET'
  }
  throw new CommandFault(`A 401 of POST or GET does not name ${toMetadataUrl(resource).href}.`, {
    remedy: 'Let the host in front of the gateway pass the header WWW-Authenticate on.',
  })
}

function readChallenge(headers: Headers): string {
  return headers.get('www-authenticate') ?? ''
}

/** Reads the metadata of an authorization server and judges what MCP clients need of it. */
async function checkServer(call: Invocation, { resource }: Found, server: string): Promise<string> {
  const { fields, isOpen } = await findServerDocument(call, server)
  const isLocal = isLoopback(new URL(resource))
  const { issuer } = fields
  if (issuer !== server) {
    throw new CommandFault(`${server} calls itself ${String(issuer)}.`, {
      remedy: 'Write the issuer in the settings of the gateway as its own metadata have it.',
    })
  }
  const endpoints = [fields['authorization_endpoint'], fields['token_endpoint']]
  if (endpoints.some((endpoint) => readCleanUrl(endpoint, isLocal) === undefined)) {
    throw new CommandFault(`${server} names no authorization or token endpoint by https.`)
  }
  const methods = fields['code_challenge_methods_supported']
  if (!(Array.isArray(methods) && methods.includes('S256'))) {
    throw new CommandFault(`${server} does not list the PKCE method S256.`, {
      remedy: 'Some clients refuse it: switch PKCE on at the server, and let its metadata say so.',
    })
  }
  const isOwn = new URL(server).origin === new URL(resource).origin
  if (isOwn && !isOpen) {
    throw new CommandFault(`Clients in browsers cannot read the metadata of ${server}.`)
  }
  return `${server}: ${describeRegistration(fields)}`
}

async function findServerDocument(call: Invocation, server: string): Promise<Document> {
  for (const url of listServerUrls(server)) {
    const document = await readDocument(call, url)
    if (document.status === 200 && typeof document.fields['issuer'] === 'string') return document
  }
  throw new CommandFault(`${server} has no metadata that a client finds.`, {
    remedy: `Try ${listServerUrls(server)[0]?.href ?? ''} in a browser.`,
  })
}

function describeRegistration(fields: Document['fields']): string {
  const ways = [
    ...(fields['client_id_metadata_document_supported'] === true ? ['by a document'] : []),
    ...(typeof fields['registration_endpoint'] === 'string' ? ['by registering'] : []),
  ]
  if (ways.length > 0) return `clients get their id ${ways.join(' or ')}`
  return 'clients cannot register: give each the id of a client that you made there'
}

/** Hosted clients call from the internet, so they reach no address of this machine. */
function describeReach({ resource }: Found): string {
  const url = new URL(resource)
  if (!isLoopback(url)) return `claude.ai and ChatGPT use ${resource}, if the internet reaches it`
  return `claude.ai and ChatGPT cannot reach ${url.origin}: start a tunnel, and the twin with --public-origin`
}
