/** Users: find them, and everything about one of them. */
import { useSignal } from '@preact/signals'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Field, Form, useWork } from '../parts/form.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Code, formatCredits, Link, State, Text, Time } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { Page, PageProps } from './page.ts'

type Listed = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly state: string
  readonly createdAtMs: number
  readonly credits: number
  readonly creditsOnHold: number
}
function Users({ query }: PageProps) {
  return (
    <>
      {may('operator') && <NewUser />}
      <ListPage<Listed>
        caption="Users"
        path="admin/users"
        rows="users"
        query={query}
        also={{ balances: 'true' }}
        filters={[
          { name: 'search', label: 'Name begins with', sendAs: 'username' },
          { name: 'group', label: 'Group' },
          {
            name: 'state',
            label: 'State',
            choices: [
              ['', 'all but deleted'],
              ['active', 'active'],
              ['disabled', 'disabled'],
              ['deleted', 'deleted'],
            ],
          },
        ]}
        toKey={({ uid }) => uid}
        columns={[
          {
            head: 'User',
            cell: ({ uid, username }) => (
              <Link href={toHref(['users', uid])}>
                <Text of={username} />
              </Link>
            ),
          },
          { head: 'Id', cell: ({ uid }) => <Code of={uid} /> },
          { head: 'Credits', cell: ({ credits }) => formatCredits(credits), right: true },
          { head: 'On hold', cell: (row) => formatCredits(row.creditsOnHold), right: true },
          { head: 'Tier', cell: ({ tier }) => <Text of={tier} /> },
          { head: 'State', cell: ({ state }) => <State of={state} /> },
          { head: 'Since', cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
        ]}
        empty={{
          title: 'No user is here.',
          says: <p>Users are found by the beginning of their name; case does not count.</p>,
        }}
      />
    </>
  )
}

function NewUser() {
  const name = useSignal('')
  const work = useWork()
  const create = async () => {
    const body = { username: name.peek() }
    const { uid } = await ask<Listed>('admin/users', { method: 'POST', body })
    go(toHref(['users', uid]))
  }
  return (
    <details>
      <summary>Add a user</summary>
      <Form work={work} onSubmit={create} submit="Add the user">
        <Field
          label="Username"
          value={name.value}
          onInput={(text) => {
            name.value = text
          }}
          required
        />
      </Form>
    </details>
  )
}

type User = Listed & {
  readonly lowBalance?: number
  readonly groups?: readonly string[]
  readonly reason?: string
}

function User({ params: [uid = ''] }: PageProps) {
  const user = useLoad((signal) => ask<User>(`admin/users/${segment(uid)}`, { signal }), [uid])
  return (
    <Loaded of={user}>
      {(value) => (
        <>
          <Fields
            rows={[
              ['Name', <Text key="name" of={value.username} />],
              ['Id', <Code key="uid" of={value.uid} />],
              ['State', <State key="state" of={value.state} />],
              ['Reason', value.reason],
              ['Credits', formatCredits(value.credits)],
              ['On hold', formatCredits(value.creditsOnHold)],
              ['Tier', <Text key="tier" of={value.tier} />],
              ['Groups', value.groups?.join(', ')],
              ['Since', <Time key="since" ms={value.createdAtMs} />],
            ]}
          />
          {may('operator') && <Grant uid={uid} onDone={user.reload} />}
        </>
      )}
    </Loaded>
  )
}

function Grant({ uid, onDone }: { uid: string; onDone: () => Promise<void> }) {
  const amount = useSignal('')
  const reason = useSignal('')
  // One id for each form: a grant that is sent twice counts once.
  const grantId = useSignal(crypto.randomUUID())
  const work = useWork()
  const grant = async () => {
    await ask(`admin/users/${segment(uid)}/credits`, {
      method: 'POST',
      body: {
        grantId: grantId.peek(),
        amount: Number(amount.peek()),
        ...(reason.peek() === '' ? {} : { reason: reason.peek() }),
      },
    })
    grantId.value = crypto.randomUUID()
    amount.value = ''
    reason.value = ''
    await onDone()
  }
  return (
    <section aria-labelledby="grant">
      <h2 id="grant">Grant credits</h2>
      <Form work={work} onSubmit={grant} submit="Grant">
        <Field
          label="Credits"
          type="number"
          step="any"
          value={amount.value}
          onInput={(text) => {
            amount.value = text
          }}
          hint="A negative number takes credits back."
          required
        />
        <Field
          label="Why"
          value={reason.value}
          onInput={(text) => {
            reason.value = text
          }}
        />
      </Form>
    </section>
  )
}

export const USER_PAGES: readonly Page[] = [
  {
    path: 'users',
    title: 'Users',
    audience: 'administrators',
    isListed: true,
    command: ({ query }) =>
      `skillgate users ls${query['search'] ? ` --search '${query['search']}'` : ''}`,
    render: (page) => <Users {...page} />,
  },
  {
    path: 'users/{uid}',
    title: 'User',
    audience: 'administrators',
    isListed: false,
    command: ({ params: [uid = ''] }) => `skillgate users show '${uid}'`,
    render: (page) => <User {...page} />,
  },
]
