/** The ended calls of a user: what each one cost, and why it failed. */
import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { DAY_FILTERS } from '../../parts/day-filters.ts'
import { type ListOptions, ListPage } from '../../parts/list-page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Fields, type TableColumn } from '../../parts/table.tsx'
import { Code, formatCredits, Link, Text, Time } from '../../parts/text.tsx'
import { toHref } from '../../shell/route.ts'
import { formatMs } from '../catalogue.tsx'
import type { PageProps, Views } from '../page.ts'
import { describeOutcome, FREE_FAILURE } from './me.ts'

type Listed = {
  readonly callId: string
  readonly skillId?: string
  /** `outcome` of a call, `state` of an entry of the ledger; the same of the times. */
  readonly outcome?: string
  readonly state?: string
  readonly reason?: string
  readonly charged: number
  readonly startedAtMs?: number
  readonly createdAtMs?: number
  readonly durationMs?: number
}

const COLUMNS: readonly TableColumn<Listed>[] = [
  {
    head: 'At',
    cell: ({ callId, createdAtMs, startedAtMs = createdAtMs }) => (
      <Link href={toHref(['me', 'calls', callId])}>
        <Time ms={startedAtMs} />
      </Link>
    ),
  },
  { head: 'Tool', cell: ({ skillId }) => <Text of={skillId} /> },
  {
    head: 'What happened',
    cell: ({ outcome, reason, state = outcome }) => describeOutcome(state ?? '', reason),
  },
  { head: 'You paid', cell: ({ charged }) => formatCredits(charged), right: true },
  { head: 'Took', cell: ({ durationMs }) => formatMs(durationMs), right: true },
]

/** `path` is that of the ledger or of the calls. */
function CallList({
  query,
  ...list
}: Pick<ListOptions<Listed>, 'filters' | 'path' | 'query' | 'rows'>) {
  return (
    <ListPage
      caption="Your calls, newest first"
      toKey={({ callId }) => callId}
      columns={COLUMNS}
      empty={{
        title: 'No call is here.',
        says: <p>Connect a client, or try one of your tools.</p>,
      }}
      query={query}
      {...list}
    />
  )
}

function Ledger({ query }: PageProps) {
  return <CallList path="me/ledger" rows="entries" query={query} />
}

function Calls({ query }: PageProps) {
  return (
    <>
      <p>These are the calls of the last day, unless you choose other days. {FREE_FAILURE}</p>
      <CallList
        path="me/calls"
        rows="calls"
        query={query}
        filters={[
          { name: 'skill', label: 'Tool' },
          {
            name: 'outcome',
            label: 'Outcome',
            choices: [
              ['', 'all'],
              ['settled', 'done'],
              ['refunded', 'failed, free'],
            ],
          },
          ...DAY_FILTERS,
        ]}
      />
    </>
  )
}

type OneCall = Listed & {
  readonly outcome: string
  readonly price: number
  readonly explanation: string
  readonly client?: string
  readonly keyId?: string
  readonly upstreamStatus?: number
}

function Call({ params: [callId = ''] }: PageProps) {
  const loading = useLoad(
    (signal) => ask<OneCall>(`me/calls/${segment(callId)}`, { signal }),
    [callId],
  )
  return (
    <Loaded of={loading}>
      {(call) => (
        <>
          <p class="lead">
            <Text of={call.explanation} />
          </p>
          {call.outcome === 'refunded' && <p>{FREE_FAILURE}</p>}
          <Fields
            rows={[
              ['Tool', <Text key="tool" of={call.skillId} />],
              ['At', <Time key="at" ms={call.startedAtMs} />],
              ['Price', formatCredits(call.price)],
              ['You paid', formatCredits(call.charged)],
              ['Took', formatMs(call.durationMs)],
              ['The service answered', call.upstreamStatus],
              ['Client', call.client && <Text key="client" of={call.client} />],
              ['Key', call.keyId && <Code key="key" of={call.keyId} />],
              ['Call id', <Code key="id" of={call.callId} />],
            ]}
          />
        </>
      )}
    </Loaded>
  )
}

export const VIEWS: Views = {
  'me/calls': { render: (page) => <Calls {...page} /> },
  'me/calls/{callId}': { render: (page) => <Call {...page} /> },
  'me/ledger': { render: (page) => <Ledger {...page} /> },
}
