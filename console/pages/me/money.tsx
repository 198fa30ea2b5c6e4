/** Balance, what it buys, and the months of a user. */

import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { BarChart } from '../../parts/chart.tsx'
import { Field } from '../../parts/form.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Fields, Table, Tile } from '../../parts/table.tsx'
import { formatCount, formatCredits, Link, Text } from '../../parts/text.tsx'
import { setQuery } from '../../shell/route.ts'
import type { PageProps, Views } from '../page.ts'
import { Managed } from './managed.tsx'
import { askMe, type CreditPrice, type Me } from './me.ts'

const DAYS = 30
const DAY_MS = 86_400_000

type Sum = {
  readonly skillId?: string
  readonly day?: string
  readonly calls: number
  readonly settled: number
  readonly refunded: number
  readonly charged: number
  readonly givenBack: number
}
type Usage = {
  readonly entries: readonly Sum[]
  readonly totals?: readonly Sum[]
  readonly total: Sum
}

function Balance() {
  const loading = useLoad(async (signal) => {
    const since = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
    const me = await askMe(signal)
    if (!me.mayManage) return { me, usage: undefined }
    const query = { by: 'skill', since }
    return { me, usage: await ask<Usage>('me/usage', { query, signal }) }
  })
  return (
    <Loaded of={loading}>
      {({ me, usage }) => (
        <>
          <Amounts me={me} usage={usage} />
          {usage !== undefined && <Buys credits={me.credits} tools={usage.entries} />}
        </>
      )}
    </Loaded>
  )
}

function Amounts({ me, usage }: { me: Me; usage: Usage | undefined }) {
  const { credits, creditPrice, creditsOnHold, monthlyBudget: budget } = me
  const aDay = (usage?.total.charged ?? 0) / DAYS
  const left = budget === undefined ? undefined : Math.max(0, budget.limit - budget.spent)
  const days = aDay > 0 ? Math.floor(Math.max(0, credits) / aDay) : undefined
  return (
    <>
      <ul class="tiles">
        <Tile name="Credits" value={formatCredits(credits)} />
        <Tile name="On hold for running calls" value={formatCredits(creditsOnHold)} />
        {left !== undefined && (
          <Tile name="Left of the month’s budget" value={formatCredits(left)} />
        )}
        {days !== undefined && (
          <Tile name="Lasts about" value={days === 1 ? '1 day' : `${formatCount(days)} days`} />
        )}
      </ul>
      <Fields
        rows={[
          ['A credit costs', creditPrice && describePrice(creditPrice, credits)],
          [
            'A day costs',
            days === undefined
              ? ''
              : `${formatCredits(round(aDay))} credits, by the last ${DAYS} days`,
          ],
          ['This key', describeKey(me)],
          [
            'Budget',
            budget &&
              `${formatCredits(budget.spent)} of ${formatCredits(budget.limit)} credits are spent or on hold; it starts again on ${budget.renewsOn} (UTC).`,
          ],
        ]}
      />
      {credits <= 0 && (
        <p>Calls that cost credits are refused. Ask your administrator for credits.</p>
      )}
    </>
  )
}

/** Prices are those that the calls of the last days had, on the average. */
function Buys({ credits, tools }: { credits: number; tools: readonly Sum[] }) {
  const priced = tools.filter(({ charged, settled }) => settled > 0 && charged > 0)
  if (priced.length === 0) {
    return (
      <p>
        You called no tool that costs credits in the last {DAYS} days.{' '}
        <Link href="#/me/tools">Tools</Link> has the price of each.
      </p>
    )
  }
  return (
    <Table
      caption={`What it buys, of the tools that you called in the last ${DAYS} days`}
      rows={priced}
      toKey={({ skillId = '' }) => skillId}
      columns={[
        { head: 'Tool', cell: ({ skillId }) => <Text of={skillId} /> },
        { head: 'Your calls', cell: ({ settled }) => formatCount(settled), right: true },
        {
          head: 'Credits a call',
          cell: (sum) => formatCredits(round(sum.charged / sum.settled)),
          right: true,
        },
        {
          head: 'Calls for your balance',
          cell: ({ charged, settled }) =>
            formatCount(Math.floor((Math.max(0, credits) * settled) / charged)),
          right: true,
        },
      ]}
    />
  )
}

