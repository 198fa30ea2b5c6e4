/** Sums of calls and credits by one or two of skill, user, key, day and month. */
import { ask, askText } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { BarChart } from '../parts/chart.tsx'
import { toCommand } from '../parts/command.ts'
import { DownloadCsv } from '../parts/download.tsx'
import { Choice, Field } from '../parts/form.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { creditColumns, Table } from '../parts/table.tsx'
import { formatCount, formatCredits, Text, toShown } from '../parts/text.tsx'
import { setQuery } from '../shell/route.ts'
import type { PageProps, Views } from './page.ts'

type Entry = {
  readonly skillId?: string
  readonly source?: string
  readonly uid?: string
  readonly keyId?: string
  readonly day?: string
  readonly month?: string
  readonly calls: number
  readonly refunded: number
  readonly charged: number
  readonly money?: string
  readonly givenBack: number
  readonly durationMs: number
}

type Usage = {
  readonly by: string
  readonly creditPrice?: { readonly currency: string }
  readonly entries: readonly Entry[]
  readonly totals?: readonly Entry[]
  readonly total: Entry
}

const WORDS = ['day', 'month', 'skill', 'user', 'key'] as const
/** The member of an entry for each word. */
const MEMBERS: { readonly [word: string]: keyof Entry } = {
  skill: 'skillId',
  user: 'uid',
  key: 'keyId',
}
/** Days that a page without filters shows. */
const DAYS = 30
/** Bars that can be told apart; of more names, those with the most calls are shown. */
const BARS_MAX = 60
const ROWS_MAX = 500

function toRequest({ by = 'day', also, ...query }: PageProps['query']) {
  const since = new Date(Date.now() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10)
  return {
    by: also && also !== by ? `${by},${also}` : by,
    since: query['since'] ?? since,
    until: query['until'],
    user: query['user'],
    skill: query['skill'],
  }
}

function Usage({ query }: PageProps) {
  const sent = toRequest(query)
  const usage = useLoad(
    (signal) => ask<Usage>('admin/usage', { query: sent, signal }),
    [JSON.stringify(sent)],
  )
  const set = (name: string) => (text: string) => setQuery({ [name]: text })
  const words = WORDS.map((word) => [word, word] as const)
  return (
    <>
      <div class="filters">
        <Choice label="By" value={query['by'] ?? 'day'} options={words} onChange={set('by')} />
        <Choice
          label="And by"
          value={query['also'] ?? ''}
          options={[['', 'nothing else'], ...words]}
          onChange={set('also')}
        />
        <Field label="User id" type="search" value={query['user'] ?? ''} onInput={set('user')} />
        <Field label="Skill" type="search" value={query['skill'] ?? ''} onInput={set('skill')} />
        <Field label="From" type="date" value={sent.since} onInput={set('since')} />
        <Field label="Until" type="date" value={query['until'] ?? ''} onInput={set('until')} />
      </div>
      <Loaded of={usage}>
        {(value) =>
          value.entries.length === 0 ? (
            <Empty title="No call was made in this time.">
              <p>Days are of UTC. Without dates, the page shows the last {DAYS} days.</p>
            </Empty>
          ) : (
            <>
              <DownloadCsv
                name={`usage-${value.by.replace(',', '-')}.csv`}
                make={() => askText('admin/usage', { query: { ...sent, format: 'csv' } })}
              />
              <Sums {...value} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

const nameOf = (word: string) => (entry: Entry) => entry[MEMBERS[word] ?? (word as keyof Entry)]

function Sums({ by, creditPrice, entries, total, totals = entries }: Usage) {
  const words = by.split(',')
  const [first = ''] = words
  const isTime = first === 'day' || first === 'month'
  const name = nameOf(first)
  const bars = isTime ? totals : [...totals].sort((a, b) => b.calls - a.calls)
  const shown = isTime ? bars.slice(-BARS_MAX) : bars.slice(0, BARS_MAX)
  const unit = `by ${first}${shown.length < bars.length ? `, ${shown.length} of ${bars.length}` : ''}`
  const bar = (entry: Entry) => toShown(name(entry))
  return (
    <>
      <BarChart
        title="Calls"
        unit={unit}
        part="refunded"
        bars={shown.map((entry) => ({
          label: bar(entry),
          value: entry.calls,
          part: entry.refunded,
        }))}
      />
      <BarChart
        title="Credits charged"
        unit={unit}
        format={formatCredits}
        bars={shown.map((entry) => ({ label: bar(entry), value: entry.charged }))}
      />
      <Table<Entry>
        caption={`${formatCount(entries.length)} sums; ${formatCount(total.calls)} calls and ${formatCredits(total.charged)} credits in all${entries.length > ROWS_MAX ? `; the first ${ROWS_MAX} are here, all are in the CSV` : ''}`}
        rows={entries.slice(0, ROWS_MAX)}
        toKey={(entry) => JSON.stringify(words.map((word) => [nameOf(word)(entry), entry.source]))}
        columns={[
          ...words.map((word) => ({
            head: word,
            cell: (entry: Entry) => <Text of={nameOf(word)(entry)} />,
          })),
          ...creditColumns<Entry>(['calls', 'refunded', 'charged', 'givenBack']),
          ...(creditPrice === undefined
            ? []
            : [{ head: creditPrice.currency, cell: ({ money }: Entry) => money, right: true }]),
          {
            head: 'Mean time',
            cell: ({ calls, durationMs }) => `${formatCount(Math.round(durationMs / calls))} ms`,
            right: true,
          },
        ]}
      />
    </>
  )
}

export const VIEWS: Views = {
  usage: {
    command: ({ query }) => toCommand(['usage'], toRequest(query)),
    render: (page) => <Usage {...page} />,
  },
}
