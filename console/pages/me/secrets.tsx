/** Secrets of a user: which tools need one, where it will be sent, and which are set. */
import { useSignal } from '@preact/signals'
import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Action } from '../../parts/action.tsx'
import { bind } from '../../parts/bind.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, Form, useWork } from '../../parts/form.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Code, State, Text, Time, toShown } from '../../parts/text.tsx'
import type { OwnTool } from './me.ts'

/** Most rows of one request for each list. */
const LIMIT = 100

type Stored = {
  readonly name: string
  readonly skillId?: string
  readonly origins: readonly string[]
  readonly updatedAtMs: number
}

/** A secret that a tool needs. */
type Need = OwnTool['secrets'][number] & { readonly tool: string }

export function Secrets() {
  const loading = useLoad(async (signal) => {
    const query = { limit: LIMIT }
    const [{ tools }, { secrets }] = await Promise.all([
      ask<{ tools: readonly OwnTool[] }>('me/tools', { query, signal }),
      ask<{ secrets: readonly Stored[] }>('me/secrets', { query, signal }),
    ])
    const needs = tools.flatMap(({ name: tool, secrets: of }) =>
      of.map((one) => ({ ...one, tool })),
    )
    return { needs, secrets }
  })
  return (
    <Loaded of={loading}>
      {({ needs, secrets }) => (
        <>
          <h2>Needed by your tools</h2>
          <Needs needs={needs} onDone={loading.reload} />
          <h2>Secrets that you set</h2>
          <StoredSecrets secrets={secrets} onDone={loading.reload} />
        </>
      )}
    </Loaded>
  )
}

function Needs({ needs, onDone }: { needs: readonly Need[]; onDone: () => Promise<void> }) {
  if (needs.length === 0) return <p>No tool that you may call needs a secret of yours.</p>
  return (
    <Table
      caption="A secret is a key of another service, which a tool sends there for you"
      rows={needs}
      toKey={({ name, tool }) => `${tool} ${name}`}
      columns={[
        { head: 'Secret', cell: ({ name }) => <Code of={name} /> },
        { head: 'Tool', cell: ({ tool }) => <Code of={tool} /> },
        { head: 'Is sent to', cell: ({ origins }) => <Text of={origins.join(', ')} /> },
        { head: 'State', cell: ({ isSet }) => (isSet ? 'set' : <State of="missing" />) },
        { head: 'Change', cell: (need) => <SetSecret need={need} onDone={onDone} /> },
      ]}
    />
  )
}

function SetSecret({ need, onDone }: { need: Need; onDone: () => Promise<void> }) {
  const isOpen = useSignal(false)
  const value = useSignal('')
  const work = useWork()
  const close = () => {
    isOpen.value = false
    value.value = ''
  }
  const set = async () => {
    await ask(`me/secrets/${segment(need.name)}`, {
      method: 'PUT',
      query: { skill: need.tool },
      body: { value: value.peek() },
    })
    close()
    await onDone()
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {need.isSet ? 'Replace' : 'Set'}
      </button>
      {isOpen.value && (
        <Dialog title={`Set ${toShown(need.name)}`} onClose={close}>
          <p>
            {toShown(need.tool)} will send it to <strong>{toShown(need.origins.join(', '))}</strong>{' '}
            and nowhere else.
          </p>
          <Form work={work} onSubmit={set} submit="Set" isBlocked={value.value === ''}>
            <Field
              label="Value"
              type="password"
              {...bind(value)}
              hint="It is kept encrypted and never shown again."
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

function StoredSecrets({
  onDone,
  secrets,
}: {
  onDone: () => Promise<void>
  secrets: readonly Stored[]
}) {
  if (secrets.length === 0) {
    return (
      <Empty title="You have set no secret.">
        <p>A tool that needs one is listed above, with the host to which the secret is sent.</p>
      </Empty>
    )
  }
  return (
    <Table
      caption="Your secrets; nobody can read their values"
      rows={secrets}
      toKey={({ name, skillId }) => `${skillId} ${name}`}
      columns={[
        { head: 'Secret', cell: ({ name }) => <Code of={name} /> },
        {
          head: 'For',
          cell: ({ skillId }) => (skillId ? <Code of={skillId} /> : 'all your tools'),
        },
        {
          head: 'May be sent to',
          cell: ({ origins }) => <Text of={origins.join(', ') || 'wherever tools send it'} />,
        },
        { head: 'Set', cell: ({ updatedAtMs }) => <Time ms={updatedAtMs} /> },
        {
          head: 'Change',
          cell: ({ name, skillId }) => (
            <Action
              label="Delete"
              confirm={name}
              says="Tools stop using it within 30 seconds. Its value cannot be brought back."
              onDo={async () => {
                await ask(`me/secrets/${segment(name)}`, {
                  method: 'DELETE',
                  query: { skill: skillId },
                })
                await onDone()
              }}
            />
          ),
        },
      ]}
    />
  )
}
