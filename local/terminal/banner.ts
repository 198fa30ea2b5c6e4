/**
 * What the twin prints when it is ready. Every line after "Try it", "Connect" and "Add" works when
 * pasted into sh as it stands, so the full key is shown.
 */
import { formatCredits } from '../../core/ledger/amount.ts'
import type { ListedTool } from './listed-tools.ts'

export type Ready = {
  readonly version: string
  readonly readySec: number
  /** `data .local (kept)` or `data in memory only`. */
  readonly data: string
  readonly kept: boolean
  /** Which store, and why, if it is not the one that a newcomer expects. */
  readonly storeNote: string | undefined
  readonly origin: string
  readonly key: string
  readonly username: string
  readonly credits: number
  readonly adminKey: string
  readonly prefix: string
  readonly tools: readonly ListedTool[]
}

/** The examples name this origin, as they are meant for a twin with default options. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:8787'
/** A banner that scrolls off the screen tells nothing. */
const TOOLS_SHOWN_MAX = 20

export function bannerText(ready: Ready): string {
  const mcp = `${ready.origin}/mcp`
  return [
    `Skillgate ${ready.version} · ready in ${ready.readySec.toFixed(1)} s · ${ready.data}`,
    ...(ready.storeNote === undefined ? [] : [ready.storeNote]),
    '',
    `  Agents   ${mcp}   or by SSE ${ready.origin}/v1/mcp/sse`,
    `  Key      ${ready.key}   user ${ready.username}, ${ready.credits} credits`,
    `  Tools    ${toolsText(ready.tools)}`,
    '',
    'Try it (another terminal)',
    `  ${tryLine(ready)}`,
    '',
    'Connect an agent',
    `  claude mcp add --transport http skillgate ${mcp} --header ${quote(`Authorization: Bearer ${ready.key}`)}`,
    '  or in mcp.json (Cursor; VS Code says "servers" and adds "type": "http")',
    `  ${mcpJson(mcp, ready.key)}`,
    '',
    'Add your own (another terminal, in this folder)',
    `  ${addLine(ready)}`,
    '',
    'Local API?  restart with --outbound-allow localhost:3000',
    ready.kept ? 'Ctrl-C stops; nothing is lost.' : 'Ctrl-C stops; --memory keeps nothing.',
    '',
  ].join('\n')
}

function toolsText(tools: readonly ListedTool[]): string {
  const shown = tools.slice(0, TOOLS_SHOWN_MAX).map(toolText).join(' · ')
  const more = tools.length - TOOLS_SHOWN_MAX
  return more > 0 ? `${shown} · and ${more} more` : shown
}

function toolText(tool: ListedTool): string {
  return tool.priceMicro === undefined
    ? tool.name
    : `${tool.name} ${formatCredits(tool.priceMicro)}`
}

function tryLine(ready: Ready): string {
  const body = JSON.stringify({ skill: `${ready.prefix}_weather`, arguments: { city: 'Oslo' } })
  return [
    `curl -sS ${ready.origin}/v1/execute`,
    `-H ${quote(`Authorization: Bearer ${ready.key}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(body)}`,
  ].join(' ')
}

function mcpJson(mcp: string, key: string): string {
  const server = { url: mcp, headers: { Authorization: `Bearer ${key}` } }
  return JSON.stringify({ mcpServers: { skillgate: server } })
}

/** The example names the default origin; on another one the line puts the right one in. */
function addLine(ready: Ready): string {
  const call = [
    `curl -sS '${ready.origin}/v1/admin/sync_skill?source=official'`,
    `-H ${quote(`X-Admin-Key: ${ready.adminKey}`)}`,
    `-H 'Content-Type: application/json'`,
  ].join(' ')
  const file = 'examples/skills/joke.json'
  if (ready.origin === EXAMPLE_ORIGIN) return `${call} -d @${file}`
  return `sed 's#${EXAMPLE_ORIGIN}#${ready.origin}#' ${file} | ${call} -d @-`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
