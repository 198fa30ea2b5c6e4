/**
 * `npm run limits:page`: writes the numbers into the tables under the heading Limits of
 * docs/wire.md, from the constants that the rows name. The words of a row are written by hand. The
 * script fails, and writes nothing, if a row names no constant of the code, or if a number of
 * core/…/limits.ts has no row. A test fails when the page is out of date.
 */
import '../bench/lib/help.ts'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/wire.md')
const NUMBER = /-?\d[\d,]*/

type NamedConstant = { readonly file: string; readonly name: string }

/** Returns the page with the numbers of this build, and one line for each error of its rows. */
export async function formatLimitsPage(
  page: string,
): Promise<{ readonly page: string; readonly faults: readonly string[] }> {
  const lines = page.split('\n')
  const from = lines.indexOf('## Limits')
  const to = lines.findIndex((line, index) => index > from && line.startsWith('## '))
  const faults: string[] = []
  const rows: NamedConstant[] = []
  // The file that the head of a table names for all its rows.
  let tableFile = ''
  const written = lines.slice(from, to).map(async (line) => {
    if (line.startsWith('| Limit |')) tableFile = /in `([^`]+)` \|$/.exec(line)?.[1] ?? ''
    const row = readConstantName(line, tableFile)
    if (row === undefined) {
      if (isRow(line)) faults.push(`This row names no constant: ${line}`)
      return line
    }
    rows.push(row)
    const value = (await importConstants(row.file))[row.name]
    if (typeof value === 'number') return withNumber(line, value)
    faults.push(`${row.file} has no number ${row.name}: correct the row, or delete it.`)
    return line
  })
  const section = await Promise.all(written)
  for (const { file, name } of await findWithoutRow(rows)) {
    faults.push(`${name} of ${file} has no row: write one.`)
  }
  return { page: [...lines.slice(0, from), ...section, ...lines.slice(to)].join('\n'), faults }
}

function readConstantName(line: string, tableFile: string): NamedConstant | undefined {
  const [, name = '', file = tableFile] = /`([A-Z]\w+)`(?: in `([^`]+)`)? \|$/.exec(line) ?? []
  return isRow(line) && name !== '' ? { file, name } : undefined
}

function isRow(line: string): boolean {
  return line.startsWith('| ') && !line.startsWith('| Limit |')
}

/** Replaces the first number of the second cell: `1,048,576 bytes`, `every 5,000 ms`. */
function withNumber(line: string, value: number): string {
  const [label = '', cell = '', ...more] = line.slice(1).split('|')
  return `|${[label, cell.replace(NUMBER, value.toLocaleString('en-US')), ...more].join('|')}`
}

async function findWithoutRow(rows: readonly NamedConstant[]): Promise<readonly NamedConstant[]> {
  const files = globSync('core/*/limits.ts', { cwd: ROOT }).sort()
  const limits = await Promise.all(
    files.map(async (file) =>
      Object.entries(await importConstants(file))
        .filter(([, value]) => typeof value === 'number')
        .map(([name]) => ({ file, name })),
    ),
  )
  return limits.flat().filter((one) => !rows.some((row) => isSame(row, one)))
}

function isSame(a: NamedConstant, b: NamedConstant): boolean {
  return a.file === b.file && a.name === b.name
}

async function importConstants(file: string): Promise<{ readonly [name: string]: unknown }> {
  return import(join(ROOT, file))
}

if (import.meta.main) {
  const { faults, page } = await formatLimitsPage(readFileSync(PAGE, 'utf8'))
  if (faults.length === 0) writeFileSync(PAGE, page)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
