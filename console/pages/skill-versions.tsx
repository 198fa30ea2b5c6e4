/** What a skill was: its versions, what changed between two, and the way back. */
import type { Difference } from '../../core/json/json-diff.ts'
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { Differences } from '../parts/differences.tsx'
import { Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Link, Text, Time } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'
import { readPlace } from './skills.tsx'

type Version = {
  readonly version: number
  readonly madeAtMs: number
  readonly by: string
  readonly origin: string
}

function Versions(page: PageProps) {
  const { href, path, skillId, source, uid } = readPlace(page)
  const { from, to } = page.query
  const versions = useLoad(
    (signal) =>
      ask<{ versions: readonly Version[] }>(`${path}/versions`, {
        query: { uid, limit: 50 },
        signal,
      }),
    [path, uid],
  )
  const linkTo = (one: number, other: number) =>
    toHref(['skills', source, skillId, 'versions'], { uid, from: `${one}`, to: `${other}` })
  return (
    <Loaded of={versions}>
      {({ versions: rows }) => {
        const newest = rows[0]?.version ?? 0
        return (
          <>
            {from !== undefined && to !== undefined && (
              <VersionDiff key={`${from} ${to}`} path={path} from={from} to={to} uid={uid} />
            )}
            <Table
              caption="Versions, newest first; the last 50 are kept"
              rows={rows}
              toKey={({ version }) => `${version}`}
              columns={[
                { head: 'Version', cell: ({ version }) => version },
                { head: 'Made', cell: ({ madeAtMs }) => <Time ms={madeAtMs} /> },
                { head: 'By', cell: ({ by }) => <Text of={by} /> },
                { head: 'Of', cell: ({ origin }) => origin },
                {
                  head: 'Compare',
                  cell: ({ version }) => (
                    <span class="links">
                      {version > (rows.at(-1)?.version ?? 0) && (
                        <Link href={linkTo(version - 1, version)}>What it changed</Link>
                      )}
                      {version < newest && (
                        <Link href={linkTo(version, newest)}>With the newest</Link>
                      )}
                    </span>
                  ),
                },
                {
                  head: 'Roll back',
                  cell: ({ version }) =>
                    may('publisher') && version < newest ? (
                      <Action
                        label={`Bring ${version} back`}
                        says="The definition becomes a new version. State, groups and price stay."
                        onDo={async () => {
                          const query = { uid }
                          const body = { version }
                          await ask(`${path}/rollback`, { method: 'POST', query, body })
                          go(href())
                        }}
                      />
                    ) : null,
                },
              ]}
            />
          </>
        )
      }}
    </Loaded>
  )
}

type DiffProps = { path: string; from: string; to: string; uid: string | undefined }

function VersionDiff({ from, path, to, uid }: DiffProps) {
  const diff = useLoad((signal) =>
    ask<{ differences: readonly Difference[]; more: boolean }>(
      `${path}/versions/${from}/diff/${to}`,
      { query: { uid }, signal },
    ),
  )
  return (
    <Loaded of={diff}>
      {({ differences, more }) => (
        <Differences
          caption={`From version ${from} to ${to}${more ? ', the first differences' : ''}`}
          of={differences}
        />
      )}
    </Loaded>
  )
}

export const VIEWS: Views = {
  'skills/{source}/{skillId}/versions': {
    command: (page) => readPlace(page).command('versions'),
    render: (page) => <Versions {...page} />,
  },
}
