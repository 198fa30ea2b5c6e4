/** How a user gets in: keys, logins of clients, and the lines that connect one. */

import { type Signal, useSignal } from '@preact/signals'
import { ask, segment } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Action } from '../../parts/action.tsx'
import { bind } from '../../parts/bind.ts'
import { toCommand } from '../../parts/command.ts'
import { ConnectLines } from '../../parts/connect.tsx'
import { Field, Form, useWork } from '../../parts/form.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Code, CopyButton, formatCredits, State, Time, toShown } from '../../parts/text.tsx'
import { Logins } from '../logins.tsx'
import type { PageProps, Views } from '../page.ts'
import { Managed } from './managed.tsx'
import { askMe, type Budget, type Me } from './me.ts'

type Key = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
  readonly expiresAtMs?: number
  readonly tools?: readonly string[]
  readonly maxCreditsPerCall?: number
  readonly monthlyBudget?: Budget
  readonly callsPerDay?: { readonly limit: number; readonly made: number }
}

function Keys({ query }: PageProps) {
  const changes = useSignal(0)
  const onChange = () => {
    changes.value += 1
  }
  return (
    <Managed>
      {(value) => (
        <>
          <NewKey onMade={onChange} />
          <KeyList key={changes.value} me={value} query={query} onChange={onChange} />
        </>
      )}
    </Managed>
  )
}

function KeyList({
  me,
  onChange,
  query,
}: {
  me: Me
  onChange: () => void
  query: PageProps['query']
}) {
  return (
    <ListPage<Key>
      caption="Your keys, newest first"
      path="me/keys"
      rows="keys"
      query={query}
      toKey={({ keyId }) => keyId}
      columns={[
        {
          head: 'Key',
          cell: ({ keyId, keyPrefix }) => (
            <>
              <Code of={`${keyPrefix}…`} /> {keyId === me.keyId && <State of="in use here" />}
            </>
          ),
        },
        { head: 'May do', cell: describeScope },
        { head: 'Made', cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
        { head: 'Last used', cell: ({ lastUsedAtMs }) => <Time ms={lastUsedAtMs} /> },
        { head: 'Ends unless used', cell: ({ expiresAtMs }) => <Time ms={expiresAtMs} /> },
        {
          head: 'Change',
          cell: ({ keyId, keyPrefix }) => (
            <Action
              label="Revoke"
              confirm={keyPrefix}
              says={`Clients with this key stop working within 30 seconds, for good.${
                keyId === me.keyId ? ' You are signed in with it, so this page signs you out.' : ''
              }`}
              onDo={async () => {
                await ask(`me/keys/${segment(keyId)}`, { method: 'DELETE' })
                onChange()
              }}
            />
          ),
        },
      ]}
      empty={{
        title: 'You have no key.',
        says: <p>A key lets a client call tools as you. Make one for each client.</p>,
      }}
    />
  )
}

function describeScope({ callsPerDay, maxCreditsPerCall, monthlyBudget, tools }: Key): string {
  const limits = [
    tools && `tools ${tools.map(toShown).join(', ') || 'none'}`,
    maxCreditsPerCall === undefined
      ? undefined
      : `${formatCredits(maxCreditsPerCall)} credits a call at most`,
    monthlyBudget &&
      `${formatCredits(monthlyBudget.spent)} of ${formatCredits(monthlyBudget.limit)} credits spent this month`,
    callsPerDay && `${callsPerDay.made} of ${callsPerDay.limit} calls made today`,
  ].filter((one) => one !== undefined)
  return limits.length === 0 ? 'all that you may' : limits.join('; ')
}

function NewKey({ onMade }: { onMade: () => void }) {
  const tools = useSignal('')
  const perCall = useSignal('')
  const budget = useSignal('')
  const made = useSignal<string | undefined>(undefined)
  const work = useWork()
  const make = async () => {
    const globs = tools
      .peek()
      .split(/[\s,]+/)
      .filter((glob) => glob !== '')
    const { key } = await ask<{ key: string }>('me/keys', {
      method: 'POST',
      body: {
        ...(globs.length === 0 ? {} : { tools: globs }),
        ...readLimit('maxCreditsPerCall', perCall),
        ...readLimit('monthlyBudget', budget),
      },
    })
    made.value = key
    onMade()
  }
  if (made.value !== undefined) {
    return (
      <section class="made" role="status">
        <p>This is your new key. It is shown only now: copy it to where your client reads it.</p>
        <p>
          <Code of={made.value} /> <CopyButton text={made.value} label="Copy the key" />
        </p>
        <button
          type="button"
          onClick={() => {
            made.value = undefined
          }}
        >
          I have kept it
        </button>
      </section>
    )
  }
  return (
    <details>
      <summary>Make a key</summary>
      <Form work={work} onSubmit={make} submit="Make the key">
        <Field
          label="Tools"
          {...bind(tools)}
          hint="Names with * for any letters, such as sg_weather*, with commas between them. Empty: all that you may call."
        />
        <Field
          label="Credits a call, at most"
          type="number"
          step="any"
          min="0"
          {...bind(perCall)}
        />
        <Field
          label="Credits a month, at most"
          type="number"
          step="any"
          min="0"
          {...bind(budget)}
        />
        <p>A key ends 30 days after its last use.</p>
      </Form>
    </details>
  )
}

function readLimit(name: string, typed: Signal<string>): { [name: string]: number } {
  const text = typed.peek()
  return text === '' ? {} : { [name]: Number(text) }
}

function Connect() {
  const me = useLoad(askMe)
  return (
    <Loaded of={me}>
      {({ urls: { mcp } }) =>
        mcp === undefined ? (
          <Empty title="The gateway does not know its address for MCP.">
            <p>Ask your administrator for the address that ends with /mcp.</p>
          </Empty>
        ) : (
          <>
            <p>
              The address for MCP is <Code of={mcp} /> <CopyButton text={mcp} />
            </p>
            <ConnectLines mcpUrl={mcp} />
          </>
        )
      }
    </Loaded>
  )
}

export const VIEWS: Views = {
  'me/keys': { render: (page) => <Keys {...page} /> },
  'me/logins': { render: () => <Managed>{() => <Logins base="me" mayChange />}</Managed> },
  'me/connect': { render: () => <Connect />, command: () => toCommand(['connect', '--list']) },
}
