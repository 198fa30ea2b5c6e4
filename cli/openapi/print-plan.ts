/** The plan of an import for people: a line for each skill that changes, then what is left out and why. */
import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { note, type Shell } from '../terminal/shell.ts'
import { plain } from '../terminal/table.ts'

/** Operations of one reason that are named; the rest are counted. */
const OPERATIONS_SHOWN = 5

export function printPlan(shell: Shell, plan: Fields): void {
  const print = (line: string) => shell.out.write(`${plain(line)}\n`)
  for (const one of rowsOf(plan, 'added')) {
    print(`+ ${nameOf(one)}${notesOf(one)}`)
    print(`  ${aboutNew(one)}`)
  }
  for (const one of rowsOf(plan, 'changed'))
    print(`~ ${nameOf(one)}: ${changesOf(one)}${notesOf(one)}`)
  for (const one of rowsOf(plan, 'removed')) print(`- ${nameOf(one)}: ${one['to']}`)
  for (const one of rowsOf(plan, 'edited')) print(`= ${nameOf(one)}: ${editsOf(one)}`)
  for (const { reasons, skillId } of rowsOf(plan, 'breaking')) {
    for (const reason of listOf(reasons)) print(`! ${skillId} breaks: ${reason}`)
  }
  for (const [reason, operations] of reasonsOf(rowsOf(plan, 'notImported'))) {
    print(`  not imported: ${shortList(operations)}: ${reason}`)
  }
  for (const { name, what } of rowsOf(plan, 'secrets')) print(`  secret ${name}: ${what}`)
  note(shell, summaryOf(plan))
}

function summaryOf(plan: Fields): string {
  const count = (name: string) => `${rowsOf(plan, name).length} ${name}`
  const { listBytes, notSelected, operations, tools, unchanged } = plan
  const listed = tools === undefined ? '' : ` The new list has ${tools} tools.`
  return (
    `${count('added')}, ${count('changed')}, ${count('removed')}, ${unchanged} unchanged; ` +
    `${notSelected} of ${operations} operations not selected. These tools are ${listBytes} bytes of a list.${listed}`
  )
}

function nameOf({ operation, skillId }: Fields): string {
  return `${skillId}  ${operation}`
}

/** Where a new tool sends, its price, and what it says it does. */
export function aboutNew({ credits, description, host, name }: Fields): string {
  const title = name === description ? '' : ` (${name})`
  return `${host}, ${credits} ${credits === 1 ? 'credit' : 'credits'}: ${description}${title}`
}

function notesOf({ notes }: Fields): string {
  const words = listOf(notes)
  return words.length === 0 ? '' : ` (${words.join(' ')})`
}

function changesOf({ fields }: Fields): string {
  return (Array.isArray(fields) ? fields : [])
    .map(fieldsOf)
    .map(({ field, from, to }) => `${field} ${from ?? 'nothing'} → ${to ?? 'nothing'}`)
    .join('; ')
}

function editsOf({ conflicts, fields }: Fields): string {
  const byHand = `edited by hand and kept: ${listOf(fields).join(', ')}`
  const both = listOf(conflicts)
  return both.length === 0 ? byHand : `${byHand}; the document changed ${both.join(', ')} too`
}

function reasonsOf(rows: readonly Fields[]): ReadonlyMap<string, readonly string[]> {
  const byReason = new Map<string, string[]>()
  for (const { operation, reason } of rows) {
    byReason.set(String(reason), [...(byReason.get(String(reason)) ?? []), String(operation)])
  }
  return byReason
}

function shortList(names: readonly string[]): string {
  const more = names.length - OPERATIONS_SHOWN
  return more > 0
    ? `${names.slice(0, OPERATIONS_SHOWN).join(', ')} and ${more} more`
    : names.join(', ')
}

function rowsOf(plan: Fields, name: string): readonly Fields[] {
  const rows = plan[name]
  return Array.isArray(rows) ? rows.map(fieldsOf) : []
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
