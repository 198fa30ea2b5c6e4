/** The first page of administrators: calls and credits of the last days. */
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { BarChart } from '../parts/chart.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { formatCount, formatCredits } from '../parts/text.tsx'
import type { Page } from './page.ts'

const DAYS = 14
const DAY_MS = 86_400_000

type Sum = {
  readonly day: string
  readonly calls: number
  readonly settled: number
  readonly refunded: number
  readonly charged: number
  readonly givenBack: number
}

function Overview() {
  const usage = useLoad((signal) => {
    const since = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
    return ask<{ entries: readonly Sum[] }>('admin/usage', {
      query: { by: 'day', since: `${since}T00:00:00Z` },
      signal,
    })
  })
  return <Loaded of={usage}>{({ entries }) => <Sums days={entries} />}</Loaded>
}

function Sums({ days }: { days: readonly Sum[] }) {
  const add = (pick: (sum: Sum) => number) => days.reduce((sum, day) => sum + pick(day), 0)
  const calls = add((day) => day.calls)
  if (calls === 0) {
    return (
      <Empty title="No call was made in the last two weeks.">
        <p>Connect a client with its key, and ask it for a tool. Calls are here within a minute.</p>
      </Empty>
    )
  }
  const sorted = [...days].sort((a, b) => (a.day < b.day ? -1 : 1))
  const refunded = add((day) => day.refunded)
  return (
    <>
      <ul class="tiles">
        <Tile name="Calls" value={formatCount(calls)} />
        <Tile name="Refunded" value={`${((100 * refunded) / calls).toFixed(1)} %`} />
        <Tile name="Credits charged" value={formatCredits(add((day) => day.charged))} />
        <Tile name="Credits given back" value={formatCredits(add((day) => day.givenBack))} />
      </ul>
      <BarChart
        title="Calls a day"
        unit="calls, UTC days"
        bars={sorted.map(({ calls: value, day }) => ({ label: day.slice(5), value }))}
        format={formatCount}
      />
      <BarChart
        title="Credits charged a day"
        unit="credits, UTC days"
        bars={sorted.map(({ charged, day }) => ({ label: day.slice(5), value: charged }))}
        format={formatCredits}
      />
    </>
  )
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <li>
      <span>{name}</span>
      <strong>{value}</strong>
    </li>
  )
}

export const OVERVIEW_PAGE: Page = {
  path: '',
  title: 'Overview',
  audience: 'administrators',
  isListed: true,
  command: () => 'skillgate usage --by day --since 14d',
  render: () => <Overview />,
}
