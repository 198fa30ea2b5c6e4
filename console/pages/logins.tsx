/** Clients that a user has let in by a login, and an end of each. */
import { ask, segment } from '../api/client.ts'
import { Action } from '../parts/action.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { toColumn } from '../parts/table.tsx'
import { toShown, toTime } from '../parts/text.tsx'

type Login = {
  readonly loginId: string
  readonly clientName: string
  readonly clientHost?: string
  readonly redirectHost: string
  readonly createdAtMs: number
  readonly lastRefreshAtMs: number
}

/** `base`: the route of the person, `admin/users/{uid}` or `me`. */
export function Logins({ base, mayChange }: { base: string; mayChange: boolean }) {
  const path = `${base}/logins`
  return (
    <ListPage<Login>
      caption="Clients that are logged in"
      path={path}
      rows="logins"
      query={{}}
      actions={
        mayChange &&
        (({ loginId }, reload) => (
          <Action
            label="End"
            danger
            says="The tokens of this client stop working within 30 seconds. It can log in again."
            onDo={() => ask(`${path}/${segment(loginId)}`, { method: 'DELETE' }).then(reload)}
          />
        ))
      }
      toKey={({ loginId }) => loginId}
      columns={[
        toColumn('Client', 'clientName'),
        { head: 'From', cell: (row) => toShown(row.clientHost ?? row.redirectHost) },
        toColumn('Since', 'createdAtMs', toTime),
        toColumn('Last used', 'lastRefreshAtMs', toTime),
      ]}
      empty={{
        title: 'No client is logged in.',
        says: <p>A client that signs in by a browser is here once it has its tokens.</p>,
      }}
    />
  )
}
