/**
 * The text that the twin prints when it is ready. Every command after "Try it", "Connect" and "Add"
 * works when pasted into sh, so the keys are printed in full.
 */
import { quoteForShell } from '../../core/json/shell-line.ts'
import { formatCredits } from '../../core/ledger/amount.ts'
import { LOOPBACK } from '../../core/settings/form.ts'
import type { ListedTool } from './listed-tools.ts'

export type Ready = {
  readonly version: string
  readonly readySec: number
  /** The text `data .local (kept)` or `data in memory only`. */
  readonly data: string
  readonly kept: boolean
  /** The twin's own origin. */
  readonly origin: string
  readonly key: string
  readonly username: string
  readonly credits: number
  readonly adminKey: string
  /** Opens the console, once with its first-run sheet. */
  readonly consoleUrl: string
  readonly prefix: string
  /** Extra hosts that skills may reach, from --outbound-allow or the environment. */
  readonly outboundAllow: readonly string[]
  readonly tools: readonly ListedTool[]
  /** The origin under which clients log in; undefined if they need a key. */
  readonly loginOrigin: string | undefined
  /** The words that start the command line. */
  readonly program: string
  /** True in the published package, which has no folder of examples. */
  readonly isPacked: boolean
  /** Options that choose the twin's profile; undefined if there is none. */
  readonly profileOptions: string | undefined
  /** The file of the keys; undefined for a twin in memory. */
  readonly keysFile: string | undefined
}

/** The origin that examples/skills/joke.json names, which is also the twin's default. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:8787'
/** The banner fits the smallest common terminal: 80 columns and, with the cursor, 24 rows. */
const COLUMNS = 80
const ROWS = 24
const LABEL_COLUMNS = 11

/**
 * Returns the banner. If it has too many rows (a port other than 8787 adds a row of `sed`), the empty
 * row goes.
 */
export function formatBanner(ready: Ready): string {
  const whole = toRows(ready, true)
  return joinRows(whole.length < ROWS ? whole : toRows(ready, false))
}

function joinRows(rows: readonly string[]): string {
  return `${rows.join('\n')}\n`
}

function toRows(ready: Ready, hasGap: boolean): readonly string[] {
  const { adminKey, consoleUrl, data, key, origin, readySec, tools, version } = ready
  return [
    cutRow(`Skillgate ${version} · ready in ${readySec.toFixed(1)} s · ${data}`),
    `  Console  ${consoleUrl}`,
    `  Agents   ${origin}/mcp   (HTTP+SSE: /v1/mcp/sse)`,
    cutRow(`  Key      ${key}  ${ready.username}, ${ready.credits} credits`),
    `  Admin    ${adminKey}  X-Admin-Key`,
    `  Tools    ${toToolRow(tools)}`,
    ...(hasGap ? [''] : []),
    'Try it (another terminal)',
    ...(ready.isPacked && ready.profileOptions !== undefined
      ? toCommandLines(ready, ready.profileOptions)
      : toPastedLines(ready)),
    cutRow(toLastLine(ready)),
  ]
}

/** In a clone a person adds an example, whose file the package does not have. */
function toPastedLines(ready: Ready): readonly string[] {
  return [
    ...toCallLines(ready),
    'Connect an agent',
    ...toConnectLines(ready),
    ...(ready.loginOrigin === undefined
      ? [
          'or in mcp.json (Cursor; VS Code says "servers" and adds "type": "http")',
          ...toMcpJsonLines(ready),
        ]
      : toLoginLines(ready.program, ready.loginOrigin)),
    ...(ready.isPacked
      ? []
      : ['Add your own (another terminal, in this folder)', ...toAddLines(ready)]),
  ]
}

/** Lines for the command line, which has the twin's addresses and keys in its profile. */
function toCommandLines(
  { keysFile, loginOrigin, prefix, program }: Ready,
  options: string,
): readonly string[] {
  const line = (words: string) => `  ${program} ${words}${options}`
  return [
    line(`call ${prefix}_weather city=Oslo`),
    'Connect an agent',
    line('connect claude-code'),
    `${line('connect --list')}   names the other clients`,
    ...(loginOrigin === undefined ? [] : toLoginLines(program, loginOrigin)),
    'Add your own',
    line('import openapi apply DOCUMENT --prefix NAME'),
    line('upstreams put NAME --url https://HOST/mcp'),
    ...(keysFile === undefined ? [] : [cutRow(`Keys: ${keysFile}, readable by you alone.`)]),
  ]
}

