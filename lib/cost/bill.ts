/**
 * Computes the bill of a mix: for each way of calling, the cost of a million calls and of a month,
 * by item. Pure: figures in, lines of Markdown out.
 */
import type { Capacity } from '../stage.ts'
import { SCALING_ALARMS } from '../table-scaling.ts'
import {
  ARCHIVE_DAYS,
  MEMORY_MB,
  type MeasuredFile,
  type PriceFile,
  TABLE_BOUNDS,
  toCosting,
} from './figures.ts'
import { computeIdleMonth, computeMetricsMonth } from './idle.ts'
import { countCallsPerMonth, HOURS_PER_MONTH, type Mix } from './mix.ts'
import {
  type CostItem,
  computeCost,
  computeKeptUsd,
  computeStreamHour,
  countGatewayUnits,
  type WayName,
} from './model.ts'
import { type ProvisionedTable, priceProvisionedTable } from './provisioned.ts'
import { computeUsageMonth } from './usage.ts'

export const WAYS: readonly { readonly way: WayName; readonly name: string }[] = [
  { way: 'execute', name: 'POST /v1/execute' },
  { way: 'mcp', name: 'Streamable HTTP' },
  { way: 'sse', name: 'HTTP+SSE' },
]

/** How often a stream is opened per hour: streams end at the first quiet moment after minute 13. */
const OPENS_PER_HOUR = 60 / 13
const MILLION = 1e6

export type WayBill = {
  readonly name: string
  /** The items for a million calls. */
  readonly items: readonly CostItem[]
  readonly usdPerMillion: number
  /** The provisioned table; undefined for a table on demand. */
  readonly table: ProvisionedTable | undefined
}

export type Bill = {
  readonly calls: number
  readonly ways: readonly WayBill[]
  /** Dollars a month that do not depend on the way of calling. */
  readonly monthly: readonly MonthlyLine[]
}

type MonthlyLine = { readonly item: string; readonly usd: number }

export function computeBill(
  mix: Mix,
  prices: PriceFile,
  measured: MeasuredFile,
  capacity: Capacity = 'on-demand',
): Bill {
  const calls = countCallsPerMonth(mix)
  const costing = toCosting(mix, prices, measured)
  const usageUsd = sumUsd(
    computeUsageMonth({ calls, users: mix.users, archiveDays: ARCHIVE_DAYS }, prices),
  )
  const usage = {
    item: 'usage function and archive',
    usdPerMillion: (usageUsd / calls) * MILLION,
  }
  const priceTable = (way: WayName) =>
    priceProvisionedTable(mix, countGatewayUnits(way, costing), TABLE_BOUNDS, prices.usd)
  const ways = WAYS.map(({ name, way }) => {
    const table = capacity === 'provisioned' ? priceTable(way) : undefined
    const items = [...computeCost(way, { ...costing, gateway: table?.prices ?? prices.usd }), usage]
    const usdPerMillion = items.reduce((sum, one) => sum + one.usdPerMillion, 0)
    return { name, items, usdPerMillion, table }
  })
  const scaling = { item: SCALING_ITEM, usd: SCALING_ALARMS * prices.usd.alarmPerMonth }
  const monthly = computeMonthly(mix, prices, measured)
  return { calls, ways, monthly: capacity === 'provisioned' ? [...monthly, scaling] : monthly }
}

const SCALING_ITEM = `${SCALING_ALARMS} alarms of the table's scaling`

function computeMonthly(
  mix: Mix,
  prices: PriceFile,
  measured: MeasuredFile,
): readonly MonthlyLine[] {
  const { idleSweep, streamHour } = measured
  const hourUsd = (door: 'mcp' | 'sse', units: (typeof streamHour)['sse']) =>
    sumUsd(
      computeStreamHour({ memoryMb: MEMORY_MB[door], ...units, opens: OPENS_PER_HOUR }, prices),
    )
  const streams = mix.streams * HOURS_PER_MONTH * hourUsd('sse', streamHour.sse)
  const listens = mix.listens * HOURS_PER_MONTH * hourUsd('mcp', streamHour.listen)
  return [
    {
      item: 'the stage itself, with or without calls',
      usd: computeIdleMonth(idleSweep, prices).usd,
    },
    computeMetricsMonth(prices),
    {
      item: `calls kept in the table for ${mix.ledgerDays} days`,
      usd: (countCallsPerMonth(mix) / MILLION) * computeKeptUsd(prices, mix.ledgerDays),
    },
    { item: `${mix.streams.toLocaleString('en')} open SSE streams`, usd: streams },
    { item: `${mix.listens.toLocaleString('en')} open listen streams`, usd: listens },
  ]
}

export function formatBill({ calls, monthly, ways }: Bill): readonly string[] {
  const share = calls / MILLION
  const cells = (of: (way: WayBill) => number) =>
    ways.flatMap((way) => [formatUsd(of(way)), formatUsd(of(way) * share)])
  const items = ways[0]?.items.map(({ item }) => item) ?? []
  const usdOf = (item: string) => (way: WayBill) =>
    way.items.find((one) => one.item === item)?.usdPerMillion ?? 0
  const stage = sumUsd(monthly)
  const same = (amount: number) => ways.flatMap(() => ['', formatUsd(amount)])
  return [
    toRow(['$', ...ways.flatMap(({ name }) => [`${name}, a million`, 'a month'])]),
    toRow(['---', ...ways.flatMap(() => ['---:', '---:'])]),
    ...items.map((item) => toRow([item, ...cells(usdOf(item))])),
    toRow(['**calls**', ...cells((way) => way.usdPerMillion).map(toBold)]),
    ...monthly.map(({ item, usd: amount }) => toRow([item, ...same(amount)])),
    toRow([
      '**sum**',
      ...ways.flatMap(({ usdPerMillion }) => [
        '',
        toBold(formatUsd(usdPerMillion * share + stage)),
      ]),
    ]),
  ]
}

function sumUsd(items: readonly { readonly usd: number }[]): number {
  return items.reduce((sum, one) => sum + one.usd, 0)
}

function toBold(text: string): string {
  return `**${text}**`
}

function formatUsd(amount: number): string {
  return amount.toFixed(2)
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
