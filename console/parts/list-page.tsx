/**
 * A page with a list of one route: filters that stand in the address, rows, a cursor. Most pages are
 * one call of it, so a new list is a table of filters and columns.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { setQuery } from '../shell/route.ts'
import { Choice, Field } from './form.tsx'
import { Empty, Loaded } from './states.tsx'
import { More, Table, type TableColumn } from './table.tsx'

export type Filter = {
  /** The name in the address, and in the request unless `sendAs` is given. */
  readonly name: string
  readonly label: string
  readonly sendAs?: string
  /** Makes what is sent of the value in the address; without it, the value is sent. */
  readonly toSent?: (value: string) => string
  readonly type?: 'search' | 'date' | 'number'
  /** The only values; the first one is the value of an address without the filter. */
  readonly choices?: readonly (readonly [value: string, label: string])[]
}

export type Reload = () => Promise<void>

export type ListOptions<T> = {
  readonly caption: string
  /** The route, such as `admin/users`, and the member of its answer that has the rows. */
  readonly path: string
  readonly rows: string
  readonly query: { readonly [name: string]: string }
  readonly filters?: readonly Filter[]
  /** Parameters of each request beside the filters. */
  readonly also?: { readonly [name: string]: string }
  readonly columns: readonly TableColumn<T>[]
  readonly toKey: (row: T) => string
  /** What may be done above the list, and to a row. `reload` reads the list anew. */
  readonly before?: ((reload: Reload) => ComponentChildren) | false
  readonly actions?: ((row: T, reload: Reload) => ComponentChildren) | false
  readonly empty: { readonly title: string; readonly says: ComponentChildren }
}

type Page = { readonly nextCursor?: string; readonly [rows: string]: unknown }

export function ListPage<T>({ filters = [], query, ...list }: ListOptions<T>) {
  const sent = {
    ...list.also,
    ...Object.fromEntries(
      filters.map(({ choices, name, sendAs = name, toSent = String }) => [
        sendAs,
        toSent(query[name] ?? choices?.[0]?.[0] ?? ''),
      ]),
    ),
  }
  const found = useSignal<readonly T[]>([])
  const cursor = useSignal<string | undefined>(undefined)
  const load = async (from?: string, signal?: AbortSignal) => {
    const page = await ask<Page>(list.path, {
      query: { ...sent, cursor: from },
      ...(signal === undefined ? {} : { signal }),
    })
    const rows = readRows<T>(page, list.rows)
    found.value = from === undefined ? rows : [...found.peek(), ...rows]
    cursor.value = page.nextCursor
  }
  const settled = useSettled(JSON.stringify(sent))
  const loading = useLoad((signal) => load(undefined, signal), [list.path, settled])
  const { actions, before } = list
  const { reload } = loading
  const columns = actions
    ? [...list.columns, { head: 'Actions', cell: (row: T) => actions(row, reload) }]
    : list.columns
  return (
    <>
      {before ? <div class="actions">{before(reload)}</div> : null}
      {filters.length > 0 && (
        <div class="filters">
          {filters.map((filter) => (
            <FilterField key={filter.name} filter={filter} value={query[filter.name]} />
          ))}
        </div>
      )}
      <Loaded of={loading}>
        {() => (
          <>
            {found.value.length === 0 ? (
              <Empty title={list.empty.title}>{list.empty.says}</Empty>
            ) : (
              <Table
                caption={list.caption}
                rows={found.value}
                columns={columns}
                toKey={list.toKey}
              />
            )}
            <More cursor={cursor.value} onMore={() => load(cursor.peek())} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** Time without a further letter before a filter is sent; each request counts in a minute. */
const TYPING_MS = 250

/** Returns the last value that did not change for a moment. */
function useSettled(value: string): string {
  const settled = useSignal(value)
  useEffect(() => {
    if (settled.peek() === value) return
    const timer = setTimeout(() => {
      settled.value = value
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled.value
}

/** The route says which rows its member has. */
function readRows<T>(page: Page, name: string): readonly T[] {
  const rows = page[name]
  return Array.isArray(rows) ? rows : []
}

function FilterField({ filter, value = '' }: { filter: Filter; value: string | undefined }) {
  const { choices, label, name, type = 'search' } = filter
  const set = (text: string) => setQuery({ [name]: text })
  if (choices !== undefined) {
    return (
      <Choice
        label={label}
        value={value || (choices[0]?.[0] ?? '')}
        options={choices}
        onChange={set}
      />
    )
  }
  return <Field label={label} type={type} value={value} onInput={set} />
}
