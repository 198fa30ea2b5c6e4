/** Old and new values side by side. What differs inside a text is marked. */
import type { Difference } from '../../core/json/json-diff.ts'
import { Table } from './table.tsx'
import { Code, toShown } from './text.tsx'

export function Differences({ caption, of }: { caption: string; of: readonly Difference[] }) {
  if (of.length === 0) return <p role="status">Nothing differs.</p>
  return (
    <Table
      caption={caption}
      rows={of}
      toKey={({ pointer }) => pointer}
      columns={[
        { head: 'Field', cell: ({ pointer }) => <Code of={pointer.slice(1) || 'all'} /> },
        { head: 'Old', cell: ({ after, before }) => <Marked text={before} other={after} /> },
        { head: 'New', cell: ({ after, before }) => <Marked text={after} other={before} isNew /> },
      ]}
    />
  )
}

/** Marks what is between the beginning and the end that both texts share. */
function Marked({
  text: value,
  other: beside,
  isNew = false,
}: {
  text: unknown
  other: unknown
  isNew?: boolean
}) {
  const [text, other] = [toShown(value), toShown(beside)]
  const room = Math.min(text.length, other.length)
  let start = 0
  while (start < room && text[start] === other[start]) start += 1
  let end = 0
  while (end < room - start && text.at(-1 - end) === other.at(-1 - end)) end += 1
  const Mark = isNew ? 'ins' : 'del'
  return (
    <span class="value">
      {text.slice(0, start)}
      <Mark>{text.slice(start, text.length - end)}</Mark>
      {text.slice(text.length - end)}
    </span>
  )
}
