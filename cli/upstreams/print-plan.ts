/** Prints what an apply of an upstream's settings would change, and what a change left. */
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { formatTable, toOneLine } from '../terminal/table.ts'

/** Tools that are left out and named; the rest are only counted. */
const NAMES_SHOWN = 10
/** What waits, in the order in which a person should look at it. */
const STATES = ['changed', 'flagged', 'new', 'gone', 'unusable']

export function printUpstreamPlan(shell: Shell, plan: Fields): void {
  const tools = toRows(plan['tools'])
  const print = (line: string) => shell.out.write(`${toOneLine(line)}\n`)
  if (tools.length > 0) {
    const columns = [
      { head: 'DOES', of: ({ does }: Fields) => String(does), whole: true },
      { head: 'CREDITS', of: ({ credits }: Fields) => toText(credits), right: true },
      { head: 'TOKENS', of: ({ tokens }: Fields) => toText(tokens), right: true },
      { head: 'TOOL HERE', of: ({ skillId }: Fields) => String(skillId), whole: true },
      { head: 'AT THE SERVER', of: ({ tool }: Fields) => String(tool) },
    ]
    shell.out.write(formatTable(tools, columns, shell.out))
  }
  for (const { faults, notes, tool } of tools) {
    for (const text of [...toTexts(faults), ...toTexts(notes)]) print(`${tool}: ${text}`)
  }
  for (const id of toTexts(plan['disabled'])) print(`${id} is disabled: its tool is gone`)
  for (const text of toTexts(plan['nameless'])) print(`left out: ${text}`)
  const excluded = toTexts(plan['excluded'])
  if (excluded.length > 0) print(`left out by the settings: ${formatShortList(excluded)}`)
  printNote(shell, toOneLine(describePlan(plan, tools)))
}

function describePlan(plan: Fields, tools: readonly Fields[]): string {
  const { name, version } = toFields(plan['server'])
  const server = name === undefined ? 'The server' : `${name} ${version}`
  const taken = tools.filter(({ does }) => !STATES.includes(String(does))).length
  const waiting = tools.length - taken
  const waits = waiting === 0 ? '' : `, ${waiting} of them held back`
  return `${server} speaks MCP ${plan['protocol']}: ${countTools(tools.length)}${waits}. They take ${plan['listTokens']} tokens of a tool list.`
}

/** Prints what an apply, a refresh or an approval changed, and what waits. */
export function printChanged(shell: Shell, id: string, changed: Fields): void {
  const print = (line: string) => shell.out.write(`${toOneLine(line)}\n`)
  for (const skillId of toTexts(changed['added'])) print(`+ ${skillId}`)
  for (const skillId of toTexts(changed['changed'])) print(`~ ${skillId}`)
  for (const skillId of toTexts(changed['removed'])) print(`- ${skillId}`)
  const waiting = formatWaiting(changed['counts'])
  const count = ['added', 'changed', 'removed'].flatMap((one) => toTexts(changed[one])).length
  printNote(shell, count === 0 ? 'No skill was changed.' : `${count} skills were changed.`)
  if (waiting !== undefined)
    printNote(shell, `Look at ${waiting}: skillgate upstreams show ${id}`)
}

/** Returns `1 changed, 2 new`; undefined if nothing waits. */
export function formatWaiting(counts: unknown): string | undefined {
  const fields = toFields(counts)
  const found = STATES.filter((state) => Number(fields[state] ?? 0) > 0)
  return found.length === 0 ? undefined : found.map((state) => `${fields[state]} ${state}`).join(', ')
}

function countTools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`
}

function formatShortList(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN
  return more > 0
    ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${more} more`
    : names.join(', ')
}

export function toRows(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}
