/**
 * Lets a person choose operations of a document, by tag or one by one, with the tokens that the
 * tools add to a list. Returns the options that choose the same without a terminal.
 */
import { SELECTED_MAX } from '../../core/openapi/limits.ts'
import type { Invocation } from '../command/command.ts'
import type { Choice } from '../terminal/shell.ts'
import type { OperationRow } from './list-operations.ts'

/** Options by flag, as an invocation has them. */
export type ChosenOptions = { readonly [flag: string]: readonly string[] }

/** Returns undefined if the person gives up. */
export async function chooseOperations(
  { shell }: Invocation,
  rows: readonly OperationRow[],
): Promise<ChosenOptions | undefined> {
  const offered = rows.filter(({ state }) => state === 'ok')
  const chosen = await shell.input.choose(toChoice(offered))
  return chosen === undefined ? undefined : toOptions(offered, chosen)
}

/** Values of rows: all operations, those of a tag, and single ones. */
const ALL = 'all'
const TAG = 'tag:'
const OPERATION = 'operation:'
const UNTAGGED = 'without a tag'

function toChoice(rows: readonly OperationRow[]): Choice {
  const options = groupByTag(rows).flatMap(([tag, own]) => [
    { value: `${TAG}${tag}`, label: `${tag}: ${describeRows(own)}`, hint: 'all of the tag' },
    ...own.map(({ method, operation, path, summary = '', tokens = 0 }) => ({
      value: `${OPERATION}${operation}`,
      label: `  ${method} ${path}  ${operation}  ${tokens} tokens`,
      hint: summary,
    })),
  ])
  const everything = { value: ALL, label: `everything: ${describeRows(rows)}`, hint: '' }
  return {
    describe: (chosen) => {
      const picked = pickRows(rows, chosen)
      const many = picked.length > SELECTED_MAX ? `; over ${SELECTED_MAX} is much to read` : ''
      return `Which operations become tools? Chosen: ${describeRows(picked)} of a list${many}`
    },
    options: [everything, ...options],
  }
}

function describeRows(rows: readonly OperationRow[]): string {
  return `${rows.length === 1 ? '1 operation' : `${rows.length} operations`}, ${countTokens(rows)} tokens`
}

/** An operation stands under the first of its tags. */
function groupByTag(
  rows: readonly OperationRow[],
): readonly (readonly [string, readonly OperationRow[]])[] {
  const groups = new Map<string, OperationRow[]>()
  for (const row of rows) {
    const [tag = UNTAGGED] = row.tags
    const group = groups.get(tag)
    if (group === undefined) groups.set(tag, [row])
    else group.push(row)
  }
  return [...groups]
}

function pickRows(
  rows: readonly OperationRow[],
  chosen: readonly string[],
): readonly OperationRow[] {
  const values = new Set(chosen)
  return rows.filter(({ operation, tags }) => {
    const [tag = UNTAGGED] = tags
    return values.has(ALL) || values.has(`${OPERATION}${operation}`) || values.has(`${TAG}${tag}`)
  })
}

/** Prefers the shortest options: all, whole tags, single operations. */
function toOptions(rows: readonly OperationRow[], chosen: readonly string[]): ChosenOptions {
  const picked = pickRows(rows, chosen)
  const all = picked.length > SELECTED_MAX ? { all: [''] } : {}
  if (picked.length === rows.length) return { all: [''] }
  const tags = [...new Set(picked.flatMap((row) => row.tags))]
  const byTag = rows.filter((row) => row.tags.some((tag) => tags.includes(tag)))
  const isWhole = byTag.length === picked.length && picked.every((row) => row.tags.length > 0)
  if (isWhole && tags.length < picked.length) return { tag: tags, ...all }
  return { operation: picked.map(({ operation }) => operation), ...all }
}

function countTokens(rows: readonly OperationRow[]): number {
  return rows.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
}
