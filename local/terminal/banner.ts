/**
 * The text that the twin prints when it is ready. Every command after "Try it", "Connect" and "Add"
 * works when pasted into sh, so the keys are shown in full.
 */
import { formatCredits } from '../../core/ledger/amount.ts'
import type { ListedTool } from './listed-tools.ts'

export type Ready = {
  readonly version: string
  readonly readySec: number
  /** `data .local (kept)` or `data in memory only`. */
  readonly data: string
  readonly kept: boolean
  /** Names the store, and the reason, where it is not the usual one. */
  readonly origin: string
  readonly key: string
  readonly username: string
  readonly credits: number
  readonly adminKey: string
  readonly prefix: string
  /** Hosts of --outbound-allow; empty where it was not given. */
  readonly outboundAllow: readonly string[]
  readonly tools: readonly ListedTool[]
}

/** The example skill names this origin: the twin's with default options. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:8787'
/** The banner fits the smallest common terminal: 80 columns and, with the cursor, 24 rows. */
const COLUMNS = 80
const ROWS = 24
const TOOL_ROWS_MAX = 2
const LABEL_COLUMNS = 11

/** Another port takes a row of `sed`, and a store of its own a note; then tools have one row. */
export function bannerText(ready: Ready): string {
  const whole = rowsWith(ready, TOOL_ROWS_MAX, true)
  const fits = (rows: readonly string[]) => rows.length < ROWS
  if (fits(whole)) return textOf(whole)
  const shorter = rowsWith(ready, 1, true)
  return textOf(fits(shorter) ? shorter : rowsWith(ready, 1, false))
}

function textOf(rows: readonly string[]): string {
  return `${rows.join('\n')}\n`
}

function rowsWith(ready: Ready, toolRowsMax: number, hasGap: boolean): readonly string[] {
  const { adminKey, data, key, origin, readySec, tools, version } = ready
  return [
    fitted(`Skillgate ${version} · ready in ${readySec.toFixed(1)} s · ${data}`),
    `  Agents   ${origin}/mcp   (HTTP+SSE: /v1/mcp/sse)`,
    fitted(`  Key      ${key}  ${ready.username}, ${ready.credits} credits`),
    `  Admin    ${adminKey}  X-Admin-Key`,
    `  Tools    ${toolRows(tools, toolRowsMax).join(`\n${' '.repeat(LABEL_COLUMNS)}`)}`,
    ...(hasGap ? [''] : []),
    'Try it (another terminal)',
    ...callLines(ready),
    'Connect an agent',
    ...connectLines(ready),
    'or in mcp.json (Cursor; VS Code says "servers" and adds "type": "http")',
    ...mcpJsonLines(ready),
    'Add your own (another terminal, in this folder)',
    ...addLines(ready),
    fitted(lastLine(ready)),
  ].flatMap((row) => row.split('\n'))
}

/** The hosts in force stand here even where they were given in the environment. */
function lastLine({ kept, outboundAllow }: Ready): string {
  const hosts =
    outboundAllow.length === 0
      ? 'Local API? Add --outbound-allow localhost:3000.'
      : `Skills may also reach ${outboundAllow.join(', ')}.`
  const stops = kept ? 'Ctrl-C stops; nothing is lost.' : 'Ctrl-C stops; nothing is kept.'
  const whole = `${hosts} ${stops}`
  return whole.length <= COLUMNS || outboundAllow.length === 0 ? whole : hosts
}

/** A row that nobody pastes may be cut. */
function fitted(row: string): string {
  return row.length <= COLUMNS ? row : `${row.slice(0, COLUMNS - 1)}…`
}

/** As many tools as fit into the rows; the last row counts the others. */
function toolRows(tools: readonly ListedTool[], rowsMax: number): readonly string[] {
  const rows: string[] = []
  for (const [i, tool] of tools.entries()) {
    const text = toolText(tool)
    const last = rows.at(-1)
    const joined = last === undefined ? text : `${last} · ${text}`
    const others = tools.length - i - 1
    const isLastRow = rows.length >= rowsMax
    const suffix = isLastRow && others > 0 ? ` · and ${others} more` : ''
    if (last !== undefined && LABEL_COLUMNS + joined.length + suffix.length <= COLUMNS) {
      rows[rows.length - 1] = joined
    } else if (isLastRow) {
      rows[rows.length - 1] = `${last} · and ${others + 1} more`
      return rows
    } else {
      rows.push(text)
    }
  }
  return rows
}

function toolText(tool: ListedTool): string {
  return tool.priceMicro === undefined
    ? tool.name
    : `${tool.name} ${formatCredits(tool.priceMicro)}`
}

function callLines({ key, origin, prefix }: Ready): readonly string[] {
  const body = JSON.stringify({ skill: `${prefix}_weather`, arguments: { city: 'Oslo' } })
  return [
    `  curl -sS ${quoted(`${origin}/v1/execute`)} ${JSON_TYPE} \\`,
    `  -H ${quoted(`Authorization: Bearer ${key}`)} \\`,
    `  -d ${quoted(body)}`,
  ]
}

const JSON_TYPE = '-H content-type:application/json'

function connectLines({ key, origin }: Ready): readonly string[] {
  return [
    `  claude mcp add --transport http skillgate ${quoted(`${origin}/mcp`)} \\`,
    `  -H ${quoted(`Authorization: Bearer ${key}`)}`,
  ]
}

function mcpJsonLines({ key, origin }: Ready): readonly string[] {
  return [
    `  {"mcpServers":{"skillgate":{"url":${JSON.stringify(`${origin}/mcp`)},`,
    '  "headers":{"Authorization":',
    `  ${JSON.stringify(`Bearer ${key}`)}}}}}`,
  ]
}

/** On another origin than the example's, `sed` puts this twin's into the example. */
function addLines({ adminKey, origin }: Ready): readonly string[] {
  const file = 'examples/skills/joke.json'
  const isDefault = origin === EXAMPLE_ORIGIN
  const host = (of: string) => of.replace('http://', '')
  return [
    ...(isDefault
      ? []
      : [`  sed ${quoted(`s#${host(EXAMPLE_ORIGIN)}#${host(origin)}#`)} ${file} |`]),
    `  curl -sS ${quoted(`${origin}/v1/admin/sync_skill?source=official`)} \\`,
    `  -H ${quoted(`X-Admin-Key: ${adminKey}`)} \\`,
    `  ${JSON_TYPE} -d @${isDefault ? file : '-'}`,
  ]
}

/** Quotes a word only where sh would change it: the rows are narrow. */
function quoted(text: string): string {
  if (/^[A-Za-z0-9:/._=-]+$/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
