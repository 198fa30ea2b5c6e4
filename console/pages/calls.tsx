/** Ended calls, and one of them from its request to its settlement. */
import { useSignal } from '@preact/signals'
import { REFUND_REASONS } from '../../core/ledger/ledger.ts'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { toCommand } from '../parts/command.ts'
import { DAY_FILTERS, toDayStart } from '../parts/day-filters.ts'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields, toColumn } from '../parts/table.tsx'
import {
  Block,
  Code,
  formatCount,
  formatCredits,
  Link,
  State,
  Time,
  toShown,
} from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'
import { sendGrant } from './user-credits.tsx'

type Listed = {
  readonly callId: string
  readonly uid: string
  readonly skillId?: string
  readonly source?: string
  readonly outcome: string
  readonly reason?: string
  readonly charged: number
  readonly startedAtMs: number
  readonly durationMs: number
  readonly upstreamStatus?: number
}

const OUTCOMES = ['settled', 'refunded', ...REFUND_REASONS].map(
  (outcome) => [outcome, outcome.replaceAll('_', ' ')] as const,
)

function Calls({ query }: PageProps) {
  return (
    <ListPage<Listed>
      caption="Calls that have ended, the newest first"
      path="admin/calls"
      rows="calls"
      query={query}
      filters={[
        { name: 'user', label: 'User id' },
        { name: 'skill', label: 'Skill' },
        { name: 'outcome', label: 'Outcome', choices: [['', 'all'], ...OUTCOMES] },
        ...DAY_FILTERS,
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
        {
          head: 'User',
          cell: ({ uid }) => (
            <Link href={toHref(['users', uid])}>
              <Code of={uid} />
            </Link>
          ),
        },
        toColumn('Skill', 'skillId'),
        { head: 'Outcome', cell: ({ outcome, reason }) => <State of={reason ?? outcome} /> },
        toColumn('Charged', 'charged', formatCredits),
        toColumn('ms', 'durationMs', formatCount),
        toColumn('Status', 'upstreamStatus'),
      ]}
      empty={{
        title: 'No call is here.',
        says: (
          <p>
            Without days, the list has the last 24 hours. Calls without a user are here within a
            minute. Running ones are on the page of their user.
          </p>
        ),
      }}
    />
  )
}

type CallDetail = Listed & {
  readonly username?: string
  readonly skillVersion?: number
  readonly price: number
  readonly explanation: string
  readonly endedAtMs: number
  readonly door?: string
  readonly client?: string
  readonly clientCallId?: string
  readonly keyId?: string
  readonly traceId?: string
  readonly upstreamHost?: string
  readonly secretsUsed?: string
  readonly excerpt?: string
  readonly phasesMs?: { readonly [phase: string]: number }
}

function Call({ params: [callId = ''], query: { user } }: PageProps) {
  const call = useLoad(
    (signal) => ask<CallDetail>(`admin/calls/${segment(callId)}`, { query: { user }, signal }),
    [callId, user],
  )
  return <Loaded of={call}>{(value) => <Shown call={value} />}</Loaded>
}

function Shown({ call }: { call: CallDetail }) {
  const { skillId, skillVersion, source, uid } = call
  return (
    <>
      <p class="lead">
        <State of={call.reason ?? call.outcome} /> {toShown(call.explanation)}
      </p>
      {may('operator') && call.charged > 0 && <Refund call={call} />}
      <Fields
        rows={[
          [
            'User',
            <Link key="user" href={toHref(['users', uid])}>
              {toShown(call.username ?? uid)}
            </Link>,
          ],
          [
            'Skill',
            skillId === undefined ? undefined : (
              <Link
                key="skill"
                href={toHref(['skills', source ?? '', skillId], {
                  uid: source === 'private' ? uid : undefined,
                })}
              >
                {toShown(skillId)}
              </Link>
            ),
          ],
          ['Version', skillVersion],
          ['Price', `${formatCredits(call.price)} credits`],
          ['Charged', `${formatCredits(call.charged)} credits`],
          ['Upstream', toShown(call.upstreamHost)],
          ['Status', call.upstreamStatus],
          ['Secrets of', toShown(call.secretsUsed)],
          ['Client', toShown(call.client)],
          ['Came by', call.door],
          ['Id', <Code key="id" of={call.callId} />],
          ["The client's id", toShown(call.clientCallId)],
          ['Key', call.keyId && <Code key="key" of={call.keyId} />],
          ['Trace', call.traceId && <Code key="trace" of={call.traceId} />],
        ]}
      />
      <h2>From request to settlement</h2>
      <Timeline call={call} />
      {call.excerpt !== undefined && (
        <>
          <h2>Start of the upstream's answer</h2>
          <Block label="Start of the answer" text={call.excerpt} />
        </>
      )}
    </>
  )
}

