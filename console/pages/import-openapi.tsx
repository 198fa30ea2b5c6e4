/**
 * Imports an OpenAPI document: a plan to look at and change, then its import. The document goes to
 * this gateway alone, which fetches nothing.
 */
import { type Signal, useSignal } from '@preact/signals'
import { IMPORT_BODY_BYTES_MAX } from '../../core/openapi/limits.ts'
import { ApiError, ask } from '../api/client.ts'
import { bind } from '../parts/bind.ts'
import { Differences } from '../parts/differences.tsx'
import { Field, Price, TextArea } from '../parts/form.tsx'
import { Check, Notes, PlanForm } from '../parts/plan.tsx'
import { Table } from '../parts/table.tsx'
import { Code, formatCount, Link, Text, toShown } from '../parts/text.tsx'

type Named = { readonly skillId: string; readonly operation: string }
type Plan = {
  readonly drift: boolean
  readonly operations: number
  readonly imported: number
  readonly unchanged: number
  readonly listTokens: number
  readonly listed: readonly (Named & {
    readonly tokens: number
    readonly credits: number
    readonly says: string
  })[]
  readonly added: readonly (Named & { readonly host: string; readonly notes: readonly string[] })[]
  readonly changed: readonly (Named & {
    readonly fields: readonly { field: string; from?: string; to?: string }[]
  })[]
  readonly removed: readonly (Named & { readonly to: string; readonly cause: string })[]
  readonly breaking: readonly (Named & { readonly reasons: readonly string[] })[]
  readonly notImported: readonly { readonly operation: string; readonly reason: string }[]
  readonly secrets: readonly { readonly name: string; readonly what: string }[]
  readonly tools?: number
}
type Edit = { readonly name?: string; readonly description?: string; readonly credits?: string }

const LIMIT = `${IMPORT_BODY_BYTES_MAX / 1_000_000} MB`

export function FromOpenApi() {
  const text = useSignal('')
  const [prefix, credits, baseUrl] = [useSignal(''), useSignal('1'), useSignal('')]
  const left = useSignal<ReadonlySet<string>>(new Set())
  const edits = useSignal<{ readonly [operation: string]: Edit }>({})
  const body = JSON.stringify({
    document: text.value,
    prefix: prefix.value,
    defaults: { credits: Number(credits.value) },
    ...(baseUrl.value !== '' && { baseUrl: baseUrl.value }),
    selection: {
      // A person looks at the plan, so its length is not bounded again.
      all: true,
      ...(left.value.size > 0 && { exclude: [{ operationIds: [...left.value] }] }),
    },
    ...toEdits(edits.value),
  })
  const send = (verb: string, sent = body) => {
    if (new Blob([sent]).size > IMPORT_BODY_BYTES_MAX) throw TOO_LARGE
    return ask<Plan>(`admin/imports/openapi:${verb}`, { method: 'POST', body: sent })
  }
  const edit = (operation: string, change: Edit) => {
    edits.value = { ...edits.value, [operation]: { ...edits.value[operation], ...change } }
  }
  return (
    <PlanForm<Plan>
      sent={body}
      submit={['Make the plan', 'Import']}
      onPlan={async () => send('plan')}
      onApply={({ breaking }) =>
        // Who presses the red button has read what breaks.
        send('apply', breaking.length > 0 ? `${body.slice(0, -1)},"allowBreaking":true}` : body)
      }
      isDanger={({ breaking }) => breaking.length > 0}
      isBlocked={({ tools }) => tools !== undefined}
      fields={
        <>
          <Drop onText={bind(text).onInput} />
          <TextArea label="Document, JSON or YAML" rows={8} {...bind(text)} />
          <div class="columns">
            <Field label="Prefix" hint="Tools are called sg_PREFIX_…" required {...bind(prefix)} />
            <Price {...bind(credits)} />
            <Field
              label="Server"
              type="url"
              hint="In place of the document's."
              {...bind(baseUrl)}
            />
          </div>
        </>
      }
    >
      {(plan) => (
        <>
          <Summary of={plan} />
          <Operations {...{ edit, edits: edits.value, left, plan }} />
        </>
      )}
    </PlanForm>
  )
}

const TOO_LARGE = new ApiError(0, {
  detail: `Document: is longer than ${LIMIT}. Leave parts out, or import it in parts.`,
})

