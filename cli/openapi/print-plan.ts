/**
 * Prints the plan of an import for people: a line for each skill that changes, then what is left
 * out and why.
 */
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'

/** Most operations that are named for one reason; the rest are only counted. */
const OPERATIONS_SHOWN = 5

export function printPlan(shell: Shell, plan: Fields): void {
  const print = (line: string) => printMarkedLine(shell.out, toOneLine(line))
  for (const one of listRows(plan, 'added')) {
    print(`+ ${formatName(one)}${formatNotes(one)}`)
    print(`  ${describeNewTool(one)}`)
  }
  for (const one of listRows(plan, 'changed'))
    print(`~ ${formatName(one)}: ${formatChanges(one)}${formatNotes(one)}`)
  for (const one of listRows(plan, 'removed')) print(`- ${formatName(one)}: ${one['to']}`)
  for (const one of listRows(plan, 'edited')) print(`= ${formatName(one)}: ${formatEdits(one)}`)
  for (const { reasons, skillId } of listRows(plan, 'breaking')) {
    for (const reason of toTexts(reasons)) print(`! ${skillId} breaks: ${reason}`)
  }
  for (const [reason, operations] of groupByReason(listRows(plan, 'notImported'))) {
    print(`  not imported: ${formatShortList(operations)}: ${reason}`)
  }
  for (const { name, what } of listRows(plan, 'secrets')) print(`  secret ${name}: ${what}`)
  printNote(shell, formatSummary(plan))
}

function formatSummary(plan: Fields): string {
  const count = (name: string) => `${listRows(plan, name).length} ${name}`
  const { listBytes, notSelected, operations, tools, unchanged } = plan
  const listed = tools === undefined ? '' : ` The new list has ${tools} tools.`
  return (
    `${count('added')}, ${count('changed')}, ${count('removed')}, ${unchanged} unchanged; ` +
    `${notSelected} of ${operations} operations not selected. These tools are ${listBytes} bytes of a list.${listed}`
  )
}

function formatName({ operation, skillId }: Fields): string {
  return `${skillId}  ${operation}`
}

/** Returns the host that a new tool calls, its price and its description. */
export function describeNewTool({ credits, description, host, name }: Fields): string {
  const title = name === description ? '' : ` (${name})`
  return `${host}, ${credits} ${credits === 1 ? 'credit' : 'credits'}: ${description}${title}`
}

function formatNotes({ notes }: Fields): string {
  const words = toTexts(notes)
  return words.length === 0 ? '' : ` (${words.join(' ')})`
}

function formatChanges({ fields }: Fields): string {
  return (Array.isArray(fields) ? fields : [])
    .map(toFields)
    .map(({ field, from, to }) => `${field} ${from ?? 'nothing'} → ${to ?? 'nothing'}`)
    .join('; ')
}

function formatEdits({ conflicts, fields }: Fields): string {
  const byHand = `edited by hand and kept: ${toTexts(fields).join(', ')}`
  const both = toTexts(conflicts)
  return both.length === 0 ? byHand : `${byHand}; the document changed ${both.join(', ')} too`
}

function groupByReason(rows: readonly Fields[]): ReadonlyMap<string, readonly string[]> {
  const byReason = new Map<string, string[]>()
  for (const { operation, reason } of rows) {
    byReason.set(String(reason), [...(byReason.get(String(reason)) ?? []), String(operation)])
  }
  return byReason
}

function formatShortList(names: readonly string[]): string {
  const more = names.length - OPERATIONS_SHOWN
  return more > 0
    ? `${names.slice(0, OPERATIONS_SHOWN).join(', ')} and ${more} more`
    : names.join(', ')
}

function listRows(plan: Fields, name: string): readonly Fields[] {
  const rows = plan[name]
  return Array.isArray(rows) ? rows.map(toFields) : []
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
