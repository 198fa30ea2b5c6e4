/** Makes skills of Lambda functions with a tag, and applies those that a person takes. */
import { useSignal } from '@preact/signals'
import { ask } from '../api/client.ts'
import { bind } from '../parts/bind.ts'
import { Field, Form, useWork } from '../parts/form.tsx'
import { Check, Notes } from '../parts/plan.tsx'
import { Table } from '../parts/table.tsx'
import { Code, formatCredits, Link, Text } from '../parts/text.tsx'
import type { StoredSkill } from './skills.tsx'

type Made = StoredSkill['skill'] & { readonly id: string }
type Note = { readonly function: string; readonly text: string }
type Plan = {
  readonly functions: number
  readonly skills: readonly Made[]
  readonly left: readonly Note[]
  readonly notes: readonly Note[]
}
type Applied = {
  readonly added: readonly unknown[]
  readonly changed: readonly unknown[]
  readonly unchanged: number
}

export function FromFunctions() {
  const [tag, credits, qualifier] = [useSignal(''), useSignal('1'), useSignal('')]
  const left = useSignal<ReadonlySet<string>>(new Set())
  const planned = useSignal<{ readonly of: string; readonly plan: Plan } | undefined>(undefined)
  const applied = useSignal<Applied | undefined>(undefined)
  const work = useWork()
  const [key = '', value] = tag.value.split('=', 2)
  const asked = {
    tag: value === undefined ? { key } : { key, value },
    credits: Number(credits.value),
    ...(qualifier.value !== '' && { qualifier: qualifier.value }),
  }
  const of = JSON.stringify(asked)
  const plan = planned.value?.plan
  const isPlan = planned.value?.of === of
  const taken = plan?.skills.filter(({ id }) => !left.value.has(id)) ?? []
  const run = async () => {
    if (isPlan) {
      applied.value = await ask<Applied>('admin/skills:apply', {
        method: 'POST',
        query: { set: 'lambda' },
        body: taken,
      })
      return
    }
    applied.value = undefined
    const made = await ask<Plan>('admin/imports/lambda:plan', { method: 'POST', body: asked })
    planned.value = { of, plan: made }
  }
  return (
    <Form
      work={work}
      onSubmit={run}
      submit={isPlan ? 'Import' : 'Find functions'}
      isBlocked={isPlan && (taken.length === 0 || applied.value !== undefined)}
    >
      <p>
        Functions carry a tag, and the tags <code>skillgate:description</code> and{' '}
        <code>skillgate:event</code> say what their tool does and takes.
      </p>
      <Field label="Tag" hint="team, or team=shop" required {...bind(tag)} />
      <Field label="Credits per call" type="number" step="any" min="0" {...bind(credits)} />
      <Field label="Version or alias" hint="Empty: the newest." {...bind(qualifier)} />
      {plan !== undefined && (
        <section aria-label="Plan" role="status">
          <p class="lead">
            {`${plan.functions} functions carry the tag; ${plan.skills.length} become skills.`}
          </p>
          <Notes
            open
            title="Left out"
            rows={plan.left.map(({ function: name, text }) => [name, text])}
          />
          <Notes title="Notes" rows={plan.notes.map(({ function: name, text }) => [name, text])} />
          <Table
            caption="Skills"
            rows={plan.skills}
            toKey={({ id }) => id}
            columns={[
              { head: 'Take', cell: ({ id }) => <Check left={left} name={id} /> },
              { head: 'Skill', cell: ({ id }) => <Code of={id} /> },
              { head: 'Says', cell: ({ meta }) => <Text of={meta?.description} /> },
              { head: 'Function', cell: ({ config }) => <Code of={config?.lambda?.function} /> },
              { head: 'Credits', cell: (one) => formatCredits(one.credits_per_call), right: true },
            ]}
          />
          {applied.value !== undefined && (
            <p class="lead good">
              {`Imported: ${applied.value.added.length} new, ${applied.value.changed.length} changed, ${applied.value.unchanged} as before. `}
              <Link href="#/skills">See the skills</Link>
            </p>
          )}
        </section>
      )}
    </Form>
  )
}
