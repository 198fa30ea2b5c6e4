/** Users: find one, those with a debt, and those who soon have nothing left. */
import { ask } from '../api/client.ts'
import { type Command, toCommand } from '../parts/command.ts'
import { Choice } from '../parts/form.tsx'
import { type Filter, ListPage } from '../parts/list-page.tsx'
import { FormAction, type RecordBody } from '../parts/record-form.tsx'
import { type TableColumn, toColumn } from '../parts/table.tsx'
import { formatCredits, Link, toCode, toShown, toState, toTime } from '../parts/text.tsx'
import { go, setQuery, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'
import { USER_VIEW } from './user.tsx'

type Listed = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly state: string
  readonly createdAtMs?: number
  readonly credits: number
  readonly creditsOnHold: number
  readonly chargedPerDay?: number
  readonly daysLeft?: number
  readonly reaches?: string
}

const NAME: TableColumn<Listed> = {
  head: 'User',
  cell: ({ uid, username }) => <Link href={toHref(['users', uid])}>{toShown(username)}</Link>,
}
const CREDITS: readonly TableColumn<Listed>[] = [
  NAME,
  toColumn('Id', 'uid', toCode),
  toColumn('Credits', 'credits', formatCredits),
  toColumn('On hold', 'creditsOnHold', formatCredits),
]
const STATE: TableColumn<Listed> = toColumn('State', 'state', toState)

type Shown = {
  readonly path: string
  readonly also?: { readonly [name: string]: string }
  readonly filters: readonly Filter[]
  readonly columns: readonly TableColumn<Listed>[]
  readonly empty: string
}

/** The lists by their name in the address. */
const LISTS: { readonly [name: string]: Shown } = {
  '': {
    path: 'admin/users',
    also: { balances: 'true' },
    filters: [
      { name: 'search', label: 'Name begins with', sendAs: 'username' },
      { name: 'group', label: 'Group' },
      { name: 'tier', label: 'Tier' },
      {
        name: 'state',
        label: 'State',
        choices: [
          ['', 'all but deleted'],
          ['active', 'active'],
          ['disabled', 'disabled'],
          ['deleting', 'being deleted'],
          ['deleted', 'deleted'],
        ],
      },
      { name: 'key', label: 'Key id', sendAs: 'keyId' },
      { name: 'identity', label: 'Identity' },
    ],
    columns: [
      ...CREDITS,
      toColumn('Tier', 'tier'),
      STATE,
      toColumn('Since', 'createdAtMs', toTime),
    ],
    empty: 'Names are found by their beginning; case does not count. Other filters are exact.',
  },
  'running-out': {
    path: 'admin/users:running-out',
    filters: [{ name: 'within', label: 'Within days (7)', type: 'number' }],
    columns: [
      ...CREDITS,
      toColumn('A day', 'chargedPerDay', formatCredits),
      toColumn('Days left', 'daysLeft', formatCredits),
      toColumn('Ends first', 'reaches'),
    ],
    empty: 'Users are here whose credits or budget end soon, if they go on as in the last 7 days.',
  },
  'in-debt': {
    path: 'admin/users:in-debt',
    filters: [],
    columns: [...CREDITS, STATE],
    empty: 'A balance is below 0 only after a correction that allowed a debt.',
  },
}

function Users({ query }: PageProps) {
  const { show = '' } = query
  const { empty, ...list } = LISTS[show] ?? (LISTS[''] as Shown)
  return (
    <>
      {may('operator') && <NewUser />}
      <Choice
        label="Show"
        value={show}
        options={[
          ['', 'all users'],
          ['running-out', 'who soon has no credits or budget'],
          ['in-debt', 'who has a debt'],
        ]}
        onChange={(text) => setQuery({ show: text })}
      />
      <ListPage<Listed>
        key={list.path}
        caption="Users"
        rows="users"
        query={query}
        toKey={({ uid }) => uid}
        empty={{ title: 'No user is here.', says: <p>{empty}</p> }}
        {...list}
      />
    </>
  )
}

function NewUser() {
  const create = async (body: RecordBody) => {
    const { uid } = await ask<Listed>('admin/users', { method: 'POST', body })
    go(toHref(['users', uid]))
  }
  return (
    <FormAction
      submit="Add a user"
      onSend={create}
      fields={[
        { name: 'username', label: 'Name', required: true, hint: 'In tools and logs.' },
        { name: 'uid', label: 'Id', hint: 'Never changes, and names nobody. Made if left empty.' },
        { name: 'tier', label: 'Tier', hint: 'Decides the limits; free if left empty.' },
        { name: 'credits', label: 'Credits to begin with', as: 'number' },
        { name: 'groups', label: 'Groups', as: 'list', hint: 'With spaces between them.' },
      ]}
    />
  )
}

function toListCommand({ query }: PageProps): Command {
  const { group, identity, key, search, show, state, tier, within } = query
  if (show === 'in-debt') return toCommand(['credits', 'debts'])
  if (show === 'running-out') {
    const options = { within: within === undefined ? undefined : `${within}d` }
    return toCommand(['users', 'ls', '--running-out'], options)
  }
  return toCommand(['users', 'ls'], { search, group, tier, state, key, identity })
}

export const VIEWS: Views = {
  users: {
    command: toListCommand,
    render: (page) => <Users {...page} />,
  },
  'users/{uid}': USER_VIEW,
  'users/{uid}/{section}': USER_VIEW,
}
