/** Secrets of a user: which tools need one, where it will be sent, and which are set. */

import { useSignal } from '@preact/signals'
import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Action } from '../../parts/action.tsx'
import { bind } from '../../parts/bind.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, Form, useWork } from '../../parts/form.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { More, Table } from '../../parts/table.tsx'
import { Code, State, Text, Time, toShown } from '../../parts/text.tsx'
import type { Views } from '../page.ts'
import { Managed } from './managed.tsx'
import { type OwnTool, TOOLS_PAGE } from './me.ts'

type Stored = {
  readonly name: string
  readonly skillId?: string
  readonly origins: readonly string[]
  readonly updatedAtMs: number
}

/** A secret that a tool needs. */
type Need = OwnTool['secrets'][number] & Pick<OwnTool, 'skillId'> & { readonly tool: string }

type Tools = { readonly tools: readonly OwnTool[]; readonly nextCursor?: string }

function Secrets() {
  const needs = useSignal<readonly Need[]>([])
  const cursor = useSignal<string | undefined>(undefined)
  const look = async (from?: string, signal?: AbortSignal) => {
    const query = { limit: TOOLS_PAGE, cursor: from }
    const page = await ask<Tools>('me/tools', { query, ...(signal && { signal }) })
    const found = page.tools.flatMap(({ name: tool, secrets, skillId }) =>
      secrets.map((one) => ({ ...one, tool, ...(skillId === undefined ? {} : { skillId }) })),
    )
    needs.value = from === undefined ? found : [...needs.peek(), ...found]
    cursor.value = page.nextCursor
  }
  const loading = useLoad(async (signal) => {
    const [{ secrets }] = await Promise.all([
      ask<{ secrets: readonly Stored[] }>('me/secrets', { signal }),
      look(undefined, signal),
    ])
    return secrets
  })
  return (
    <Loaded of={loading}>
      {(secrets) => (
        <>
          <h2>Needed by your tools</h2>
          <Needs needs={needs.value} onDone={loading.reload} />
          <More cursor={cursor.value} onMore={() => look(cursor.peek())} />
          <h2>Secrets that you set</h2>
          <StoredSecrets secrets={secrets} onDone={loading.reload} />
        </>
      )}
    </Loaded>
  )
}

function Needs({ needs, onDone }: { needs: readonly Need[]; onDone: () => Promise<void> }) {
  if (needs.length === 0) return <p>None of these tools needs a secret of yours.</p>
  return (
    <Table
      caption="A secret is a key of another service, which a tool sends there for you"
      rows={needs}
      toKey={({ name, tool }) => `${tool} ${name}`}
      columns={[
        { head: 'Secret', cell: ({ name }) => <Code of={name} /> },
        { head: 'Tool', cell: ({ tool }) => <Code of={tool} /> },
        { head: 'Is sent to', cell: ({ origins }) => <Text of={origins.join(', ')} /> },
        { head: 'State', cell: describeState },
        {
          head: 'Change',
          cell: (need) => need.isLogin !== true && <SetSecret need={need} onDone={onDone} />,
        },
      ]}
    />
  )
}

function describeState({ isLogin, isSet, isShared, mustConfirm }: Need) {
  if (mustConfirm === true) return 'set for another host: set it again'
  if (isShared === true) return 'the operator’s is used'
  if (isSet) return 'set'
  return isLogin === true ? 'log in with your first call' : <State of="missing" />
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
      query: { skill: need.skillId },
      // If the tool sends elsewhere by now, the gateway refuses to keep the value.
      body: { value: value.peek(), confirmedOrigins: need.origins },
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

export const VIEWS: Views = {
  'me/secrets': { render: () => <Managed>{() => <Secrets />}</Managed> },
}
