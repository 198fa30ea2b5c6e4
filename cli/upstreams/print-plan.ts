/** Prints what an apply of an upstream's settings would change, and what a change left. */
import { type Fields, toFields, toRows, toTexts } from '../gateway/admin-client.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { type Column, printTable, toOneLine } from '../terminal/table.ts'

/** Tools that are left out and named; the rest are only counted. */
const NAMES_SHOWN = 10
/** States that end with an approval, in the order in which a person should look. */
const WAITING = ['changed', 'flagged', 'new']

export function printUpstreamPlan(shell: Shell, plan: Fields): void {
  const tools = toRows(plan['tools'])
  const print = (line: string) => shell.out.write(`${toOneLine(line)}\n`)
  if (tools.length > 0) printTable(shell, tools, COLUMNS)
  for (const { faults, notes, skillId, tool } of tools) {
    const name = String(tool)
    if (!String(skillId).endsWith(`_${name}`)) print(`${name} is called ${skillId} here`)
    for (const text of [...toTexts(faults), ...toTexts(notes)]) {
      print(text.startsWith(name) ? text : `${name}: ${text}`)
    }
  }
  for (const id of toTexts(plan['disabled'])) {
    print(`${id} is disabled: its tool is gone or left out`)
  }
  for (const text of toTexts(plan['nameless'])) print(`left out: ${text}`)
  const excluded = toTexts(plan['excluded'])
  if (excluded.length > 0) print(`left out by the settings: ${formatShortList(excluded)}`)
  printNote(shell, toOneLine(describePlan(plan, tools)))
}

const COLUMNS: readonly Column<Fields>[] = [
  { head: 'DOES', of: describeWork, kind: 'state' },
  { head: 'CREDITS', field: 'credits', right: true },
  { head: 'TOKENS', field: 'tokens', right: true },
  { head: 'TOOL', field: 'tool', kind: 'id' },
]

function describeWork({ does, waits }: Fields): string {
  const isApproved = waits !== true || !WAITING.includes(String(does))
  return isApproved ? String(does) : `waits: ${does}`
}

function describePlan(plan: Fields, tools: readonly Fields[]): string {
  const { name, version } = toFields(plan['server'])
  const server = name === undefined ? 'The server' : `${name} ${version}`
  const named = tools.find(({ skillId, tool }) => String(skillId).endsWith(`_${tool}`))
  const start =
    named === undefined ? '' : String(named['skillId']).slice(0, -String(named['tool']).length)
  const names = start === '' ? '' : ` Names here begin with ${start}.`
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`
  return `${server} speaks MCP ${plan['protocol']}: ${count}, ${plan['listTokens']} tokens of a tool list.${names}`
}

/** Prints what an apply, a refresh or an approval changed, and what waits. */
export function printChanged(shell: Shell, id: string, changed: Fields): void {
  const [added, updated, removed] = ['added', 'changed', 'removed'].map((one) =>
    toTexts(changed[one]),
  )
  const lines = [
    ...(added ?? []).map((skillId) => `+ ${skillId}`),
    ...(updated ?? []).map((skillId) => `~ ${skillId}`),
    ...(removed ?? []).map((skillId) => `- ${skillId}`),
  ]
  for (const line of lines) printMarkedLine(shell.out, toOneLine(line))
  printNote(shell, COUNTED[lines.length] ?? `${lines.length} skills were changed.`)
  const waiting = formatWaiting(changed['counts'])
  if (waiting === undefined) return
  printNote(shell, `Waiting for an approval: ${waiting}. See skillgate upstreams show ${id}.`)
}

const COUNTED = ['No skill was changed.', '1 skill was changed.']

/** Returns `1 changed, 2 new`; undefined if no tool waits for an approval. */
export function formatWaiting(counts: unknown): string | undefined {
  const fields = toFields(counts)
  const found = WAITING.filter((state) => Number(fields[state] ?? 0) > 0)
  return found.length === 0
    ? undefined
    : found.map((state) => `${fields[state]} ${state}`).join(', ')
}

/** Tells whether an approval is what a tool of this state waits for. */
export function isWaiting({ state }: Fields): boolean {
  return WAITING.includes(String(state))
}

function formatShortList(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN
  return more > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${more} more` : names.join(', ')
}