/** Names are kept by later imports. Descriptions and prices go into an overlay. */
function toEdits(edits: { readonly [operation: string]: Edit }): object {
  const names: { [operation: string]: string } = {}
  const actions: object[] = []
  for (const [operation, { credits = '', description = '', name = '' }] of Object.entries(edits)) {
    if (name !== '') names[operation] = name
    const update = {
      ...(description !== '' && { description }),
      ...(credits !== '' && { credits: Number(credits) }),
    }
    if (Object.keys(update).length === 0) continue
    const [method = '', path = ''] = operation.split(' ', 2)
    const target = `$.paths['${path}'].${method.toLowerCase()}`
    actions.push({ target, update: { 'x-skillgate': update } })
  }
  return {
    ...(Object.keys(names).length > 0 && { names }),
    ...(actions.length > 0 && {
      overlay: { overlay: '1.0.0', info: { title: 'Edits', version: '1' }, actions },
    }),
  }
}

function Drop({ onText }: { onText: (text: string) => void }) {
  const read = (files: FileList | null | undefined) => {
    void files?.[0]?.text().then(onText)
  }
  return (
    <label
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        read(event.dataTransfer?.files)
      }}
    >
      Drop a file of OpenAPI 3 or Swagger 2 here, at most {LIMIT}, or choose one:{' '}
      <input type="file" onChange={(event) => read(event.currentTarget.files)} />
      <small>
        For a URL use <code>skillgate import openapi plan URL</code>: this page talks to the gateway
        alone.
      </small>
    </label>
  )
}

function Summary({ of: plan }: { of: Plan }) {
  const { added, changed, imported, listTokens, notImported, operations, removed, tools } = plan
  return (
    <>
      <p class={tools === undefined ? 'lead' : 'lead good'}>
        {tools === undefined ? '' : 'Imported. '}
        {`${imported} of ${operations} operations are tools, with ${formatCount(listTokens)} tokens in a list: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${plan.unchanged} as before.`}{' '}
        {tools !== undefined && <Link href="#/skills">See the skills</Link>}
      </p>
      <Notes
        title="Break agents"
        rows={plan.breaking.map(({ reasons, skillId }) => [skillId, reasons.join(' ')])}
      />
      <Notes
        title="Not imported"
        rows={notImported.map(({ operation, reason }) => [operation, reason])}
      />
      <Notes title="Secrets to set" rows={plan.secrets.map(({ name, what }) => [name, what])} />
      <Notes
        title="Removed"
        rows={removed.map(({ cause, skillId, to }) => [skillId, `${to}: ${cause}`])}
      />
      {changed.map(({ fields, skillId }) => (
        <Differences
          key={skillId}
          caption={toShown(skillId)}
          of={fields.map(({ field, from, to }) => ({
            pointer: `/${field}`,
            ...(from !== undefined && { before: from }),
            ...(to !== undefined && { after: to }),
          }))}
        />
      ))}
    </>
  )
}

type OperationsProps = {
  plan: Plan
  left: Signal<ReadonlySet<string>>
  edits: { readonly [operation: string]: Edit }
  edit: (operation: string, change: Edit) => void
}

function Operations({ edit, edits, left, plan }: OperationsProps) {
  const added = new Map(plan.added.map((one) => [one.operation, one]))
  const gone = [...left.value].filter((name) => !plan.listed.some((one) => one.operation === name))
  const rows = [
    ...plan.listed,
    ...gone.map((operation) => ({
      operation,
      skillId: '',
      says: 'left out',
      tokens: 0,
      credits: 0,
    })),
  ]
  const input = (operation: string, member: keyof Edit, label: string, placeholder: string) => (
    <input
      class={member}
      aria-label={`${label} of ${toShown(operation)}`}
      placeholder={toShown(placeholder)}
      value={edits[operation]?.[member] ?? ''}
      onInput={(event) => edit(operation, { [member]: event.currentTarget.value })}
    />
  )
  return (
    <>
      <Table
        caption="Operations. What you type replaces the grey text."
        rows={rows}
        toKey={({ operation }) => operation}
        columns={[
          { head: 'Take', cell: ({ operation }) => <Check left={left} name={operation} /> },
          { head: 'Operation', cell: ({ operation }) => <Code of={operation} /> },
          {
            head: 'Tool',
            cell: ({ operation, skillId }) => input(operation, 'name', 'Name', skillId),
          },
          {
            head: 'Says',
            cell: ({ operation, says }) => (
              <>
                {input(operation, 'description', 'Description', says)}
                {added.get(operation)?.notes.map((note) => (
                  <small key={note}>
                    <Text of={note} />
                  </small>
                ))}
              </>
            ),
          },
          {
            head: 'Credits',
            cell: ({ credits, operation }) => input(operation, 'credits', 'Credits', `${credits}`),
          },
          { head: 'Host', cell: ({ operation }) => <Text of={added.get(operation)?.host} /> },
          { head: 'Tokens', cell: ({ tokens }) => formatCount(tokens), right: true },
        ]}
      />
      <small>
        Names are kept by later imports. Descriptions and prices go with this one; to keep others
        for good, edit the skill.
      </small>
    </>
  )
}
