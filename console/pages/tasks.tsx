/** Tasks: calls that go on behind their answer, with their price on hold. */
import { toCommand } from '../parts/command.ts'
import { ListPage } from '../parts/list-page.tsx'
import { toColumn } from '../parts/table.tsx'
import { formatCredits, Link, toShown, toTime } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import type { Views } from './page.ts'

type Task = {
  readonly callId: string
  readonly uid: string
  readonly username: string
  readonly skillId: string
  readonly price: number
  readonly startedAtMs: number
  readonly untilMs: number
}

export const VIEWS: Views = {
  tasks: {
    command: ({ query: { user = '' } }) =>
      toCommand(['api', 'GET', `tasks${user === '' ? '' : `?user=${encodeURIComponent(user)}`}`]),
    render: ({ query }) => (
      <ListPage<Task>
        caption="Tasks that run or wait for an answer, the soonest end first"
        path="admin/tasks"
        rows="tasks"
        query={query}
        filters={[{ name: 'user', label: 'User id' }]}
        toKey={({ callId }) => callId}
        columns={[
          {
            head: 'User',
            cell: ({ uid, username }) => (
              <Link href={toHref(['users', uid])}>{toShown(username)}</Link>
            ),
          },
          toColumn('Skill', 'skillId'),
          toColumn('On hold', 'price', formatCredits),
          toColumn('Began', 'startedAtMs', toTime),
          toColumn('Ends at the latest', 'untilMs', toTime),
        ]}
        empty={{
          title: 'No task ends within the next half hour.',
          says: (
            <p>
              A long call is here until it is charged or given back. Jobs may have more time: choose
              their user, or show more.
            </p>
          ),
        }}
      />
    ),
  },
}
