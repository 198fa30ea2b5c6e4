/**
 * `npm run limits:page`: writes the numbers into the tables under the heading Limits of docs/wire.md, from the constants
 * that the rows name. A row's words are written by hand. It fails, and writes nothing, when a row names no constant that
 * the code has, or when a number of core/…/limits.ts has no row. A test fails when the page is out of date.
 */
import '../bench/lib/help.ts'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/wire.md')
const NUMBER = /-?\d[\d,]*/

type Named = { readonly file: string; readonly name: string }

/** The page with the numbers of this build, and what is wrong with its rows, one line for each fault. */
export async function limitsPage(
  page: string,
): Promise<{ readonly page: string; readonly faults: readonly string[] }> {
  const lines = page.split('\n')
  const from = lines.indexOf('## Limits')
  const to = lines.findIndex((line, index) => index > from && line.startsWith('## '))
  const faults: string[] = []
  const rows: Named[] = []
  // The file that the head of a table names for all its rows.
  let tableFile = ''
  const written = lines.slice(from, to).map(async (line) => {
    if (line.startsWith('| Limit |')) tableFile = /in `([^`]+)` \|$/.exec(line)?.[1] ?? ''
    const row = constantOf(line, tableFile)
    if (row === undefined) {
      if (isRow(line)) faults.push(`This row names no constant: ${line}`)
      return line
    }
    rows.push(row)
    const value = (await constantsOf(row.file))[row.name]
    if (typeof value === 'number') return withNumber(line, value)
    faults.push(`${row.file} has no number ${row.name}: correct the row, or delete it.`)
    return line
  })
  const section = await Promise.all(written)
  for (const { file, name } of await withoutRow(rows)) {
    faults.push(`${name} of ${file} has no row: write one.`)
  }
  return { page: [...lines.slice(0, from), ...section, ...lines.slice(to)].join('\n'), faults }
}

function constantOf(line: string, tableFile: string): Named | undefined {
  const [, name = '', file = tableFile] = /`([A-Z]\w+)`(?: in `([^`]+)`)? \|$/.exec(line) ?? []
  return isRow(line) && name !== '' ? { file, name } : undefined
}

function isRow(line: string): boolean {
  return line.startsWith('| ') && !line.startsWith('| Limit |')
}

/** The first number of the second cell: `1,048,576 bytes`, `every 5,000 ms`. */
function withNumber(line: string, value: number): string {
  const [label = '', cell = '', ...more] = line.slice(1).split('|')
  return `|${[label, cell.replace(NUMBER, value.toLocaleString('en-US')), ...more].join('|')}`
}

async function withoutRow(rows: readonly Named[]): Promise<readonly Named[]> {
  const files = globSync('core/*/limits.ts', { cwd: ROOT }).sort()
  const limits = await Promise.all(
    files.map(async (file) =>
      Object.entries(await constantsOf(file))
        .filter(([, value]) => typeof value === 'number')
        .map(([name]) => ({ file, name })),
    ),
  )
  return limits.flat().filter((one) => !rows.some((row) => isSame(row, one)))
}

function isSame(a: Named, b: Named): boolean {
  return a.file === b.file && a.name === b.name
}

async function constantsOf(file: string): Promise<{ readonly [name: string]: unknown }> {
  return import(join(ROOT, file))
}

if (import.meta.main) {
  const { faults, page } = await limitsPage(readFileSync(PAGE, 'utf8'))
  if (faults.length === 0) writeFileSync(PAGE, page)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
