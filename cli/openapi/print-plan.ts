/**
 * Prints the plan of an import for people: a table of the skills that change, then what differs, and
 * what is left out and why, each on a line of its own.
 */
import type { Invocation } from '../command/command.ts'
import { type Fields, toRows, toTexts } from '../gateway/admin-client.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { type Column, printTable, toOneLine } from '../terminal/table.ts'
import { diffWords, formatParts, type TextPart, writeParts } from '../terminal/word-diff.ts'
import { findRemedy, readLeftOutCode } from './import-words.ts'
import type { RequestedPlan } from './request-plan.ts'

/** Most operations that are named for one reason; the rest are only counted. */
const OPERATIONS_SHOWN = 5

export function printPlan(call: Invocation, { plan, secureUrl }: RequestedPlan): void {
  const { shell } = call
  const print = (line: string) => printMarkedLine(shell.out, toOneLine(line))
  const rows = listChanged(plan)
  if (rows.length > 0) printTable(shell, rows, COLUMNS)
  printHosts(print, listRows(plan, 'added'))
  for (const one of listRows(plan, 'changed')) printChanges(call, one)
  for (const one of listRows(plan, 'removed')) print(`${one['skillId']}: ${explainRemoval(one)}`)
  for (const one of listRows(plan, 'edited')) print(`${one['skillId']}: ${formatEdits(one)}`)
  for (const { reasons, skillId } of listRows(plan, 'breaking')) {
    for (const reason of toTexts(reasons)) print(`! ${skillId} breaks: ${reason}`)
  }
  for (const { notes, skillId } of [...listRows(plan, 'added'), ...listRows(plan, 'changed')]) {
    for (const note of toTexts(notes)) print(`${skillId}: ${note}`)
  }
  printNames(print, listRows(plan, 'listed'))
  printLeftOut(print, listRows(plan, 'notImported'), secureUrl)
  for (const { name, what } of listRows(plan, 'secrets')) print(`secret ${name}: ${what}`)
  printNote(shell, formatSummary(plan))
}

/** Prints what a model reads of each tool in a list. */
export function printAsModel({ out }: Shell, plan: Fields): void {
  for (const { credits, says, signature, tokens } of listRows(plan, 'listed')) {
    out.write(`${toOneLine(String(signature))}\n`)
    out.write(`  ${toOneLine(String(says))} (${formatCredits(credits)}, ${tokens} tokens)\n`)
  }
}

type ChangedRow = {
  readonly change: string
  readonly skillId: string
  readonly operation: string
  readonly credits: unknown
  readonly tokens: unknown
  readonly description: unknown
}

const COLUMNS: readonly Column<ChangedRow>[] = [
  { head: 'CHANGE', of: ({ change }) => change, kind: 'state' },
  { head: 'TOOL', of: ({ skillId }) => skillId, kind: 'id' },
  { head: 'OPERATION', of: ({ operation }) => operation },
  { head: 'CREDITS', of: ({ credits }) => toCell(credits), right: true },
  { head: 'TOKENS', of: ({ tokens }) => toCell(tokens), right: true },
  { head: 'DESCRIPTION', of: ({ description }) => toCell(description), kind: 'text' },
]

function toCell(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

function listChanged(plan: Fields): readonly ChangedRow[] {
  const listed = new Map(listRows(plan, 'listed').map((one) => [one['skillId'], one]))
  const toRow = (change: string) => (one: Fields) => {
    const { credits, says, tokens } = listed.get(one['skillId']) ?? {}
    const { operation, skillId } = one
    const ids = { skillId: String(skillId), operation: String(operation) }
    return { change, ...ids, credits, tokens, description: says }
  }
  const removed = listRows(plan, 'removed').map((one) => toRow(String(one['to']))(one))
  return [
    ...listRows(plan, 'added').map(toRow('added')),
    ...listRows(plan, 'changed').map(toRow('changed')),
    ...removed,
  ]
}

/** Where calls go is what a person accepts with a new tool. */
function printHosts(print: (line: string) => void, added: readonly Fields[]): void {
  for (const [host, tools] of Map.groupBy(added, (one) => String(one['host']))) {
    print(
      tools.length === 1 ? `1 new tool calls ${host}` : `${tools.length} new tools call ${host}`,
    )
  }
}

/** Writes a heading and a line for each place that differs. */
function printChanges({ shell: { out } }: Invocation, { fields, skillId }: Fields): void {
  for (const change of toRows(fields)) {
    out.write(`${toOneLine(`${skillId}: ${nameField(String(change['field']))}: `)}`)
    writeParts(out, listParts(change))
    out.write('\n')
  }
}

/** Formats a change in one line, without colours, with the field as files name it. */
export function formatChange(change: Fields): string {
  return `${change['field']} ${formatParts(listParts(change))}`
}

/** Two texts are compared word by word; other values are shown as they are. */
function listParts({ from, to }: Fields): readonly TextPart[] {
  const [before, after] = [readText(from), readText(to)]
  if (before !== undefined && after !== undefined) {
    return diffWords(toOneLine(before), toOneLine(after))
  }
  if (from !== undefined && to !== undefined) return [{ kind: 'same', text: `${from} → ${to}` }]
  return [
    ...(from === undefined ? [] : [{ kind: 'gone', text: String(from) } as const]),
    ...(to === undefined ? [] : [{ kind: 'new', text: String(to) } as const]),
  ]
}

/** The gateway writes values as JSON, and ends one that it cuts in `…`. */
function readText(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('"')) return undefined
  try {
    return String(JSON.parse(value.endsWith('…') ? `${value.replace(/\\*…$/, '')}…"` : value))
  } catch {
    // A value that was cut inside an escape is shown as it came.
    return undefined
  }
}

