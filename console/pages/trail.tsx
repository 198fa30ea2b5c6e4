/** Changes by administrators, and whether their records are whole. */
import { ask } from '../api/client.ts'
import { toCommand } from '../parts/command.ts'
import { ListPage } from '../parts/list-page.tsx'
import { findWork, Progress } from '../parts/long-work.tsx'
import { Fields, Table } from '../parts/table.tsx'
import { Code, formatCount, Link, State, Text, Time } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import type { PageProps, Views } from './page.ts'

type Digests = { readonly [field: string]: string }

type Change = {
  readonly id: string
  readonly atMs: number
  readonly who: { readonly name: string; readonly role: string }
  readonly operation: string
  readonly target: { readonly [name: string]: string }
  readonly targetCount?: number
  readonly sent: Digests
  readonly before?: Digests
  readonly after?: Digests
  readonly requestId: string
  readonly sourceAddress: string
  readonly outcome: string
  readonly status?: number
}

function Trail({ query }: PageProps) {
  return (
    <>
      <Verify />
      <ListPage<Change>
        caption="Changes, newest first"
        path="admin/audit"
        rows="changes"
        query={query}
        filters={[
          { name: 'who', label: 'Administrator' },
          { name: 'operation', label: 'Operation' },
          { name: 'target', label: 'Id that was changed' },
          { name: 'since', label: 'From', type: 'date' },
          { name: 'until', label: 'Until', type: 'date' },
        ]}
        toKey={({ id }) => id}
        columns={[
          { head: 'At', cell: ({ atMs }) => <Time ms={atMs} /> },
          {
            head: 'Who',
            cell: ({ who }) => (
              <Link href={toHref(['trail'], { ...query, who: who.name })}>
                <Text of={who.name} />
              </Link>
            ),
          },
          { head: 'Operation', cell: ({ operation }) => <span class="word">{operation}</span> },
          { head: 'Of', cell: (change) => <Targets {...change} /> },
          { head: 'Outcome', cell: ({ outcome }) => <State of={outcome} /> },
          { head: 'Fields', cell: (change) => <Details {...change} /> },
        ]}
        empty={{
          title: 'No change is here.',
          says: <p>Each change by an administrator is recorded, and kept for a year.</p>,
        }}
      />
    </>
  )
}

function Targets({ target, targetCount }: Change) {
  return (
    <>
      {Object.entries(target).map(([name, id]) => (
        <span key={name}>
          {name} <Code of={id} />{' '}
        </span>
      ))}
      {targetCount !== undefined && `${formatCount(targetCount)} ids`}
    </>
  )
}

/** A field whose digests differ was changed. Values are not recorded, so that none can leak. */
function Details({ after = {}, before = {}, requestId, sent, sourceAddress, status, who }: Change) {
  const fields = [...new Set([sent, before, after].flatMap((digests) => Object.keys(digests)))]
  return (
    <details>
      <summary>{`${fields.length} fields`}</summary>
      <Fields
        rows={[
          ['Role', who.role],
          ['From', <Code key="from" of={sourceAddress} />],
          ['Status', status],
          ['Request', <Code key="request" of={requestId} />],
        ]}
      />
      <Table<string>
        caption="Digests of the values: the same digest is the same value, and no value is kept."
        rows={fields}
        toKey={(field) => field}
        columns={[
          { head: 'Field', cell: (field) => <Text of={field} /> },
          ...Object.entries({ sent, before, after }).flatMap(([head, digests]) =>
            Object.keys(digests).length === 0
              ? []
              : [{ head, cell: (field: string) => <Code of={digests[field]} /> }],
          ),
          {
            head: '',
            cell: (field) =>
              field in before && field in after && before[field] !== after[field] && 'changed',
          },
        ]}
      />
    </details>
  )
}

type Verified = {
  readonly day: string
  readonly isWhole: boolean
  readonly records: number
  readonly faultCount: number
  readonly faults: readonly { readonly seq?: number; readonly message: string }[]
}

/** Days that are verified, from today back. */
const DAYS = 30
const DAY_MS = 86_400_000

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

function Verify() {
  const work = findWork<Verified>('trail')
  const { next, rows, run } = work.value
  const broken = rows.filter(({ isWhole }) => !isWhole)
  const records = rows.reduce((sum, day) => sum + day.records, 0)
  const isDone = rows.length > 0 && next === undefined && run === undefined
  return (
    <>
      <Progress
        of={work}
        start={`Verify the last ${DAYS} days`}
        step={async (from = toDay(Date.now())) => {
          const verified = await ask<Verified>('admin/audit/verify', { query: { day: from } })
          const before = toDay(Date.parse(from) - DAY_MS)
          const isLast = work.peek().rows.length + 1 >= DAYS
          return { rows: [verified], next: isLast ? undefined : before }
        }}
      >
        {`${rows.length} of ${DAYS} days, ${formatCount(records)} records: `}
        <State of={broken.length > 0 ? 'broken' : isDone ? 'whole' : 'whole so far'} />
      </Progress>
      {broken.length > 0 && (
        <Table<Verified>
          caption="Days with records that are missing or changed. Compare them with the archive."
          rows={broken}
          toKey={({ day }) => day}
          columns={[
            { head: 'Day', cell: ({ day }) => day },
            { head: 'Faults', cell: ({ faultCount }) => formatCount(faultCount), right: true },
            {
              head: 'What',
              cell: ({ faults }) => (
                <Text of={faults.map(({ message, seq }) => `${seq ?? ''} ${message}`).join('; ')} />
              ),
            },
          ]}
        />
      )}
    </>
  )
}

export const VIEWS: Views = {
  trail: {
    command: ({ query: { operation, since, target, until, who } }) =>
      toCommand(['audit'], { who, operation, target, since, until }),
    render: (page) => <Trail {...page} />,
  },
}
