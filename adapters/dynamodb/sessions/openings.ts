/**
 * openings: how many streams were open at the last list of all leases, and how many openings were
 * counted since. The sum is an upper bound of the open streams, so few openings must list all leases
 * (ADR 0088).
 */
import { Fault } from '../../../core/errors.ts'
import type { StreamLeases } from '../../../core/ports/sessions.ts'
import { LIST_AGE_MAX_MS } from '../../../core/session/lease-policy.ts'
import type { OpeningCount } from '../../../core/session/session.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { OPENINGS_PK, openingsKey } from '../table.ts'

type Openings = Pick<StreamLeases, 'countOpening' | 'noteListed'>

export const OPENINGS_PERMISSIONS: Permissions<Openings> = {
  countOpening: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [OPENINGS_PK] }],
  noteListed: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [OPENINGS_PK] }],
}

export function dynamoOpenings(store: DynamoStore): Openings {
  const table = store.tables.sessions
  return {
    // A late copy, a refused opener and an ended stream make the bound too large until the next list.
    async countOpening(nowMs) {
      const answer = await store.update(table, {
        key: openingsKey(),
        set: 'ADD #openings :one',
        values: { one: 1 },
      })
      if (answer.kind !== 'written') throw new Fault('internal', 'openings: were not counted')
      return readCount(answer.item, nowMs)
    },

    // Subtracts the openings that were counted before the list began: their leases were stored by then.
    // Of two lists that follow the same list, only the first is noted, so a late copy does nothing.
    async noteListed({ list, openings }, listed, nowMs) {
      const values = { list: (list ?? 0) + 1, listed, nowMs, less: -openings }
      await store.change(table, {
        key: openingsKey(),
        set: 'SET #list = :list, #listed = :listed, #listedAtMs = :nowMs ADD #openings :less',
        if: list === undefined ? 'attribute_not_exists(#list)' : '#list = :before',
        values: list === undefined ? values : { ...values, before: list },
      })
    },
  }
}

function readCount(item: Item, nowMs: number): OpeningCount {
  const openings = intAt(item, 'openings')
  if (item['list'] === undefined) return { atMost: Infinity, openings, list: undefined }
  const isNew = nowMs - intAt(item, 'listedAtMs') <= LIST_AGE_MAX_MS
  const atMost = isNew ? intAt(item, 'listed') + openings : Infinity
  return { atMost, openings, list: intAt(item, 'list') }
}
