/** What a call of a skill would send, and what it gets. Secrets are masked by the gateway. */
import { useSignal } from '@preact/signals'
import { ask } from '../api/client.ts'
import type { FieldError } from '../api/field-error.ts'
import { bind } from '../parts/bind.ts'
import { Field, Form, useWork } from '../parts/form.tsx'
import { JsonEditor, parseText, withFaults } from '../parts/json-editor.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Block, formatCount, formatCredits, State, Text } from '../parts/text.tsx'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'
import { readPlace, type StoredSkill, useSkill } from './skills.tsx'

type Request = {
  readonly method: string
  readonly url: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body?: string
}
type DryRun = {
  readonly price: number
  readonly problems: readonly { detail: string; errors?: readonly FieldError[] }[]
  readonly request?: Request
  readonly secrets: readonly { name: string; state: string; from?: string; detail?: string }[]
  readonly target: { readonly origin: string; readonly allowed: boolean; readonly rule: string }
  readonly mapping: { readonly timeoutMs: number }
  readonly sent?: {
    readonly durationMs: number
    readonly answer?: { readonly status: number; readonly bytes: number; readonly start: string }
    readonly result?: { readonly content: unknown }
    readonly failure?: { readonly detail: string }
  }
}

function Try({ page, stored }: { page: PageProps; stored: StoredSkill }) {
  const { path, uid } = readPlace(page)
  const names = Object.keys(stored.skill.meta?.parameters?.properties ?? {})
  const empty = Object.fromEntries(names.map((name) => [name, '']))
  const text = useSignal(JSON.stringify(empty, null, 2))
  const faults = useSignal<readonly FieldError[]>([])
  const user = useSignal(uid ?? '')
  const shown = useSignal<DryRun | undefined>(undefined)
  const [dry, real] = [useWork(), useWork()]
  const run = (send: boolean) =>
    withFaults(faults, async () => {
      const asked = { arguments: parseText(text.peek()) }
      const body = user.peek() === '' ? asked : { ...asked, uid: user.peek() }
      const query = { uid, send: send || undefined }
      shown.value = await ask<DryRun>(`${path}/dry-run`, { method: 'POST', query, body })
      faults.value = shown.value.problems.flatMap(({ errors = [] }) => errors)
    })
  return (
    <>
      <Form work={dry} onSubmit={() => run(false)} submit="Show the request">
        <JsonEditor label="Arguments" rows={6} text={text} faults={faults} />
        <Field
          label="As the user"
          hint="The id of a user, whose secrets and limits count. Empty: shared secrets alone."
          {...bind(user)}
        />
      </Form>
      {may('operator') || may('publisher') ? (
        <Form work={real} onSubmit={() => run(true)} submit="Really call, free of charge" />
      ) : null}
      {shown.value !== undefined && <Outcome of={shown.value} />}
    </>
  )
}

function Outcome({
  of: { mapping, price, problems, request, secrets, sent, target },
}: {
  of: DryRun
}) {
  return (
    <section aria-label="Outcome" role="status">
      {problems.map(({ detail }) => (
        <p key={detail} class="bad">
          <Text of={detail} />
        </p>
      ))}
      {problems.length === 0 && <p class="good">A call would run.</p>}
      {sent !== undefined && (
        <>
          <h2>Answer</h2>
          <Fields
            rows={[
              ['Took', `${formatCount(Math.round(sent.durationMs))} ms`],
              ['Status', sent.answer?.status],
              ['Bytes', sent.answer && formatCount(sent.answer.bytes)],
              ['Failed', sent.failure && <Text key="why" of={sent.failure.detail} />],
            ]}
          />
          <Block label="Answer" text={sent.answer?.start ?? JSON.stringify(sent.result ?? {})} />
        </>
      )}
      <h2>Request</h2>
      {request !== undefined && <Block label="Request" text={writeRequest(request)} />}
      <Fields
        rows={[
          ['Credits', formatCredits(price)],
          ['Time limit', `${formatCount(mapping.timeoutMs)} ms`],
          ['Target', <Text key="to" of={target.origin} />],
          [
            target.allowed ? 'Allowed, because' : 'Refused, because',
            <Text key="why" of={target.rule} />,
          ],
          ...secrets.map(
            ({ detail, from, name, state }) =>
              [
                `Secret ${name}`,
                <>
                  <State of={state} /> <Text of={detail ?? from} />
                </>,
              ] as const,
          ),
        ]}
      />
    </section>
  )
}

function writeRequest({ body = '', headers, method, url }: Request): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return [`${method} ${url}`, ...lines, '', body].join('\n').trimEnd()
}

function TrySkill(page: PageProps) {
  const skill = useSkill(page)
  return <Loaded of={skill}>{(stored) => <Try page={page} stored={stored} />}</Loaded>
}

export const VIEWS: Views = {
  'skills/{source}/{skillId}/try': {
    command: (page) => readPlace(page).command('test'),
    render: (page) => <TrySkill {...page} />,
  },
}