/** Names a field of a skill in the words of a person who reads the tool. */
function nameField(field: string): string {
  if (field === 'credits_per_call') return 'price'
  return field
    .replace(/^meta\/parameters\/properties\/([^/]+)/, 'argument $1')
    .replace(/^meta\/parameters/, 'arguments')
    .replace(/^meta\/output_schema/, 'answer')
    .replace(/^(?:meta|config)\//, '')
    .replaceAll('/', ' ')
}

function explainRemoval({ cause, operation, to }: Fields): string {
  const why =
    cause === 'not_selected'
      ? `${operation} is no longer selected`
      : cause === 'not_imported'
        ? `${operation} can no longer be a tool`
        : `${operation} is gone from the document`
  return `${to}, because ${why}`
}

function formatEdits({ conflicts, fields }: Fields): string {
  const byHand = `edited by hand and kept: ${toTexts(fields).map(nameField).join(', ')}`
  const both = toTexts(conflicts)
  return both.length === 0
    ? byHand
    : `${byHand}; the document changed ${both.map(nameField).join(', ')} too`
}

const GENERATED: { readonly [named: string]: string } = {
  path: 'is made of method and path',
  cut: 'is cut and ends in a hash',
  taken: 'ends in a hash, since another operation has the name',
}

/** Tells which names a person would want to choose. */
function printNames(print: (line: string) => void, listed: readonly Fields[]): void {
  const generated = listed.filter(({ named }) => Object.hasOwn(GENERATED, String(named)))
  for (const { named, operation, skillId } of generated.slice(0, OPERATIONS_SHOWN)) {
    print(`${skillId}: the name ${GENERATED[String(named)]}; choose one: --name '${operation}=…'`)
  }
  const more = generated.length - OPERATIONS_SHOWN
  if (more > 0) print(`${more} more names are generated.`)
}

function printLeftOut(
  print: (line: string) => void,
  rows: readonly Fields[],
  secureUrl: string | undefined,
): void {
  for (const [, group] of Map.groupBy(rows, ({ code, reason }) => `${code} ${reason}`)) {
    const remedy = findRemedy(readLeftOutCode(group[0]?.['code']), secureUrl)
    const names = formatShortList(group.map(({ operation }) => String(operation)))
    const hint = remedy === undefined ? '' : ` (${remedy})`
    print(`not imported: ${names}: ${group[0]?.['reason']}${hint}`)
  }
}

/** Counts only what there is. */
function formatSummary(plan: Fields): string {
  const count = (name: string) => listRows(plan, name).length
  const { imported, listTokens, notSelected, operations, tools } = plan
  const unchanged = Number(imported) - count('added') - count('changed')
  const counts = [
    ...(['added', 'changed', 'removed'] as const).map((name) => [count(name), name] as const),
    [unchanged, 'unchanged'] as const,
  ].filter(([number]) => number > 0)
  const changes = counts.map(([number, name]) => `${number} ${name}`).join(', ')
  const left =
    Number(notSelected) > 0 ? `${notSelected} of ${operations} operations not selected` : ''
  const listed = tools === undefined ? '' : `The new list has ${tools} tools.`
  const first = [changes, left].filter((one) => one !== '').join('; ')
  const tokens = `The tools are ${listTokens} tokens of a list.`
  return [first === '' ? '' : `${first}.`, tokens, listed].filter((one) => one !== '').join(' ')
}

function formatCredits(credits: unknown): string {
  return `${credits} ${credits === 1 ? 'credit' : 'credits'}`
}

/** Returns the host that a new tool calls, its price and its description. */
export function describeNewTool({ credits, description, host, name }: Fields): string {
  const title = name === description ? '' : ` (${name})`
  return `${host}, ${formatCredits(credits)}: ${description}${title}`
}

function formatShortList(names: readonly string[]): string {
  const more = names.length - OPERATIONS_SHOWN
  return more > 0
    ? `${names.slice(0, OPERATIONS_SHOWN).join(', ')} and ${more} more`
    : names.join(', ')
}

function listRows(plan: Fields, name: string): readonly Fields[] {
  return toRows(plan[name])
}
