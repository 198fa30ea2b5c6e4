/** One user: what they have, their last calls, and all that an administrator may change. */
import type { JSX } from 'preact'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { toCommand } from '../parts/command.ts'
import { FormAction, type RecordBody } from '../parts/record-form.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields, Table } from '../parts/table.tsx'
import { Code, formatCredits, State, Time, toShown } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import { Logins } from './logins.tsx'
import type { PageProps, View } from './page.ts'
import { SecretList } from './secrets.tsx'
import { GrantAction, Grants, Ledger, type LedgerEntry, toLedgerColumns } from './user-credits.tsx'
import { type Budget, Keys, type OfPerson, toBudgetText } from './user-keys.tsx'

type User = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly state: string
  readonly createdAtMs: number
  readonly credits: number
  readonly creditsOnHold: number
  readonly monthlyBudget?: Budget
  readonly lowBalance?: number
  readonly identity?: string
  readonly list?: string
  readonly groups?: readonly string[]
  readonly reason?: string
  readonly lastCalls: readonly LedgerEntry[]
  readonly privateSkills: readonly unknown[]
  readonly openStreams: readonly unknown[]
}

type TabProps = {
  readonly uid: string
  readonly user: User
  readonly onChanged: () => Promise<void>
}

type Tab = {
  /** In the address; '' for the address of the user. */
  readonly name: string
  readonly title: string
  readonly command: readonly string[]
  render(props: TabProps): JSX.Element
}

const OVERVIEW: Tab = {
  name: '',
  title: 'Overview',
  command: ['users', 'show'],
  render: (tab) => <Overview {...tab} />,
}
const TABS: readonly Tab[] = [
  OVERVIEW,
  {
    name: 'calls',
    title: 'Calls',
    command: ['credits', 'ledger'],
    render: ({ uid }) => <Ledger uid={uid} />,
  },
  {
    name: 'credits',
    title: 'Credits',
    command: ['credits', 'grants'],
    render: ({ onChanged, uid }) => <Grants uid={uid} onChanged={onChanged} />,
  },
  {
    name: 'keys',
    title: 'Keys',
    command: ['keys', 'ls'],
    render: ({ uid }) => <Keys {...toPerson(uid)} />,
  },
  {
    name: 'logins',
    title: 'Logins',
    command: ['logins', 'ls'],
    render: ({ uid }) => <Logins {...toPerson(uid)} />,
  },
  {
    name: 'secrets',
    title: 'Secrets',
    command: ['secrets', 'ls'],
    render: ({ uid }) => <SecretList {...toPerson(uid)} />,
  },
]

function toPerson(uid: string): OfPerson {
  return { base: `admin/users/${segment(uid)}`, mayChange: may('operator') }
}

function findTab(name: string | undefined): Tab {
  return TABS.find((tab) => tab.name === name) ?? OVERVIEW
}

