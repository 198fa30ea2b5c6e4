/** The credits of a user: grants, corrections, and what calls cost. */
import { ApiError, ask, segment } from '../api/client.ts'
import { ListPage, type Reload } from '../parts/list-page.tsx'
import { FormAction, type RecordBody } from '../parts/record-form.tsx'
import { type TableColumn, toColumn } from '../parts/table.tsx'
import { formatCount, formatCredits, Link, State, Time, toCode, toTime } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'

export type LedgerEntry = {
  readonly callId: string
  readonly skillId?: string
  readonly state: string
  readonly reason?: string
  readonly amount: number
  readonly charged: number
  readonly createdAtMs: number
  readonly durationMs?: number
}

/** A running call has no page yet. */
export function toLedgerColumns(uid: string): readonly TableColumn<LedgerEntry>[] {
  return [
    {
      head: 'At',
      cell: ({ callId, createdAtMs, state }) =>
        state === 'held' ? (
          <Time ms={createdAtMs} />
        ) : (
          <Link href={toHref(['calls', callId], { user: uid })}>
            <Time ms={createdAtMs} />
          </Link>
        ),
    },
    toColumn('Skill', 'skillId'),
    {
      head: 'Outcome',
      cell: ({ reason, state }) => <State of={state === 'held' ? 'running' : (reason ?? state)} />,
    },
    toColumn('Price', 'amount', formatCredits),
    toColumn('Charged', 'charged', formatCredits),
    toColumn('ms', 'durationMs', formatCount),
  ]
}

export function Ledger({ uid }: { uid: string }) {
  return (
    <ListPage<LedgerEntry>
      caption="Calls: running ones first, then the newest"
      path={`admin/users/${segment(uid)}/ledger`}
      rows="entries"
      query={{}}
      columns={toLedgerColumns(uid)}
      toKey={({ callId }) => callId}
      empty={{
        title: 'No call is here.',
        says: <p>A call is here as soon as its price is on hold. Old ones are in the archive.</p>,
      }}
    />
  )
}

type Grant = {
  readonly grantId: string
  readonly amount: number
  readonly reason?: string
  readonly by?: string
  readonly createdAtMs: number
}

export function Grants({ onChanged, uid }: { uid: string; onChanged: Reload }) {
  return (
    <ListPage<Grant>
      caption="Grants and corrections, by their ids"
      path={`admin/users/${segment(uid)}/credits`}
      rows="grants"
      query={{}}
      before={
        may('operator') &&
        ((reload) => <GrantAction uid={uid} onDone={() => Promise.all([reload(), onChanged()])} />)
      }
      toKey={({ grantId }) => grantId}
      columns={[
        toColumn('At', 'createdAtMs', toTime),
        toColumn('Credits', 'amount', formatCredits),
        toColumn('Why', 'reason'),
        toColumn('By', 'by'),
        toColumn('Id', 'grantId', toCode),
      ]}
      empty={{ title: 'Nothing was granted yet.', says: <p>Grants are here with their reason.</p> }}
    />
  )
}

/**
 * The id of the next grant of each user. A grant whose answer was lost keeps its id until an answer
 * comes, even if the form was closed meanwhile, so that sending it again counts once.
 */
const nextIds = new Map<string, string>()

export function GrantAction({ onDone, uid }: { uid: string; onDone: () => Promise<unknown> }) {
  const grant = async (body: RecordBody) => {
    const grantId = nextIds.get(uid) ?? crypto.randomUUID()
    nextIds.set(uid, grantId)
    try {
      await sendGrant(uid, { ...body, grantId })
    } catch (cause) {
      // An earlier try with another amount has counted; the list shows it, and this form begins anew.
      if (!(cause instanceof ApiError && cause.status === 409)) throw cause
      nextIds.delete(uid)
      await onDone()
      throw new ApiError(409, {
        detail: `An earlier try of this form has counted. ${cause.message}`,
      })
    }
    nextIds.delete(uid)
    await onDone()
  }
  return (
    <FormAction
      submit="Grant credits"
      says="A repeat after a lost answer counts once."
      onSend={grant}
      fields={[
        {
          name: 'amount',
          label: 'Credits',
          as: 'number',
          required: true,
          hint: 'A negative number takes credits back, and needs a reason.',
        },
        { name: 'reason', label: 'Why' },
        {
          name: 'allowNegative',
          label: 'If the balance is too small',
          as: 'boolean',
          choices: [
            ['', 'take nothing back'],
            ['true', 'take it, and leave a debt'],
          ],
        },
      ]}
    />
  )
}

/** `granted` is false if a grant with this id was counted before. */
export function sendGrant(uid: string, body: object): Promise<{ readonly granted: boolean }> {
  return ask(`admin/users/${segment(uid)}/credits`, { method: 'POST', body })
}
