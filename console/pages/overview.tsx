/** The first page of administrators: calls, credits and what a person must act on. */
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { BarChart } from '../parts/chart.tsx'
import { toCommand } from '../parts/command.ts'
import { Choice } from '../parts/form.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { creditColumns, Fields, Table, Tile } from '../parts/table.tsx'
import { formatCount, formatCredits, Link, Text } from '../parts/text.tsx'
import { setQuery, toHref } from '../shell/route.ts'
import { type Finding, Findings } from './health.tsx'
import type { PageProps, Views } from './page.ts'

type Numbers = {
  readonly calls: number
  readonly failed: number
  readonly charged: number
  readonly givenBack: number
}

type Overview = {
  readonly step: 'hour' | 'day'
  readonly entries: readonly (Numbers & { readonly startMs: number })[]
  readonly total: Numbers
  readonly durations?: { readonly p50Ms: number; readonly p95Ms: number }
  readonly attention: readonly Finding[]
  readonly creditPrice?: { readonly currency: string }
  readonly month: Numbers & {
    readonly month: string
    readonly money?: string
    readonly aws?: { readonly [part in 'callsUsd' | 'stageUsd' | 'sumUsd']: number } & {
      readonly pricesOf: string
    }
  }
}

const PERIODS = [
  ['1', 'the last 24 hours'],
  ['7', 'the last 7 days'],
  ['30', 'the last 30 days'],
] as const

const toDays = ({ days = '7' }: PageProps['query']) => days

function Overview({ query }: PageProps) {
  const days = toDays(query)
  const overview = useLoad(
    (signal) => ask<Overview>('admin/overview', { query: { days }, signal }),
    [days],
  )
  return (
    <>
      <div class="filters">
        <Choice
          label="Show"
          value={days}
          options={PERIODS}
          onChange={(chosen) => setQuery({ days: chosen })}
        />
      </div>
      <Loaded of={overview}>{(value) => <Sums {...value} />}</Loaded>
      <RunningOut />
    </>
  )
}

function Sums({ attention, durations, entries, month, step, total, creditPrice }: Overview) {
  const { calls, charged, failed, givenBack } = total
  const unit = step === 'hour' ? 'an hour, your time' : 'a day, UTC'
  const bars = entries.map((entry) => ({ ...entry, label: toLabel(entry.startMs, step) }))
  return (
    <>
      {attention.length > 0 && (
        <Findings title="To act on; the page Health has all checks" of={attention} />
      )}
      {calls === 0 ? (
        <Empty title="No call was made in this time.">
          <p>Connect a client with its key, and ask it for a tool. Calls are here in a minute.</p>
        </Empty>
      ) : (
        <>
          <ul class="tiles">
            <Tile name="Calls" value={formatCount(calls)} />
            <Tile name="Failed" value={`${((100 * failed) / calls).toFixed(1)} %`} />
            <Tile name="Credits charged" value={formatCredits(charged)} />
            <Tile name="Credits given back" value={formatCredits(givenBack)} />
            <Tile name="Half of calls within, 24 h" value={formatMs(durations?.p50Ms)} />
            <Tile name="95 % of calls within, 24 h" value={formatMs(durations?.p95Ms)} />
          </ul>
          <BarChart
            title="Calls"
            unit={unit}
            part="failed"
            bars={bars.map((bar) => ({ ...bar, value: bar.calls, part: bar.failed }))}
          />
          <BarChart
            title="Credits charged"
            unit={unit}
            format={formatCredits}
            bars={bars.map((bar) => ({ label: bar.label, value: bar.charged }))}
          />
        </>
      )}
      <Month {...month} currency={creditPrice?.currency} />
    </>
  )
}

/** UTC days keep their date in every zone; an hour is told in the reader's time. */
function toLabel(startMs: number, step: 'hour' | 'day'): string {
  return step === 'hour'
    ? new Intl.DateTimeFormat(undefined, { hour: 'numeric', weekday: 'short' }).format(startMs)
    : new Intl.DateTimeFormat(undefined, {
        day: 'numeric',
        month: 'short',
        timeZone: 'UTC',
      }).format(startMs)
}

function formatMs(ms: number | undefined): string {
  if (ms === undefined) return 'not known'
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function Month({
  aws,
  calls,
  charged,
  currency,
  money,
  month,
}: Overview['month'] & { currency: string | undefined }) {
  const usd = (amount: number) => `$${amount.toFixed(2)}`
  return (
    <section>
      <h2>{month} so far, UTC</h2>
      <Fields
        rows={[
          ['Calls', formatCount(calls)],
          ['Credits charged', formatCredits(charged)],
          ['At your price', money && `${money} ${currency}`],
          ['AWS, all in', aws && `about ${usd(aws.sumUsd)}`],
        ]}
      />
      <p>
        <small>
          {aws === undefined
            ? 'What this gateway costs is not known here: it does not run on AWS.'
            : `AWS is an estimate: ${usd(aws.callsUsd)} for the calls and ${usd(aws.stageUsd)} for the stage, by list prices of us-east-1 of ${aws.pricesOf} (docs/cost.md). The bill of AWS counts.`}
        </small>
      </p>
    </section>
  )
}

type RunningOutUser = {
  readonly uid: string
  readonly username: string
  readonly credits: number
  readonly chargedPerDay: number
  readonly daysLeft: number
  readonly reaches: 'balance' | 'budget'
}

function RunningOut() {
  const users = useLoad((signal) =>
    ask<{ users: readonly RunningOutUser[] }>('admin/users:running-out', { signal }),
  )
  return (
    <section>
      <h2>Users who run out within a week</h2>
      <Loaded of={users}>
        {({ users: rows }) =>
          rows.length === 0 ? (
            <p>None, if all go on as in the last whole days.</p>
          ) : (
            <Table<RunningOutUser>
              caption="Soonest first"
              rows={rows}
              toKey={({ uid }) => uid}
              columns={[
                {
                  head: 'User',
                  cell: ({ uid, username }) => (
                    <Link href={toHref(['users', uid])}>
                      <Text of={username} />
                    </Link>
                  ),
                },
                ...creditColumns<RunningOutUser>(['credits', 'chargedPerDay']),
                {
                  head: 'Days left',
                  cell: ({ daysLeft, reaches }) =>
                    `${daysLeft}${reaches === 'budget' ? ' (budget)' : ''}`,
                  right: true,
                },
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}

export const VIEWS: Views = {
  '': {
    command: ({ query }) => toCommand(['api', 'GET', `overview?days=${toDays(query)}`]),
    render: (page) => <Overview {...page} />,
  },
}
