/**
 * The answers of the twin's host itself, before any door: welcome, health, wrong Host, wrong path.
 * A wrong path is answered with the right one where it can be guessed. Bound by docs/service.md,
 * Unknown paths.
 */
import { type HostAnswer, problemAnswer } from '../../adapters/http/server-answers.ts'

export function welcomeAnswer(origin: string, version: string): HostAnswer {
  return jsonAnswer({
    name: 'skillgate',
    version,
    what: 'A gateway that gives AI agents callable tools over MCP. This is its laptop twin.',
    agents: `${origin}/mcp`,
    agentsOverSse: `${origin}/v1/mcp/sse`,
    execute: `${origin}/v1/execute`,
    admin: `${origin}/v1/admin`,
    health: `${origin}/healthz`,
    readOn: 'README.md and docs/ in the repository',
  })
}

export function healthAnswer(version: string): HostAnswer {
  return jsonAnswer({ status: 'ok', version })
}

/** Wrong paths and the hint for each; the first pattern that matches counts. */
const MEANT: readonly (readonly [RegExp, (origin: string) => string])[] = [
  [/(^|\/)mcp$/, streamableHttp],
  [/(^|\/)sse$/, (origin) => `The stream is at GET ${origin}/v1/mcp/sse.`],
  [/(^|\/)messages?$/, messages],
  [/(^|\/)execute(\/|$)/, (origin) => `Calls go to POST ${origin}/v1/execute.`],
  [/(^|\/)(tools|skills|call)(\/|$)/, tools],
  [/(^|\/)(admin|sync_skill|sync_cache|refresh-tools)(\/|$)/, admin],
  [/(^|\/)health[a-z]*$/, (origin) => `Health is at ${origin}/healthz.`],
]

/** `path` is the requested path without its query. */
export function unknownPathAnswer(path: string, origin: string): HostAnswer {
  const bare = path.replace(/\/+$/, '').toLowerCase()
  const meant = MEANT.find(([pattern]) => pattern.test(bare))
  const where = meant === undefined ? `${origin}/ lists the paths.` : meant[1](origin)
  return problemAnswer('not_found', `There is nothing at ${shown(path)}. ${where}`)
}

export function wrongHostAnswer(origin: string): HostAnswer {
  return problemAnswer(
    'forbidden',
    `Host: does not name this machine. Use ${origin}, or start the twin with --host and the name you use.`,
  )
}

export function wrongOriginAnswer(): HostAnswer {
  return problemAnswer('forbidden', 'Origin: pages of other sites may not use this gateway.')
}

function streamableHttp(origin: string): string {
  return `MCP over Streamable HTTP is POST ${origin}/mcp; over HTTP+SSE ("sse") it is GET ${origin}/v1/mcp/sse.`
}

function messages(origin: string): string {
  return `Messages go to the URL that the stream's endpoint event announces; open it with GET ${origin}/v1/mcp/sse.`
}

function tools(origin: string): string {
  return `Agents list and call tools over ${origin}/mcp (or ${origin}/v1/mcp/sse); one call without an agent is POST ${origin}/v1/execute.`
}

function admin(origin: string): string {
  return `Administration is under ${origin}/v1/admin/, for example POST ${origin}/v1/admin/sync_skill.`
}

/** The requested path, cut and made safe to print. */
function shown(path: string): string {
  return path.slice(0, 100).replace(/[^\x21-\x7e]/g, '?')
}

function jsonAnswer(body: object): HostAnswer {
  return {
    status: 200,
    contentType: 'application/json',
    body: `${JSON.stringify(body, null, 2)}\n`,
  }
}
