/** Plans: a form that makes one and applies it, rows that a person checks, and notes. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Form, useWork } from './form.tsx'
import { Code, Text } from './text.tsx'

/**
 * A form whose first submission makes a plan and whose second applies it. `sent` is what the plan is
 * made of: once it differs, the plan is made again before it is applied.
 */
export function PlanForm<P>({
  children,
  fields,
  isBlocked,
  isDanger,
  onApply,
  onPlan,
  sent,
  submit: [make, apply],
}: {
  sent: string
  /** The labels of the button: before there is a plan, and with one. */
  submit: readonly [make: string, apply: string]
  onPlan: () => Promise<P>
  /** Returns what is shown in place of the plan, if anything. */
  onApply: (plan: P) => Promise<P | undefined>
  isBlocked?: (plan: P) => boolean
  isDanger?: (plan: P) => boolean
  fields: ComponentChildren
  children: (plan: P) => ComponentChildren
}) {
  const planned = useSignal<{ readonly of: string; readonly plan: P } | undefined>(undefined)
  const work = useWork()
  const shown = planned.value
  const current = shown?.of === sent ? shown.plan : undefined
  const run = async () => {
    const plan = await (current === undefined ? onPlan() : onApply(current))
    if (plan !== undefined) planned.value = { of: sent, plan }
  }
  return (
    <Form
      work={work}
      onSubmit={run}
      submit={current === undefined ? make : apply}
      danger={current !== undefined && isDanger?.(current) === true}
      isBlocked={current !== undefined && isBlocked?.(current) === true}
    >
      {fields}
      {shown !== undefined && (
        <section aria-label="Plan" role="status">
          {current === undefined && (
            <p class="warning">Something was changed since. Look at the plan again.</p>
          )}
          {children(shown.plan)}
        </section>
      )}
    </Form>
  )
}

/** A box that is checked unless `left` has the name. */
export function Check({ left, name }: { left: Signal<ReadonlySet<string>>; name: string }) {
  return (
    <input
      type="checkbox"
      aria-label={`Take ${name}`}
      checked={!left.value.has(name)}
      onChange={({ currentTarget }) => {
        const next = new Set(left.peek())
        if (currentTarget.checked) next.delete(name)
        else next.add(name)
        left.value = next
      }}
    />
  )
}

/** A list under a heading with its count; nothing for an empty list. */
export function Notes({
  rows,
  title,
}: {
  title: string
  rows: readonly (readonly [name: string, says: string])[]
}) {
  if (rows.length === 0) return null
  return (
    <details open>
      <summary>{`${title}: ${rows.length}`}</summary>
      <ul>
        {rows.map(([name, says]) => (
          <li key={name}>
            <Code of={name} /> <Text of={says} />
          </li>
        ))}
      </ul>
    </details>
  )
}
