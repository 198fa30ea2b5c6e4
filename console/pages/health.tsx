/** What the gateway tells of itself, with the alarms of the stage. */
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { toCommand } from '../parts/command.ts'
import { Loaded } from '../parts/states.tsx'
import { Fields, Table } from '../parts/table.tsx'
import { Code, Link, State, Text, Time } from '../parts/text.tsx'
import type { Views } from './page.ts'

export type Finding = { readonly check: string; readonly ok: boolean; readonly finding: string }

type Alarm = {
  readonly name: string
  readonly state: string
  readonly sinceMs?: number
  readonly reason: string
}

type Health = {
  readonly checkedAtMs: number
  readonly version: string
  readonly node: string
  readonly revisions: readonly string[]
  readonly findings: readonly Finding[]
  readonly alarms?: readonly Alarm[]
}

/** Pages where a person acts on a check. */
const PAGES_OF_CHECKS: { readonly [check: string]: string } = { upstreams: '#/upstreams' }

export function Findings({ of, title }: { of: readonly Finding[]; title: string }) {
  return (
    <Table<Finding>
      caption={title}
      rows={of}
      toKey={({ check }) => check}
      columns={[
        {
          head: 'Check',
          cell: ({ check }) => {
            const href = PAGES_OF_CHECKS[check]
            return href === undefined ? check : <Link href={href}>{check}</Link>
          },
        },
        { head: 'State', cell: ({ ok }) => <State of={ok ? 'ok' : 'wrong'} /> },
        { head: 'What was found', cell: ({ finding }) => <Text of={finding} /> },
      ]}
    />
  )
}

function Health() {
  const health = useLoad((signal) => ask<Health>('admin/health', { signal }))
  return (
    <Loaded of={health}>
      {({ alarms, checkedAtMs, findings, node, revisions, version }) => (
        <>
          <Fields
            rows={[
              ['Version', <Text key="version" of={version} />],
              ['Node', <Text key="node" of={node} />],
              ['MCP', revisions.join(', ')],
              ['Checked', <Time key="at" ms={checkedAtMs} />],
            ]}
          />
          <Action label="Check again" onDo={health.reload} />
          <Findings title="Checks" of={findings} />
          {alarms !== undefined && (
            <Table<Alarm>
              caption="Alarms of CloudWatch"
              rows={alarms}
              toKey={({ name }) => name}
              columns={[
                { head: 'Alarm', cell: ({ name }) => <Code of={name} /> },
                { head: 'State', cell: ({ state }) => <State of={state} /> },
                { head: 'Since', cell: ({ sinceMs }) => <Time ms={sinceMs} /> },
                { head: 'Why', cell: ({ reason }) => <Text of={reason} /> },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

export const VIEWS: Views = {
  health: {
    command: () => toCommand(['doctor']),
    render: () => <Health />,
  },
}
