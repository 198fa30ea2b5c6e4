/** The ended calls of a user: what each one cost, and why it failed. */
import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { ListPage } from '../../parts/list-page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Fields } from '../../parts/table.tsx'
import { Block, Code, formatCount, formatCredits, Link, Text, Time } from '../../parts/text.tsx'
import { toHref } from '../../shell/route.ts'
import type { PageProps } from '../page.ts'
import { explainOutcome, FREE_FAILURE } from './me.ts'

type Listed = {
  readonly callId: string
  readonly skillId?: string
  readonly outcome: string
  readonly reason?: string
  readonly charged: number
  readonly startedAtMs: number
  readonly durationMs: number
}

export function Calls({ query }: PageProps) {
  return (
    <ListPage<Listed>
      caption="Your calls, newest first"
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
        { name: 'since', label: 'From', type: 'date' },
        { name: 'until', label: 'Before', type: 'date' },
      ]}
      toKey={({ callId }) => callId}
      columns={[
        {
          head: 'At',
          cell: ({ callId, startedAtMs }) => (
            <Link href={toHref(['me', 'calls', callId])}>
              <Time ms={startedAtMs} />
            </Link>
          ),
        },
        { head: 'Tool', cell: ({ skillId }) => <Text of={skillId} /> },
        { head: 'What happened', cell: ({ outcome, reason }) => explainOutcome(outcome, reason) },
        { head: 'You paid', cell: ({ charged }) => formatCredits(charged), right: true },
        { head: 'Took', cell: ({ durationMs }) => `${formatCount(durationMs)} ms`, right: true },
      ]}
      empty={{
        title: 'No call is here.',
        says: (
          <p>
            The list has your calls of the last day, unless you choose other days.{' '}
            <Link href="#/me/connect">Connect a client</Link>, or try a tool.
          </p>
        ),
      }}
    />
  )
}

type OneCall = Listed & {
  readonly price: number
  readonly explanation: string
  readonly client?: string
  readonly keyId?: string
  readonly upstreamHost?: string
  readonly upstreamStatus?: number
  readonly excerpt?: string
}

export function Call({ params: [callId = ''] }: PageProps) {
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
              ['Took', `${formatCount(call.durationMs)} ms`],
              ['Asked host', call.upstreamHost && <Text key="host" of={call.upstreamHost} />],
              ['It answered', call.upstreamStatus],
              ['Client', call.client && <Text key="client" of={call.client} />],
              ['Key', call.keyId && <Code key="key" of={call.keyId} />],
              ['Call id', <Code key="id" of={call.callId} />],
            ]}
          />
          {call.excerpt !== undefined && (
            <>
              <h2>Start of the answer</h2>
              <Block label="Start of the answer" text={call.excerpt} />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}
