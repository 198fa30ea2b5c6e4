/** Registers an MCP server: its tools to look at, then the same settings with the plan's digest. */
import { type Signal, useSignal } from '@preact/signals'
import { PIN_POLICIES } from '../../core/skills/upstreams/upstream.ts'
import { ask, segment } from '../api/client.ts'
import { bind } from '../parts/bind.ts'
import { Choice, Field, Price } from '../parts/form.tsx'
import { Check, Notes, PlanForm } from '../parts/plan.tsx'
import { Table } from '../parts/table.tsx'
import { Code, formatCount, formatCredits, State, Text } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'

type PlannedTool = {
  readonly tool: string
  readonly skillId: string
  readonly does: string
  readonly faults: readonly string[]
  readonly notes: readonly string[]
  readonly tokens?: number
  readonly credits?: number
}
type Plan = {
  readonly digest: string
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly PlannedTool[]
  readonly excluded: readonly string[]
  readonly nameless: readonly string[]
  readonly collisions: readonly string[]
  readonly listTokens: number
}

export function FromServer() {
  const [id, url, secret] = [useSignal(''), useSignal(''), useSignal('')]
  const [credits, pins] = [useSignal('1'), useSignal('review')]
  const left = useSignal<ReadonlySet<string>>(new Set())
  const settings = {
    url: url.value,
    prefix: id.value.replaceAll('-', ''),
    credits: Number(credits.value),
    pins: pins.value,
    ...(secret.value !== '' && { auth: { type: 'bearer', secret: secret.value } }),
    ...(left.value.size > 0 && { exclude: [...left.value] }),
  }
  const path = `admin/upstreams/${segment(id.value)}`
  return (
    <PlanForm<Plan>
      sent={JSON.stringify([path, settings])}
      submit={['Ask for its tools', 'Register']}
      onPlan={() => ask(`${path}:plan`, { method: 'POST', body: settings })}
      onApply={async ({ digest }) => {
        await ask(path, { method: 'PUT', body: { ...settings, digest } })
        go(toHref(['upstreams', id.peek()]))
        return undefined
      }}
      fields={
        <>
          <Field
            label="Id"
            hint="Letters, digits and -. Tools are called sg_ID_…"
            required
            {...bind(id)}
          />
          <Field label="Address" type="url" hint="Streamable HTTP" required {...bind(url)} />
          <Field
            label="Bearer secret"
            hint="The name of a shared secret, never its value. Empty: none is sent."
            {...bind(secret)}
          />
          <Price {...bind(credits)} />
          <Choice
            label="A tool that the server changes"
            value={pins.value}
            options={PIN_POLICIES.map((policy) => [policy, PINS[policy]])}
            onChange={bind(pins).onInput}
          />
        </>
      }
    >
      {(plan) => (
        <>
          <p class="lead">
            <Text of={plan.server && `${plan.server.name} ${plan.server.version}: `} />
            {`${plan.tools.length} tools, ${formatCount(plan.listTokens)} tokens in a list.`}
          </p>
          <Notes title="Names that others have" rows={plan.collisions.map((one) => [one, ''])} />
          <Notes title="Without a usable name" rows={plan.nameless.map((one) => [one, ''])} />
          <PlannedTools left={left} plan={plan} />
        </>
      )}
    </PlanForm>
  )
}

const PINS = {
  review: 'is held until somebody approves it',
  trust: 'is taken over',
  block: 'holds all its tools',
}

function PlannedTools({
  left,
  plan: { excluded, tools },
}: {
  left: Signal<ReadonlySet<string>>
  plan: Plan
}) {
  const rows: readonly PlannedTool[] = [
    ...tools,
    ...excluded.map((tool) => ({ tool, skillId: '', does: 'left out', faults: [], notes: [] })),
  ]
  return (
    <Table
      caption="Tools"
      rows={rows}
      toKey={({ tool }) => tool}
      columns={[
        { head: 'Take', cell: ({ tool }) => <Check left={left} name={tool} /> },
        { head: 'Tool', cell: ({ tool }) => <Text of={tool} /> },
        { head: 'Becomes', cell: ({ skillId }) => <Code of={skillId} /> },
        { head: 'State', cell: ({ does }) => <State of={does} /> },
        {
          head: 'Notes',
          cell: ({ faults, notes }) => <Text of={[...faults, ...notes].join(' ')} />,
        },
        { head: 'Credits', cell: ({ credits }) => formatCredits(credits), right: true },
        { head: 'Tokens', cell: ({ tokens }) => formatCount(tokens), right: true },
      ]}
    />
  )
}
