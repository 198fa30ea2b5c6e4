/**
 * The answers of the twin's host itself, before any door: welcome, health, wrong Host, wrong path.
 * A wrong path is answered with the right one if it can be guessed. Bound by docs/service.md,
 * Unknown paths.
 */
import { type HostAnswer, makeProblemAnswer } from '../../adapters/http/server-answers.ts'

export function toWelcomeAnswer(origin: string, version: string): HostAnswer {
  return toJsonAnswer({
    name: 'skillgate',
    version,
    what: 'A gateway that gives AI agents callable tools over MCP. This is its laptop twin.',
    agents: `${origin}/mcp`,
    agentsOverSse: `${origin}/v1/mcp/sse`,
    execute: `${origin}/v1/execute`,
    admin: `${origin}/v1/admin`,
    console: `${origin}/v1/console/`,
    health: `${origin}/healthz`,
    readOn: 'README.md and docs/ in the repository',
  })
}

/** Sends a browser to the console. */
export function toConsoleAnswer(): HostAnswer {
  return {
    status: 302,
    contentType: 'text/plain',
    body: '',
    headers: { location: '/v1/console/' },
  }
}

export function toHealthAnswer(version: string): HostAnswer {
  return toJsonAnswer({ status: 'ok', version })
}

/** Patterns of wrong paths and the hint for each; the first match is used. */
const PATH_HINTS: readonly (readonly [RegExp, (origin: string) => string])[] = [
  [/(^|\/)mcp$/, hintMcp],
  [/(^|\/)sse$/, (origin) => `The stream is at GET ${origin}/v1/mcp/sse.`],
  [/(^|\/)messages?$/, hintMessages],
  [/(^|\/)execute(\/|$)/, (origin) => `Calls go to POST ${origin}/v1/execute.`],
  [/(^|\/)(tools|skills|call)(\/|$)/, hintTools],
  [/(^|\/)(admin|sync_skill|sync_cache|refresh-tools)(\/|$)/, hintAdmin],
  [/(^|\/)health[a-z]*$/, (origin) => `Health is at ${origin}/healthz.`],
]

/** Answers a wrong path with a hint. `path` is the requested path without its query. */
export function toUnknownPathAnswer(path: string, origin: string): HostAnswer {
  const bare = path.replace(/\/+$/, '').toLowerCase()
  const hint = PATH_HINTS.find(([pattern]) => pattern.test(bare))
  const where = hint === undefined ? `${origin}/ lists the paths.` : hint[1](origin)
  return makeProblemAnswer('not_found', `There is nothing at ${toPrintable(path)}. ${where}`)
}

export function toWrongHostAnswer(origin: string): HostAnswer {
  return makeProblemAnswer(
    'forbidden',
    `Host: does not name this machine. Use ${origin}, or start the twin with --host and the name you use.`,
  )
}

export function toWrongOriginAnswer(): HostAnswer {
  return makeProblemAnswer('forbidden', 'Origin: pages of other sites may not use this gateway.')
}

function hintMcp(origin: string): string {
  return `MCP over Streamable HTTP is POST ${origin}/mcp; over HTTP+SSE ("sse") it is GET ${origin}/v1/mcp/sse.`
}

function hintMessages(origin: string): string {
  return `Messages go to the URL that the stream's endpoint event announces; open it with GET ${origin}/v1/mcp/sse.`
}

function hintTools(origin: string): string {
  return `Agents list and call tools over ${origin}/mcp (or ${origin}/v1/mcp/sse); one call without an agent is POST ${origin}/v1/execute.`
}

function hintAdmin(origin: string): string {
  return `Administration is under ${origin}/v1/admin/, for example POST ${origin}/v1/admin/sync_skill.`
}

/** Returns the requested path, cut and safe to print. */
function toPrintable(path: string): string {
  return path.slice(0, 100).replace(/[^\x21-\x7e]/g, '?')
}

function toJsonAnswer(body: object): HostAnswer {
  return {
    status: 200,
    contentType: 'application/json',
    body: `${JSON.stringify(body, null, 2)}\n`,
  }
}