/** Names the extra hosts. If the line is too long with them, it leaves out how to stop. */
function toLastLine({ kept, outboundAllow }: Ready): string {
  const hosts =
    outboundAllow.length === 0
      ? 'Local API? Add --outbound-allow localhost:3000.'
      : `Skills may also reach ${outboundAllow.join(', ')}.`
  const stops = kept ? 'Ctrl-C stops; nothing is lost.' : 'Ctrl-C stops; nothing is kept.'
  const whole = `${hosts} ${stops}`
  const fits = whole.length <= COLUMNS || outboundAllow.length === 0
  return fits ? whole : hosts
}

/** Cuts a row that nobody pastes. */
function cutRow(row: string): string {
  return row.length <= COLUMNS ? row : `${row.slice(0, COLUMNS - 1)}…`
}

/** Returns as many tools as fit into the row, and the count of the others. */
function toToolRow(tools: readonly ListedTool[]): string {
  const names = tools.map(formatTool)
  for (let shown = names.length; shown > 1; shown--) {
    const others = names.length - shown
    const row = [...names.slice(0, shown), ...(others > 0 ? [`and ${others} more`] : [])].join(
      ' · ',
    )
    if (LABEL_COLUMNS + row.length <= COLUMNS) return row
  }
  return names.length > 1 ? `${names[0]} · and ${names.length - 1} more` : (names[0] ?? '')
}

function formatTool(tool: ListedTool): string {
  return tool.priceMicro === undefined
    ? tool.name
    : `${tool.name} ${formatCredits(tool.priceMicro)}`
}

function toCallLines({ key, origin, prefix }: Ready): readonly string[] {
  const body = JSON.stringify({ skill: `${prefix}_weather`, arguments: { city: 'Oslo' } })
  return [
    `  curl -sS ${quoteForShell(`${origin}/v1/execute`)} ${JSON_TYPE} \\`,
    `  -H ${quoteForShell(`Authorization: Bearer ${key}`)} \\`,
    `  -d ${quoteForShell(body)}`,
  ]
}

const JSON_TYPE = '-H content-type:application/json'

function toConnectLines({ key, origin }: Ready): readonly string[] {
  return [
    `  claude mcp add --transport http skillgate ${quoteForShell(`${origin}/mcp`)} \\`,
    `  -H ${quoteForShell(`Authorization: Bearer ${key}`)}`,
  ]
}

/** Hosted clients call from the internet, where 127.0.0.1 is not this machine. */
function toLoginLines(program: string, loginOrigin: string): readonly string[] {
  const connect = `or without a key: ${program} connect claude-code --login`
  if (!LOOPBACK.test(new URL(loginOrigin).hostname)) {
    return [
      connect,
      'In claude.ai and ChatGPT, add a connector with the URL',
      `  ${loginOrigin}/mcp`,
    ]
  }
  return [
    connect,
    'claude.ai and ChatGPT cannot reach 127.0.0.1: start a tunnel, and the twin with',
    '  --public-origin https://YOUR-TUNNEL',
  ]
}

function toMcpJsonLines({ key, origin }: Ready): readonly string[] {
  return [
    `  {"mcpServers":{"skillgate":{"url":${JSON.stringify(`${origin}/mcp`)},`,
    '  "headers":{"Authorization":',
    `  ${JSON.stringify(`Bearer ${key}`)}}}}}`,
  ]
}

/**
 * Returns the lines that add a skill. If the origin is not that of the example, `sed` replaces it.
 */
function toAddLines({ adminKey, origin }: Ready): readonly string[] {
  const file = 'examples/skills/joke.json'
  const isDefault = origin === EXAMPLE_ORIGIN
  const host = (url: string) => url.replace('http://', '')
  return [
    ...(isDefault
      ? []
      : [`  sed ${quoteForShell(`s#${host(EXAMPLE_ORIGIN)}#${host(origin)}#`)} ${file} |`]),
    `  curl -sS ${quoteForShell(`${origin}/v1/admin/sync_skill?source=official`)} \\`,
    `  -H ${quoteForShell(`X-Admin-Key: ${adminKey}`)} \\`,
    `  ${JSON_TYPE} -d @${isDefault ? file : '-'}`,
  ]
}
