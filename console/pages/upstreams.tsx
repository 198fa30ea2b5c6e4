/** MCP servers whose tools are skills: their state, and changed tools beside what was approved. */
import type { JsonObject } from '../../core/json/json.ts'
import { type Difference, diffJson } from '../../core/json/json-diff.ts'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { toCommand } from '../parts/command.ts'
import { Differences } from '../parts/differences.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields, Table } from '../parts/table.tsx'
import { Code, formatCount, formatCredits, Link, State, Text, Time } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'

type Upstream = {
  readonly id: string
  readonly state: string
  readonly settings: {
    readonly url: string
    readonly source: string
    readonly credits?: number
    readonly pins: string
    readonly refresh_minutes: number
  }
  readonly counts: { readonly [state: string]: number }
  readonly listedAtMs?: number
  readonly nextRefreshAtMs?: number
  readonly failures: number
  readonly lastFailure?: string
  readonly server?: { readonly name: string; readonly version: string }
}
type Tool = {
  readonly tool: string
  readonly state: string
  readonly skillId?: string
  readonly isHeld?: boolean
  readonly digest?: string
  readonly faults?: readonly string[]
  readonly fields?: readonly string[]
  readonly approved?: object
  readonly offered?: object
}
type WithTools = Upstream & { readonly tools: readonly Tool[] }

/** States of tools that an approval frees. */
const WAITING = ['new', 'changed', 'flagged']

/** Differences that are shown. */
const SHOWN_MAX = 100

function Upstreams({ query }: PageProps) {
  return (
    <>
      {may('publisher') && (
        <p class="links">
          <Link href="#/import?from=mcp">Register an MCP server</Link>
        </p>
      )}
      <ListPage<Upstream & { readonly tools: number }>
        caption="Upstreams"
        path="admin/upstreams"
        rows="upstreams"
        query={query}
        toKey={({ id }) => id}
        columns={[
          {
            head: 'Upstream',
            cell: ({ id }) => <Link href={toHref(['upstreams', id])}>{id}</Link>,
          },
          { head: 'State', cell: ({ state }) => <State of={state} /> },
          { head: 'Server', cell: ({ settings }) => <Text of={settings.url} /> },
          { head: 'Tools', cell: ({ tools }) => formatCount(tools), right: true },
          { head: 'Waiting', cell: ({ counts }) => writeCounts(counts) },
          { head: 'Refreshed', cell: ({ listedAtMs }) => <Time ms={listedAtMs} /> },
          { head: 'Last failure', cell: ({ lastFailure }) => <Text of={lastFailure} /> },
        ]}
        empty={{
          title: 'No MCP server is registered.',
          says: <p>The gateway asks a registered server for its tools, and makes each a skill.</p>,
        }}
      />
    </>
  )
}

function writeCounts(counts: Upstream['counts']): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ')
}

function Upstream({ params: [id = ''], query }: PageProps) {
  const path = `admin/upstreams/${segment(id)}`
  const upstream = useLoad((signal) => ask<WithTools>(path, { signal }), [path])
  const send = (verb: string, body?: object) =>
    ask(`${path}:${verb}`, { method: 'POST', ...(body && { body }) }).then(upstream.reload)
  return (
    <Loaded of={upstream}>
      {(value) => (
        <>
          <About of={value} />
          {may('publisher') && (
            <div class="links">
              <Action label="Refresh now" onDo={() => send('refresh')} />
              <Action
                label="Delete"
                says="Its tools are deleted with it, and agents lose them."
                confirm={id}
                onDo={async () => {
                  await ask(path, { method: 'DELETE' })
                  go('#/upstreams')
                }}
              />
            </div>
          )}
          {query['tool'] !== undefined && (
            <ToolChange
              key={query['tool'] + String(value.listedAtMs)}
              path={path}
              tool={query['tool']}
              onApprove={(tool, digest) => send('approve', { tools: [{ tool, digest }] })}
            />
          )}
          <Tools id={id} tools={value.tools} />
        </>
      )}
    </Loaded>
  )
}

function About({ of: { failures, server, settings, ...of } }: { of: WithTools }) {
  const minutes = settings.refresh_minutes
  return (
    <Fields
      rows={[
        ['Upstream', <Code key="id" of={of.id} />],
        ['State', <State key="state" of={of.state} />],
        ['Address', <Code key="url" of={settings.url} />],
        ['Server', server && <Text key="server" of={`${server.name} ${server.version}`} />],
        ['Tier', settings.source],
        ['Credits per call', formatCredits(settings.credits ?? 0)],
        ['Changed tools', settings.pins],
        ['Refreshed', <Time key="at" ms={of.listedAtMs} />],
        [
          'Next refresh',
          minutes === 0 ? 'by hand alone' : <Time key="next" ms={of.nextRefreshAtMs} />,
        ],
        ['Failures in a row', failures || ''],
        ['Last failure', of.lastFailure && <Text key="why" of={of.lastFailure} />],
      ]}
    />
  )
}

function Tools({ id, tools }: { id: string; tools: readonly Tool[] }) {
  return (
    <Table
      caption="Tools"
      rows={tools}
      toKey={({ tool }) => tool}
      columns={[
        {
          head: 'Tool',
          cell: ({ tool }) => (
            <Link href={toHref(['upstreams', id], { tool })}>
              <Text of={tool} />
            </Link>
          ),
        },
        { head: 'State', cell: ({ state }) => <State of={state} /> },
        {
          head: 'Calls',
          cell: ({ isHeld, skillId }) => (isHeld ? 'refused' : skillId ? 'served' : ''),
        },
        { head: 'Changed', cell: ({ fields }) => <Text of={fields?.join(', ')} /> },
        { head: 'Faults', cell: ({ faults }) => <Text of={faults?.join(' ')} /> },
        { head: 'Skill', cell: ({ skillId }) => <Code of={skillId} /> },
      ]}
    />
  )
}

type ChangeProps = {
  path: string
  tool: string
  onApprove: (tool: string, digest: string) => Promise<void>
}

function ToolChange({ onApprove, path, tool: name }: ChangeProps) {
  const found = useLoad((signal) => ask<WithTools>(path, { query: { tool: name }, signal }))
  return (
    <section aria-label="Tool">
      <Loaded of={found}>
        {({ tools: [tool] }) =>
          tool && (
            <>
              <h2>
                <Text of={tool.tool} /> <State of={tool.state} />
              </h2>
              <Differences caption="Approved and offered by the server" of={compare(tool)} />
              {may('publisher') && tool.digest && WAITING.includes(tool.state) && (
                <Action
                  label="Approve"
                  says="Agents read the new definition, and calls are served. If the server changed the tool again since, the approval is refused."
                  onDo={() => onApprove(name, tool.digest ?? '')}
                />
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

/** A tool without an offer is compared with nothing: what agents read is shown as it is. */
function compare({ approved, offered }: Tool): readonly Difference[] {
  // Both are JSON.
  return diffJson((approved ?? {}) as JsonObject, (offered ?? {}) as JsonObject, SHOWN_MAX)
    .differences
}

export const VIEWS: Views = {
  upstreams: {
    command: () => toCommand(['upstreams', 'ls']),
    render: (page) => <Upstreams {...page} />,
  },
  'upstreams/{id}': {
    command: ({ params: [id], query: { tool } }) =>
      toCommand(['upstreams', 'show', id, ...(tool ? [tool] : [])]),
    render: (page) => <Upstream {...page} />,
  },
}
