/** Prints the output of the benches: percentiles, Markdown tables, the machine. */
import { cpus, loadavg, release, totalmem } from 'node:os'
import { IS_SHORT } from './short.ts'

export function computePercentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.ceil((percent / 100) * sorted.length) - 1
  return sorted[Math.min(Math.max(at, 0), sorted.length - 1)] ?? Number.NaN
}

export function computeMedian(values: readonly number[]): number {
  return computePercentile(values, 50)
}

export function printTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  console.log(line(columns))
  console.log(line(columns.map((_, index) => (index === 0 ? '---' : '---:'))))
  for (const row of rows) console.log(line(row))
  console.log('')
}

export function printMachine(command: string): void {
  const [cpu] = cpus()
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  const today = new Date().toISOString().slice(0, 10)
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memoryGb} GB, Linux ${release()}`
  console.log(`\`${command}\`, ${today}, Node ${process.versions.node}, ${machine}\n`)
  if (IS_SHORT) console.log('A short run: its figures say nothing.\n')
}

/**
 * Prints the load of the machine at the end of a bench, because figures of a busy machine say
 * little.
 */
export function printLoad(): void {
  console.log(`Load of the machine (1, 5, 15 min): ${loadavg().map(formatMs).join(', ')}`)
}

/** Formats milliseconds with one decimal; more would be noise. */
export function formatMs(value: number): string {
  return value.toFixed(1)
}
