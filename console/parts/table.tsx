/** Rows in columns. On a narrow screen each row becomes a card. */
import type { ComponentChildren } from 'preact'
import { formatCount, formatCredits, toShown } from './text.tsx'

export type TableColumn<T> = {
  readonly head: string
  readonly cell: (row: T) => ComponentChildren
  readonly right?: boolean
}

/** Returns the column of one member of the rows. Numbers stand on the right. */
export function toColumn<T>(
  head: string,
  name: keyof T,
  show: (value: unknown) => ComponentChildren = toShown,
): TableColumn<T> {
  const right = show === formatCredits || show === formatCount
  return { head, cell: (row) => show(row[name]), right }
}

/** Columns of amounts: their heads are the names of the members, with a capital and spaces. */
export function creditColumns<T extends object>(
  names: readonly string[],
): readonly TableColumn<T>[] {
  return names.map((name) => ({
    head:
      name[0]?.toUpperCase() + name.slice(1).replace(/[A-Z]/g, (big) => ` ${big.toLowerCase()}`),
    cell: (row) => formatCredits(Reflect.get(row, name)),
    right: true,
  }))
}

export function Table<T>({
  caption,
  columns,
  rows,
  toKey,
}: {
  caption: string
  columns: readonly TableColumn<T>[]
  rows: readonly T[]
  toKey: (row: T) => string
}) {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, right }) => (
            <th key={head} scope="col" class={right === true ? 'right' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={toKey(row)}>
            {columns.map(({ cell, head, right }) => (
              <td key={head} data-head={head} class={right === true ? 'right' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A number of a list of the class `tiles`. */
export function Tile({ name, value }: { name: string; value: string }) {
  return (
    <li>
      <span>{name}</span>
      <strong>{value}</strong>
    </li>
  )
}

/** Names and values of one record. Rows without a value are left out. */
export function Fields({
  rows,
}: {
  rows: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Shows pages of a list: the first ones, and a button for the next. */
export function More({ cursor, onMore }: { cursor: string | undefined; onMore: () => unknown }) {
  if (cursor === undefined) return null
  return (
    <button type="button" onClick={() => void onMore()}>
      Show more
    </button>
  )
}
