/** Parts of plans: rows that a person checks, and texts of what is left out. */
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Code, Text } from './text.tsx'

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
  open = false,
  rows,
  title,
}: {
  title: string
  rows: readonly (readonly [name: string, says: ComponentChildren])[]
  open?: boolean
}) {
  if (rows.length === 0) return null
  return (
    <details open={open}>
      <summary>{`${title}: ${rows.length}`}</summary>
      <ul>
        {rows.map(([name, says]) => (
          <li key={name}>
            <Code of={name} /> {typeof says === 'string' ? <Text of={says} /> : says}
          </li>
        ))}
      </ul>
    </details>
  )
}