/** Gives the charge of this call back once, by a grant whose id is made of the call's. */
function Refund({ call: { callId, charged, uid } }: { call: CallDetail }) {
  const said = useSignal('')
  const giveBack = async () => {
    const { granted } = await sendGrant(uid, {
      grantId: `refund-${callId}`,
      amount: charged,
      reason: `Given back for the call ${callId}`,
    })
    said.value = granted
      ? `${formatCredits(charged)} credits were given back.`
      : 'These credits had been given back before; nothing was added.'
  }
  return (
    <p class="actions">
      <Action
        label={`Give back ${formatCredits(charged)} credits`}
        says="The user gets the charge of this call as a grant. It counts once, however often it is sent. Budgets keep what they counted."
        onDo={giveBack}
      />
      <span role="status">{said.value}</span>
    </p>
  )
}

/** What each phase is, in their order. */
const PHASES: readonly (readonly [phase: string, says: string])[] = [
  ['auth', 'key checked'],
  ['limits', 'limits counted, user and skill read'],
  ['hold', 'price put on hold'],
  ['rest', 'earlier tries, and time in between'],
  ['connect', 'connected to the upstream'],
  ['firstByte', 'waited for the upstream'],
  ['body', 'read its answer'],
  ['answer', 'answer checked, charge decided'],
]

/** Each phase begins where the one before it ended. */
function Timeline({ call }: { call: CallDetail }) {
  const { charged, endedAtMs, phasesMs = {}, price, startedAtMs } = call
  const sum = Object.values(phasesMs).reduce((all, ms) => all + ms, 0)
  const whole = Math.max(1, sum, endedAtMs - startedAtMs)
  // The phases are those of the last request, so what is left was before it.
  const spent: { readonly [phase: string]: number } = { ...phasesMs, rest: whole - sum }
  let before = 0
  const rows = PHASES.flatMap(([phase, says]) => {
    const ms = spent[phase]
    if (ms === undefined || (phase === 'rest' && ms < 1)) return []
    const row = { phase, says, ms, left: (100 * before) / whole, width: (100 * ms) / whole }
    before += ms
    return [row]
  })
  return (
    <ol class="timeline">
      <li>
        <Time ms={startedAtMs} /> the request came
      </li>
      {rows.map(({ left, ms, phase, says, width }) => (
        <li key={phase}>
          {says} <small>{formatCount(ms)} ms</small>
          <span class="track">
            <span class="meter" style={{ marginLeft: `${left}%`, width: `${width}%` }} />
          </span>
        </li>
      ))}
      <li>
        <Time ms={endedAtMs} /> {call.outcome}: {formatCredits(charged)} of {formatCredits(price)}{' '}
        credits charged, after {formatCount(call.durationMs)} ms
      </li>
    </ol>
  )
}

/** The moment of a filter, as the command line takes it. */
function toUtc(ms: string): string {
  return ms === '' ? '' : `${new Date(Number(ms)).toISOString().slice(0, 19)}Z`
}

export const VIEWS: Views = {
  calls: {
    command: ({ query: { min_ms, outcome, since, skill, until, user } }) =>
      toCommand(['calls', 'ls'], {
        user,
        skill,
        outcome,
        since: toUtc(toDayStart(since)),
        until: toUtc(toDayStart(until, 1)),
        'min-ms': min_ms,
      }),
    render: (page) => <Calls {...page} />,
  },
  'calls/{callId}': {
    command: ({ params: [callId], query: { user } }) =>
      toCommand(['calls', 'show', callId], { user }),
    render: (page) => <Call {...page} />,
  },
}
