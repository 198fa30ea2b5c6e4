/**
 * A month's bill for a number of calls: what each way of calling costs by item, beside what the stage costs
 * without calls. Pure: counted uses and prices in, lines of Markdown out.
 */
import { costOf, type FunctionUse, type Prices } from './model.ts'

/** One way in which agents call, and the functions that such a call uses. */
export type CallWay = { readonly name: string; readonly uses: readonly FunctionUse[] }

export type Bill = {
  readonly calls: number
  readonly ways: readonly CallWay[]
  /** Dollars a month for what happens behind the calls, whichever way they come. */
  readonly behindUsd: number
  /** Dollars a month of a stage that nobody calls. */
  readonly idleUsd: number
}

/** Calls a month that `--calls` takes; more would only move the decimal point. */
export const CALLS_MAX = 1e12

const MILLION = 1e6

/** Undefined for a text that is no whole number from 1 to {@link CALLS_MAX}. */
export function readCalls(text: string): number | undefined {
  const calls = /^\d{1,13}$/.test(text) ? Number(text) : 0
  return calls >= 1 && calls <= CALLS_MAX ? calls : undefined
}

export function billLines(
  { behindUsd, calls, idleUsd, ways }: Bill,
  prices: Prices,
): readonly string[] {
  const costs = ways.map(({ uses }) => costOf(uses, prices))
  const share = calls / MILLION
  const items = costs[0]?.map(({ item }) => item) ?? []
  const usdOf = (item: string) =>
    costs.map((cost) => (cost.find((one) => one.item === item)?.usdPerMillion ?? 0) * share)
  const sums = costs.map((cost) => cost.reduce((all, one) => all + one.usdPerMillion * share, 0))
  return [
    row([`$ a month for ${calls.toLocaleString('en')} calls`, ...ways.map(({ name }) => name)]),
    row(['---', ...ways.map(() => '---:')]),
    ...items.map((item) => row([item, ...usdOf(item).map(usd)])),
    row(['usage function and archive, as below', ...ways.map(() => usd(behindUsd))]),
    row(['the stage itself, with or without calls', ...ways.map(() => usd(idleUsd))]),
    row(['**sum**', ...sums.map((sum) => `**${usd(sum + behindUsd + idleUsd)}**`)]),
  ]
}

function usd(amount: number): string {
  return amount.toFixed(2)
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
