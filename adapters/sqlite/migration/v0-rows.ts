/** Records of the earlier service, as a person may have brought them here. */
import { movedUid, type V0Record } from '../../../core/access/v0-key.ts'
import type { V0Value } from '../../../core/ledger/v0.ts'
import type { Database } from '../database/database.ts'
import { flagAt, optionalTextAt, type Row, textAt, wordAt } from '../database/row.ts'

export type V0Kind = 'credits' | 'tier' | 'key'
export const V0_KINDS: readonly V0Kind[] = ['credits', 'tier', 'key']

/** `name` is a uid, or a hash as it was spelt there. */
export type V0Row = {
  readonly kind: V0Kind
  readonly name: string
  readonly value: V0Value
  readonly moved: boolean
}

/** Inside a read or write of the caller. */
export type V0Rows = {
  find(kind: V0Kind, name: string): V0Row | undefined
  put(row: V0Row): void
  remove(kind: V0Kind, name: string): boolean
  beyond(kind: string, name: string, limit: number): readonly V0Row[]
}

const VALUE_KINDS = ['number', 'text', 'other'] as const

export function v0Rows(database: Database): V0Rows {
  const find = database.prepare('SELECT * FROM v0_records WHERE kind = ? AND name = ?')
  const put = database.prepare(
    'INSERT OR REPLACE INTO v0_records (kind, name, valueKind, value, moved) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM v0_records WHERE kind = ? AND name = ?')
  const beyond = database.prepare(
    'SELECT * FROM v0_records WHERE (kind, name) > (?, ?) ORDER BY kind, name LIMIT ?',
  )
  return {
    find: (kind, name) => {
      const row = find.get(kind, name)
      return row === undefined ? undefined : rowFrom(row)
    },
    put: ({ kind, moved, name, value }) =>
      void put.run(kind, name, value.kind, textOf(value), moved ? 1 : 0),
    remove: (kind, name) => remove.run(kind, name).changes === 1,
    beyond: (kind, name, limit) => beyond.all(kind, name, limit).map(rowFrom),
  }
}

export function recordFrom({ kind, moved, name, value }: V0Row): V0Record {
  return kind === 'key' ? { kind, spelling: name, value, moved } : { kind, uid: movedUid(name) }
}

function rowFrom(row: Row): V0Row {
  const valueKind = wordAt(row, 'valueKind', VALUE_KINDS)
  const value: V0Value =
    valueKind === 'other'
      ? { kind: 'other' }
      : { kind: valueKind, text: optionalTextAt(row, 'value') ?? '' }
  return {
    kind: wordAt(row, 'kind', V0_KINDS),
    name: textAt(row, 'name'),
    value,
    moved: flagAt(row, 'moved'),
  }
}

function textOf(value: V0Value): string | null {
  return value.kind === 'other' ? null : value.text
}
