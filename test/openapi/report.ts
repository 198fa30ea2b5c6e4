/**
 * The report of `npm run test:openapi` over all documents: the table of docs/openapi.md, reasons, the slowest
 * documents, failures.
 */
import type { DocumentResult } from './results.ts'

const SHOWN =
  /^(?:stripe|kubernetes\.io|github|digitalocean|slack|box|asana|zoom\.us|gitlab|spotify|notion)\.?(?:com|org)?\.json$|^(?:github\.com\/api\.github\.com|openai\.com|spotify\.com|notion\.com|gitlab\.com|slack\.com\/openai)\.json$/
const REASONS_SHOWN = 25
const SLOWEST_SHOWN = 10

/** False when a document failed. */
export function printReport(results: readonly DocumentResult[]): boolean {
  print('| document | operations | imported | not imported | list, kB | ms |')
  print('|---|---|---|---|---|---|')
  for (const one of results.filter(({ file }) => SHOWN.test(file))) print(rowOf(one))
  print('\nSlowest:')
  const slowest = [...results].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)
  for (const { file, ms, residentMb } of slowest) print(`${ms} ms, ${residentMb} MB: ${file}`)
  print('\nReasons:')
  for (const [reason, times] of reasonsOf(results)) print(`${times} × ${reason}`)
  const failures = results.filter(({ kind }) => kind === 'failed')
  const planned = results.filter(({ kind }) => kind === 'planned')
  const sum = (of: 'imported' | 'operations') => planned.reduce((all, one) => all + one[of], 0)
  const refused = results.length - planned.length - failures.length
  print(
    `\n${results.length} documents: ${planned.length} planned, ${refused} refused, ${failures.length} failed; ` +
      `${sum('operations')} operations, ${sum('imported')} imported`,
  )
  for (const { file, reasons } of failures) print(`FAILED ${file}: ${Object.keys(reasons).join()}`)
  return failures.length === 0
}

function rowOf({ file, imported, listKb, ms, operations }: DocumentResult): string {
  return `| ${file} | ${operations} | ${imported} | ${operations - imported} | ${listKb} | ${ms} |`
}

function reasonsOf(results: readonly DocumentResult[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const [reason, times] of results.flatMap(({ reasons }) => Object.entries(reasons))) {
    counts.set(reason, (counts.get(reason) ?? 0) + times)
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, REASONS_SHOWN)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
