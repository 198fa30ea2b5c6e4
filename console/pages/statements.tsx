/** Accounts of users by month: all balances of a month, and one statement for screen and print. */
import { formatCsvLine } from '../../core/usage/csv.ts'
import { ask, askText, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { toCommand } from '../parts/command.ts'
import { DownloadCsv } from '../parts/download.tsx'
import { Field } from '../parts/form.tsx'
import { findWork, Progress } from '../parts/long-work.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { creditColumns, Fields, Table } from '../parts/table.tsx'
import { formatCount, Link, Text, toShown } from '../parts/text.tsx'
import { setQuery, toHref } from '../shell/route.ts'
import type { PageProps, Views } from './page.ts'

type Line = {
  readonly uid: string
  readonly username: string
  readonly [amount: string]: unknown
}
type LinePage = { readonly statements: readonly Line[]; readonly nextCursor?: string }

const PAGE_LINES = 100
const AMOUNTS = ['opening', 'granted', 'corrected', 'charged', 'closing', 'calls']
const FILE_COLUMNS = ['uid', 'username', 'state', 'complete', ...AMOUNTS, 'refunded', 'givenBack']

const toMonth = ({ month }: PageProps['query']) => month ?? new Date().toISOString().slice(0, 7)

function Statements({ query }: PageProps) {
  const month = toMonth(query)
  const work = findWork<Line>(`statements ${month}`)
  const { next, rows, run } = work.value
  const isWhole = rows.length > 0 && next === undefined && run === undefined
  return (
    <>
      <div class="filters">
        <Field
          label="Month"
          type="month"
          value={month}
          onInput={(text) => setQuery({ month: text })}
        />
      </div>
      <Progress
        of={work}
        start={isWhole ? 'Load again' : 'Load all balances'}
        step={async (cursor) => {
          const path = `admin/statements/${segment(month)}`
          const page = await ask<LinePage>(path, { query: { limit: PAGE_LINES, cursor } })
          return { rows: page.statements, next: page.nextCursor }
        }}
      >
        {`${formatCount(rows.length)} users${isWhole ? ', all of the month' : ' so far'}`}
      </Progress>
      {isWhole && (
        <DownloadCsv
          name={`statements-${month}.csv`}
          make={() =>
            [FILE_COLUMNS, ...rows.map((row) => FILE_COLUMNS.map((name) => String(row[name])))]
              .map(formatCsvLine)
              .join('')
          }
        />
      )}
      {rows.length === 0 ? (
        <Empty title="A month has a line for each user.">
          <p>Many users take many requests: loading goes on while you look at other pages.</p>
        </Empty>
      ) : (
        <Table<Line>
          caption={`Balances of ${month}, UTC, in credits`}
          rows={rows}
          toKey={({ uid }) => uid}
          columns={[
            {
              head: 'User',
              cell: ({ uid, username }) => (
                <Link href={toHref(['statements', uid, month])}>
                  <Text of={username} />
                </Link>
              ),
            },
            ...creditColumns(AMOUNTS),
          ]}
        />
      )}
    </>
  )
}

type Tables = {
  readonly facts: readonly (readonly [string, string])[]
  readonly tables: readonly {
    readonly title: string
    readonly columns: readonly { readonly head: string; readonly isNumber?: boolean }[]
    readonly rows: readonly (readonly string[])[]
    readonly total?: readonly string[]
  }[]
  readonly notes: readonly string[]
}

function Statement({ params: [uid = '', month = ''] }: PageProps) {
  const path = `admin/users/${segment(uid)}/statements/${segment(month)}`
  const statement = useLoad(
    (signal) => ask<Tables>(path, { query: { format: 'tables' }, signal }),
    [path],
  )
  return (
    <Loaded of={statement}>
      {({ facts, notes, tables }) => (
        <article class="account">
          <p class="actions">
            <button type="button" onClick={() => print()}>
              Print
            </button>
            <DownloadCsv
              name={`statement-${month}.csv`}
              make={() => askText(path, { query: { format: 'csv' } })}
            />
          </p>
          <Fields rows={facts.map(([name, value]) => [name, toShown(value)])} />
          {tables.map(({ columns, rows, title, total }) => {
            const all = total === undefined ? rows : [...rows, total]
            return (
              <Table<readonly string[]>
                key={title}
                caption={title}
                rows={all}
                toKey={(row) => String(all.indexOf(row))}
                columns={columns.map(({ head, isNumber }, at) => ({
                  head,
                  cell: (row) =>
                    row === total ? <b>{toShown(row[at])}</b> : <Text of={row[at]} />,
                  right: isNumber === true,
                }))}
              />
            )
          })}
          <small>{notes.join(' ')}</small>
        </article>
      )}
    </Loaded>
  )
}

export const VIEWS: Views = {
  statements: {
    command: ({ query }) => toCommand(['statements', 'ls'], { month: toMonth(query) }),
    render: (page) => <Statements {...page} />,
  },
  'statements/{uid}/{month}': {
    command: ({ params: [uid, month] }) => toCommand(['statements', 'show', uid], { month }),
    render: (page) => <Statement {...page} />,
  },
}
