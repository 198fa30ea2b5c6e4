/** Makes skills of Lambda functions with a tag, and applies those that a person takes. */
import { type Signal, useSignal } from '@preact/signals'
import { ask } from '../api/client.ts'
import { bind } from '../parts/bind.ts'
import { Field, Price } from '../parts/form.tsx'
import { Check, Notes, PlanForm } from '../parts/plan.tsx'
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
  /** After an import. */
  readonly applied?: Applied
}
type Applied = {
  readonly added: readonly unknown[]
  readonly changed: readonly unknown[]
  readonly unchanged: number
}

export function FromFunctions() {
  const [tag, credits, qualifier] = [useSignal(''), useSignal('1'), useSignal('')]
  const left = useSignal<ReadonlySet<string>>(new Set())
  const [key = '', value] = tag.value.split('=', 2)
  const asked = {
    tag: value === undefined ? { key } : { key, value },
    credits: Number(credits.value),
    ...(qualifier.value !== '' && { qualifier: qualifier.value }),
  }
  const take = ({ skills }: Plan) => skills.filter(({ id }) => !left.value.has(id))
  return (
    <PlanForm<Plan>
      sent={JSON.stringify(asked)}
      submit={['Find functions', 'Import']}
      onPlan={() => ask('admin/imports/lambda:plan', { method: 'POST', body: asked })}
      onApply={async (plan) => {
        const query = { set: 'lambda' }
        const body = take(plan)
        return {
          ...plan,
          applied: await ask('admin/skills:apply', { method: 'POST', query, body }),
        }
      }}
      isBlocked={(plan) => plan.applied !== undefined || take(plan).length === 0}
      fields={
        <>
          <p>
            Functions carry a tag, and the tags <code>skillgate:description</code> and{' '}
            <code>skillgate:event</code> say what their tool does and takes.
          </p>
          <Field label="Tag" hint="team, or team=shop" required {...bind(tag)} />
          <Price {...bind(credits)} />
          <Field label="Version or alias" hint="Empty: the newest." {...bind(qualifier)} />
        </>
      }
    >
      {(plan) => <Functions left={left} plan={plan} />}
    </PlanForm>
  )
}

function Functions({
  left,
  plan: { applied, functions, skills, ...plan },
}: {
  left: Signal<ReadonlySet<string>>
  plan: Plan
}) {
  const toRow = ({ function: name, text }: Note) => [name, text] as const
  return (
    <>
      <p class="lead">{`${functions} functions carry the tag; ${skills.length} become skills.`}</p>
      <Notes title="Left out" rows={plan.left.map(toRow)} />
      <Notes title="Notes" rows={plan.notes.map(toRow)} />
      <Table
        caption="Skills"
        rows={skills}
        toKey={({ id }) => id}
        columns={[
          { head: 'Take', cell: ({ id }) => <Check left={left} name={id} /> },
          { head: 'Skill', cell: ({ id }) => <Code of={id} /> },
          { head: 'Says', cell: ({ meta }) => <Text of={meta?.description} /> },
          { head: 'Function', cell: ({ config }) => <Code of={config?.lambda?.function} /> },
          { head: 'Credits', cell: (one) => formatCredits(one.credits_per_call), right: true },
        ]}
      />
      {applied !== undefined && (
        <p class="lead good">
          {`Imported: ${applied.added.length} new, ${applied.changed.length} changed, ${applied.unchanged} as before. `}
          <Link href="#/skills">See the skills</Link>
        </p>
      )}
    </>
  )
}
