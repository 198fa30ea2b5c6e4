/** Ended calls, and one of them from its request to its settlement. */
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Block, Code, formatCount, formatCredits, Link, State, Text, Time } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import type { Page, PageProps } from './page.ts'

type Listed = {
  readonly callId: string
  readonly uid: string
  readonly skillId?: string
  readonly outcome: string
  readonly reason?: string
  readonly charged: number
  readonly startedAtMs: number
  readonly durationMs: number
  readonly upstreamStatus?: number
}

function Calls({ query }: PageProps) {
  return (
    <ListPage<Listed>
      caption="Calls"
      path="admin/calls"
      rows="calls"
      query={query}
      filters={[
        { name: 'user', label: 'User id' },
        { name: 'skill', label: 'Skill' },
        {
          name: 'outcome',
          label: 'Outcome',
          choices: [
            ['', 'all'],
            ['settled', 'settled'],
            ['refunded', 'refunded'],
            ['upstream_failed', 'upstream failed'],
            ['timed_out', 'timed out'],
            ['cancelled', 'cancelled'],
          ],
        },
        { name: 'since', label: 'From', type: 'date' },
        { name: 'until', label: 'Until', type: 'date' },
        { name: 'min_ms', label: 'At least ms', type: 'number' },
      ]}
      toKey={({ callId }) => callId}
      columns={[
        {
          head: 'At',
          cell: ({ callId, startedAtMs, uid }) => (
            <Link href={toHref(['calls', callId], { user: uid })}>
              <Time ms={startedAtMs} />
            </Link>
          ),
        },
        { head: 'User', cell: ({ uid }) => <Code of={uid} /> },
        { head: 'Skill', cell: ({ skillId }) => <Text of={skillId} /> },
        { head: 'Outcome', cell: ({ outcome, reason }) => <State of={reason ?? outcome} /> },
        { head: 'Charged', cell: ({ charged }) => formatCredits(charged), right: true },
        { head: 'ms', cell: ({ durationMs }) => formatCount(durationMs), right: true },
        { head: 'Status', cell: ({ upstreamStatus }) => upstreamStatus ?? '', right: true },
      ]}
      empty={{
        title: 'No call is here.',
        says: <p>The list has calls of the last day, unless you choose other days.</p>,
      }}
    />
  )
}

type Call = Listed & {
  readonly username?: string
  readonly price: number
  readonly explanation: string
  readonly endedAtMs: number
  readonly door?: string
  readonly client?: string
  readonly clientCallId?: string
  readonly keyId?: string
  readonly traceId?: string
  readonly upstreamHost?: string
  readonly secretsUsed?: unknown
  readonly excerpt?: string
  readonly phasesMs?: { readonly [phase: string]: number }
}

function Call({ params: [callId = ''], query }: PageProps) {
  const call = useLoad(
    (signal) =>
      ask<Call>(`admin/calls/${segment(callId)}`, { query: { user: query['user'] }, signal }),
    [callId, query['user']],
  )
  return <Loaded of={call}>{(value) => <CallDetail call={value} />}</Loaded>
}

function CallDetail({ call }: { call: Call }) {
  return (
    <>
      <p class="lead">
        <Text of={call.explanation} />
      </p>
      <Fields
        rows={[
          [
            'User',
            <Link key="user" href={toHref(['users', call.uid])}>
              <Text of={call.username ?? call.uid} />
            </Link>,
          ],
          ['Skill', <Text key="skill" of={call.skillId} />],
          ['Outcome', <State key="outcome" of={call.reason ?? call.outcome} />],
          ['Price', formatCredits(call.price)],
          ['Charged', formatCredits(call.charged)],
          ['Upstream', <Text key="host" of={call.upstreamHost} />],
          ['Status', call.upstreamStatus],
          ['Client', <Text key="client" of={call.client} />],
          ['Door', call.door],
          ['Key', <Code key="key" of={call.keyId} />],
          ['Trace', <Code key="trace" of={call.traceId} />],
        ]}
      />
      <h2>From request to settlement</h2>
      <ol class="timeline">
        <li>
          <Time ms={call.startedAtMs} /> the request came
        </li>
        {Object.entries(call.phasesMs ?? {}).map(([phase, ms]) => (
          <li key={phase}>
            {phase}: {formatCount(ms)} ms
            <span
              class="meter"
              style={{ width: `${(100 * ms) / Math.max(1, call.durationMs)}%` }}
            />
          </li>
        ))}
        <li>
          <Time ms={call.endedAtMs} /> {call.outcome}, {formatCredits(call.charged)} credits charged
        </li>
      </ol>
      {call.excerpt !== undefined && <Block label="Start of the answer" text={call.excerpt} />}
    </>
  )
}

export const CALL_PAGES: readonly Page[] = [
  {
    path: 'calls',
    title: 'Calls',
    audience: 'administrators',
    isListed: true,
    command: ({ query }) =>
      [
        'skillgate calls ls',
        ...Object.entries(query).map(([name, value]) => `--${name} '${value}'`),
      ].join(' '),
    render: (page) => <Calls {...page} />,
  },
  {
    path: 'calls/{callId}',
    title: 'Call',
    audience: 'administrators',
    isListed: false,
    command: ({ params: [callId = ''] }) => `skillgate calls show '${callId}'`,
    render: (page) => <Call {...page} />,
  },
]
