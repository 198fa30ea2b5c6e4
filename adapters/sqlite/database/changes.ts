/**
 * The port Changes. Bells ring for each commit of another process, whatever it changed. So one row is read
 * first, once for all listeners: it tells whether a tool list changed.
 *
 *   this process:    list row and count written ─▶ COMMIT ─▶ bell ─▶ count read, another ─▶ all told
 *   another process: the same ─▶ its commit is noticed within 50 ms ─▶ all bells ─▶ count read ─▶ all told
 */
import type { Changes } from '../../../core/ports.ts'
import { type Bells, openBells } from '../../../core/session/bells.ts'
import type { Database } from './database.ts'
import { intAt } from './row.ts'

export type ListChanges = {
  /** Part of each write that changes a tool list, in its transaction. */
  count(): void
  /** Called after that transaction. */
  ring(): void
}

const TOOL_LISTS = 'tool-lists'

export function listChanges(database: Database, bells: Bells): ListChanges {
  const add = database.prepare(
    `INSERT INTO list_changes (only, count) VALUES (1, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  )
  return { count: () => void add.run(), ring: () => bells.ring(TOOL_LISTS) }
}

export function sqliteChanges(
  database: Database,
  bells: Bells,
  onTrouble: (cause: unknown) => void,
): Changes {
  const read = database.prepare('SELECT count FROM list_changes WHERE only = 1')
  let lastCount: number | undefined
  const tell = (count: number) => {
    if (count !== lastCount) lists.ringAll()
    lastCount = count
  }
  const look = () => {
    database.read(() => countIn(read.get())).then(tell, onTrouble)
  }
  let stopLooking: (() => void) | undefined
  const lists = openBells({
    onListen: () => {
      stopLooking ??= bells.hear(TOOL_LISTS, look)
    },
    onSilence: () => {
      stopLooking?.()
      stopLooking = undefined
    },
  })
  return {
    listen: (topic, heard) => (topic === TOOL_LISTS ? lists : bells).hear(topic, heard),
  }
}

function countIn(row: { readonly [column: string]: unknown } | undefined): number {
  return row === undefined ? 0 : intAt(row, 'count')
}
