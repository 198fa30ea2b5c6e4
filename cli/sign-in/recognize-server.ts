/**
 * Says what answers at an address where the admin API of a gateway was expected. Asks without a
 * credential, so that no key is sent to another server. Reads a bounded part of each answer.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Invocation } from '../command/command.ts'
import { fetchOrFault } from '../gateway/fetch-or-fault.ts'
import { CommandFault } from '../terminal/exit-code.ts'

/** Bytes of an answer that are read: a problem document, or the head of a page. */
const START_BYTES_MAX = 65_536
/** UTF-16 units of a title or of a server's name that a message shows. */
const SHOWN_MAX = 60
const ADMIN_PATH = '/v1/admin'
const ADMIN_REMEDY =
  'Give the address of the admin API, which ends in /v1/admin: the output AdminUrl of the deployment.'

type Found = { readonly status: number; readonly headers: Headers; readonly start: string }

/**
 * Returns the challenge of the admin API; undefined if it has none. Throws a CommandFault that says
 * what answers instead of an admin API.
 */
export async function probeAdminApi(
  call: Invocation,
  adminUrl: string,
): Promise<string | undefined> {
  const found = await ask(call, `${adminUrl}/whoami`, { method: 'GET' })
  if (isAdminApi(found)) {
    const { headers } = found
    return (
      headers.get('www-authenticate') ??
      headers.get('x-amzn-remapped-www-authenticate') ??
      undefined
    )
  }
  throw await toOtherServerFault(call, adminUrl, found)
}

async function ask(call: Invocation, url: string, init: RequestInit): Promise<Found> {
  const response = await fetchOrFault(call, new URL(url), init)
  return { status: response.status, headers: response.headers, start: await readStart(response) }
}

/** What follows the start is not fetched. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    text += decoder.decode(chunk, { stream: true })
    if (bytes >= START_BYTES_MAX) break
  }
  return text
}

/** Every refusal of a gateway has a code. A door of agents has no such path. */
function isAdminApi({ start, status }: Found): boolean {
  return isProblem(readObject(start)) && status !== 404
}

function isProblem(fields: JsonObject): boolean {
  const { code, title, type } = fields
  return typeof code === 'string' && typeof title === 'string' && type === 'about:blank'
}

function readObject(text: string): JsonObject {
  const parsed = parseJson(text, { bytesMax: START_BYTES_MAX * 2 })
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}

async function toOtherServerFault(
  call: Invocation,
  adminUrl: string,
  found: Found,
): Promise<CommandFault> {
  const typed = adminUrl.slice(0, -ADMIN_PATH.length)
  const { origin } = new URL(adminUrl)
  if (isProblem(readObject(found.start))) {
    return toFault(`An MCP endpoint of a gateway answers at ${typed}, and not its admin API.`)
  }
  if (origin !== typed && isAdminApi(await ask(call, `${origin}${ADMIN_PATH}/whoami`, GET))) {
    return toFault(
      `The admin API of a gateway answers at ${origin}${ADMIN_PATH}, and not below ${typed}.`,
      `Sign in with skillgate login ${origin}`,
    )
  }
  return describePlace(typed, found) ?? describeServer(typed, found, await findMcp(call, typed))
}

const GET = { method: 'GET' } as const

function toFault(message: string, remedy = ADMIN_REMEDY): CommandFault {
  return new CommandFault(message, { remedy })
}

/** What says by itself why there is no admin API: a redirect, or an entrance of AWS. */
function describePlace(typed: string, { headers, start, status }: Found): CommandFault | undefined {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    const to = URL.parse(location, typed)
    const place = to === null ? 'another page' : `${to.origin}${to.pathname}`
    return toFault(
      `${typed} redirects to ${cut(place, SHOWN_MAX * 2)} (${status}), such as to a page where people log in.`,
      'Give the address that the operator named: a command follows no redirect with a key.',
    )
  }
  const { message, Message } = readObject(start)
  if (message === 'Missing Authentication Token') {
    return toFault(
      `API Gateway answers at ${typed}, and has no such path there (${status}).`,
      'Give the address with its stage, such as https://….amazonaws.com/prod/v1/admin: the output AdminUrl of the deployment.',
    )
  }
  if (status !== 403 || (message ?? Message) !== 'Forbidden') return undefined
  return toFault(
    `AWS refuses every request at ${typed} before a gateway sees it (403 Forbidden).`,
    'If the stage has an edge, give its address. Otherwise this address takes signed requests, or not those of your network.',
  )
}

function describeServer(typed: string, found: Found, mcp: string | undefined): CommandFault {
  if (mcp !== undefined) {
    return toFault(
      `${mcp === '' ? 'An MCP server' : `The MCP server ${mcp}`} answers at ${typed}, and no Skillgate gateway.`,
      `To offer its tools by a gateway: skillgate upstreams put NAME --url ${typed}`,
    )
  }
  const { headers, start, status } = found
  const title = /<title[^>]*>([^<]*)/i.exec(start)?.[1]?.trim()
  if (title !== undefined || /^\s*<(!doctype|html)/i.test(start)) {
    const named = title === undefined || title === '' ? '' : ` (${JSON.stringify(cut(title))})`
    return toFault(`A web page${named} answers at ${typed}, and no Skillgate gateway (${status}).`)
  }
  const server = headers.get('server')
  const named = server === null ? '' : ` (${cut(server)})`
  return toFault(`A web server${named} answers ${status} at ${typed}, and no Skillgate gateway.`)
}

/** Returns the name of an MCP server at the typed address; undefined if there is none. */
async function findMcp(call: Invocation, typed: string): Promise<string | undefined> {
  const found = await ask(call, typed, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: INITIALIZE,
  }).catch(() => undefined)
  const text = found?.start ?? ''
  const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text
  const { error, jsonrpc, result } = readObject(data)
  if (jsonrpc !== '2.0' || (error === undefined && result === undefined)) return undefined
  return readServerName(result)
}

function readServerName(result: Json | undefined): string {
  const info = isJsonObject(result ?? null) ? (result as JsonObject)['serverInfo'] : undefined
  const name = info !== undefined && isJsonObject(info) ? info['name'] : undefined
  return typeof name === 'string' ? cut(name) : ''
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'skillgate-cli', version: '0' },
  },
})

function cut(text: string, unitsMax = SHOWN_MAX): string {
  return text.length <= unitsMax ? text : `${text.slice(0, unitsMax - 1).toWellFormed()}…`
}