function User({ params: [uid = '', name] }: PageProps) {
  const user = useLoad((signal) => ask<User>(`admin/users/${segment(uid)}`, { signal }), [uid])
  const tab = findTab(name)
  return (
    <Loaded of={user}>
      {(value) => (
        <>
          <p class="lead">
            <strong>{toShown(value.username)}</strong> <State of={value.state} />{' '}
            {formatCredits(value.credits)} credits
          </p>
          <nav aria-label="About the user" class="tabs">
            {TABS.map(({ name: one, title }) => (
              <a
                key={one}
                href={toHref(['users', uid, one].filter((part) => part !== ''))}
                aria-current={one === tab.name ? 'page' : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          {tab.render({ uid, user: value, onChanged: user.reload })}
        </>
      )}
    </Loaded>
  )
}

function Overview(tab: TabProps) {
  const { onChanged, uid, user } = tab
  const { lowBalance, monthlyBudget } = user
  return (
    <>
      {may('operator') && (
        <p class="actions">
          <GrantAction uid={uid} onDone={onChanged} />
          <Changes {...tab} />
        </p>
      )}
      <Fields
        rows={[
          ['Id', <Code key="uid" of={user.uid} />],
          ['Reason', toShown(user.reason)],
          ['On hold', `${formatCredits(user.creditsOnHold)} credits`],
          ['Budget of the month', toBudgetText(monthlyBudget)],
          ['Low at', lowBalance === undefined ? '' : `${formatCredits(lowBalance)} credits`],
          ['Tier', toShown(user.tier)],
          ['Identity', toShown(user.identity)],
          ['Tool list', toShown(user.list)],
          ['Groups', <Groups key="groups" {...tab} />],
          ['Private skills', user.privateSkills.length],
          ['Open streams', user.openStreams.length],
          ['Since', <Time key="since" ms={user.createdAtMs} />],
        ]}
      />
      <h2>Last calls</h2>
      {user.lastCalls.length === 0 ? (
        <p>None yet. A call is here as soon as its price is on hold.</p>
      ) : (
        <Table
          caption="The last 10. The section Calls has all of them."
          rows={user.lastCalls}
          columns={toLedgerColumns(uid)}
          toKey={({ callId }) => callId}
        />
      )}
    </>
  )
}

/** Adds and removes one group at a time, so that two administrators at once both have their way. */
function Groups({ onChanged, uid, user: { groups = [] } }: TabProps) {
  if (!may('operator')) return <>{toShown(groups.join(', ') || 'none')}</>
  return (
    <span class="actions">
      {groups.map((group) => (
        <Action
          key={group}
          label={`${toShown(group)} ✕`}
          says={`The user no longer sees or calls skills of the group ${toShown(group)}.`}
          onDo={() => change(uid, { removeGroups: [group] }).then(onChanged)}
        />
      ))}
      <FormAction
        submit="Add to groups"
        fields={[{ name: 'addGroups', label: 'Groups', as: 'list', required: true }]}
        onSend={(body) => change(uid, body).then(onChanged)}
      />
    </span>
  )
}

function change(uid: string, body: RecordBody): Promise<unknown> {
  return ask(`admin/users/${segment(uid)}`, { method: 'PATCH', body })
}

function Changes({ onChanged, uid, user }: TabProps) {
  const { monthlyBudget, state, username } = user
  const remove = async () => {
    await ask(`admin/users/${segment(uid)}`, { method: 'DELETE' })
    go(toHref(['users']))
  }
  return (
    <>
      <FormAction
        submit="Change"
        says="An empty field takes its value away."
        onSend={(body) => change(uid, body).then(onChanged)}
        fields={[
          { name: 'username', label: 'Name', now: username, required: true },
          { name: 'tier', label: 'Tier', now: user.tier, required: true },
          {
            name: 'monthlyBudget',
            label: 'Budget of a month',
            as: 'number',
            now: monthlyBudget?.limit,
            hint: 'Credits. A call past it is refused until the month (UTC) ends.',
          },
          {
            name: 'lowBalance',
            label: 'Tell when the balance is at',
            as: 'number',
            now: user.lowBalance,
            hint: 'Credits. Empty: the number of the stage.',
          },
          { name: 'identity', label: 'Identity', now: user.identity, hint: 'Such as an address.' },
          {
            name: 'list',
            label: 'Tool list',
            now: user.list,
            choices: [
              ['', 'as the stage has it'],
              ['all', 'all tools'],
              ['search', 'a search and one tool that calls'],
            ],
          },
        ]}
      />
      {state === 'active' && (
        <FormAction
          submit="Disable"
          danger
          says="Every call, list and stream is refused. Keys, secrets, skills and credits stay."
          fields={[{ name: 'reason', label: 'Why', hint: 'The user reads it.' }]}
          onSend={(body) => change(uid, { ...body, state: 'disabled' }).then(onChanged)}
        />
      )}
      {state === 'disabled' && (
        <Action label="Enable" onDo={() => change(uid, { state: 'active' }).then(onChanged)} />
      )}
      {state !== 'deleted' && (
        <Action
          label={state === 'deleting' ? 'Go on with the deletion' : 'Delete'}
          confirm={username}
          says="Removes keys, secrets, private skills and streams. The ledger stays and names nobody. This cannot be undone."
          onDo={remove}
        />
      )}
    </>
  )
}

/** With the sections of {@link TABS} in the address. */
export const USER_VIEW: View = {
  command: ({ params: [uid, name] }) => toCommand([...findTab(name).command, uid]),
  render: (page) => <User {...page} />,
}