/** What a credit costs, and the balance. Money is rounded for the eye; statements are exact. */
function describePrice({ amount, currency }: CreditPrice, credits: number): string {
  const worth = new Intl.NumberFormat(undefined, { style: 'currency', currency })
  return `${amount} ${currency}; your balance is worth ${worth.format(credits * Number(amount))}`
}

/** What the limits of the key leave. */
function describeKey({ keyBudget, keyCallsPerDay: day }: Me): string {
  return [
    keyBudget &&
      `spent ${formatCredits(keyBudget.spent)} of its ${formatCredits(keyBudget.limit)} credits of the month`,
    day && `made ${formatCount(day.made)} of its ${formatCount(day.limit)} calls of the day`,
  ]
    .filter((one) => one !== undefined)
    .join(' and ')
}

/** Four digits say enough of an average. */
function round(value: number): number {
  return Number(value.toPrecision(4))
}

type Statement = {
  readonly opening: number
  readonly granted: number
  readonly corrected: number
  readonly charged: number
  readonly closing: number
}

function Usage({ query }: PageProps) {
  const thisMonth = new Date().toISOString().slice(0, 7)
  const month = query['month'] ?? thisMonth
  const loading = useLoad(
    async (signal) => {
      const [year = 0, number = 1] = month.split('-').map(Number)
      const endMs = Math.min(Date.UTC(year, number), Math.ceil(Date.now() / DAY_MS) * DAY_MS)
      const span = { since: `${month}-01`, until: new Date(endMs).toISOString().slice(0, 10) }
      const [usage, statement] = await Promise.all([
        ask<Usage>('me/usage', { query: { by: 'skill,day', ...span }, signal }),
        ask<Statement>(`me/statements/${segment(month)}`, { signal }),
      ])
      return { usage, statement }
    },
    [month],
  )
  return (
    <>
      <div class="filters">
        <Field
          label="Month (UTC)"
          type="month"
          value={month}
          onInput={(text) => text !== '' && setQuery({ month: text })}
        />
      </div>
      <Loaded of={loading}>
        {({ statement, usage }) => (
          <>
            <Fields
              rows={[
                ['At the start', formatCredits(statement.opening)],
                ['Granted', formatCredits(statement.granted)],
                ['Corrected', statement.corrected === 0 ? '' : formatCredits(statement.corrected)],
                ['Paid for calls', formatCredits(statement.charged)],
                [month === thisMonth ? 'Now' : 'At the end', formatCredits(statement.closing)],
              ]}
            />
            <Days usage={usage} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Days({ usage: { entries, total, totals = [] } }: { usage: Usage }) {
  if (total.calls === 0) {
    return (
      <Empty title="You made no call in this month.">
        <p>Calls are here within a minute. Try one under Tools.</p>
      </Empty>
    )
  }
  const byDay = Map.groupBy(entries, ({ day = '' }) => day)
  const bars = [...byDay].sort().map(([day, sums]) => ({
    label: day.slice(5),
    value: sums.reduce((sum, { charged }) => sum + charged, 0),
  }))
  return (
    <>
      <BarChart title="Credits a day" unit="credits, UTC days" bars={bars} format={formatCredits} />
      <Table
        caption="By tool"
        rows={[...totals].sort((a, b) => b.charged - a.charged)}
        toKey={({ skillId = '' }) => skillId}
        columns={[
          { head: 'Tool', cell: ({ skillId }) => <Text of={skillId} /> },
          { head: 'Calls', cell: ({ calls }) => formatCount(calls), right: true },
          { head: 'Failed, free', cell: ({ refunded }) => formatCount(refunded), right: true },
          { head: 'You paid', cell: ({ charged }) => formatCredits(charged), right: true },
          { head: 'Given back', cell: ({ givenBack }) => formatCredits(givenBack), right: true },
        ]}
      />
    </>
  )
}

export const VIEWS: Views = {
  me: { render: () => <Balance /> },
  'me/usage': { render: (page) => <Managed>{() => <Usage {...page} />}</Managed> },
}
