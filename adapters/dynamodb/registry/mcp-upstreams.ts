/**
 * mcp_upstreams:{id}, MCP servers whose tools are skills, and mcp_offers:{id}/{tool}, tools of
 * theirs that wait for an administrator. mcp_held/{id} has what they hold beside tools. Settings and entries are JSON texts, since only the
 * gateway's flows read them. Bound by docs/upstreams.md and ADR 0123.
 */
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import type { McpUpstreams } from '../../../core/ports/mcp-upstreams.ts'
import type { HeldListing } from '../../../core/skills/upstreams/held.ts'
import {
  type McpUpstream,
  OFFER_STATES,
  type OfferedTool,
  type UpstreamSettings,
  type UpstreamStatus,
} from '../../../core/skills/upstreams/upstream.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, mapAt, optionalIntAt, textAt, textsAt, wordAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  MCP_HELD_PK,
  MCP_OFFERS_PK,
  MCP_UPSTREAMS_PK,
  mcpHeldKey,
  mcpOfferKey,
  mcpUpstreamKey,
} from '../table.ts'

const RECORDS = { table: 'gateway', keyPrefixes: [MCP_UPSTREAMS_PK] } as const
const OFFERS = { table: 'gateway', keyPrefixes: [MCP_OFFERS_PK] } as const
const HELD = { table: 'gateway', keyPrefixes: [MCP_HELD_PK] } as const

export const MCP_UPSTREAMS_PERMISSIONS: Permissions<McpUpstreams> = {
  get: [{ ...RECORDS, actions: ['GetItem'] }],
  list: [{ ...RECORDS, actions: ['Query'] }],
  put: [{ ...RECORDS, actions: ['PutItem'] }],
  remove: [{ ...RECORDS, actions: ['DeleteItem'] }],
  offers: [{ ...OFFERS, actions: ['Query'] }],
  putOffer: [{ ...OFFERS, actions: ['PutItem'] }],
  dropOffer: [{ ...OFFERS, actions: ['DeleteItem'] }],
  held: [{ ...HELD, actions: ['GetItem'] }],
  putHeld: [{ ...HELD, actions: ['PutItem'] }],
  dropHeld: [{ ...HELD, actions: ['DeleteItem'] }],
}

export function dynamoMcpUpstreams(store: DynamoStore): McpUpstreams {
  const table = store.tables.gateway
  return {
    async get(id) {
      const item = await store.get(table, mcpUpstreamKey(id), 'consistent')
      return item === undefined ? undefined : fromItem(item)
    },

    async list() {
      const values = { pk: MCP_UPSTREAMS_PK }
      return (await store.query(table, { where: '#pk = :pk', values })).map(fromItem)
    },

    //   A: version 4 → 5 ✔ ─▶ works          B: version 4 ✘ ─▶ reads again, or refuses
    // Two that take the lease at once: the first put raises the version, and the other is refused.
    // The transaction's token recognises a put that is repeated after a lost answer, so a late copy
    // brings back no deleted record. Dying before: as it was. Dying after: the record is whole, and
    // a lease in it ends by itself.
    async put(upstream, ifVersion) {
      const condition =
        ifVersion === 0
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#version = :ifVersion', values: { ifVersion } }
      const answer = await store.transact([{ table, put: toItem(upstream), ...condition }])
      return answer.kind === 'written'
    },

    // A refresh takes the lease after the caller has read: the version moved, and nothing is
    // removed.
    async remove(id, ifVersion) {
      const condition = { if: '#version = :ifVersion', values: { ifVersion } }
      const answer = await store.transact([{ table, remove: mcpUpstreamKey(id), ...condition }])
      return answer.kind === 'written'
    },

    async offers(id) {
      const { pk } = mcpOfferKey(id, '-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk } })
      return items.map(fromOfferItem)
    },

    // Without a condition: who writes has the lease of the upstream. A copy that arrives after the
    // next listing shows an older entry until the listing after it. An approval of that entry gives
    // the pin of the older entry, so that the listing holds the tool again.
    async putOffer(id, offer) {
      await store.put(table, { item: toOfferItem(id, offer) })
    },

    async dropOffer(id, tool) {
      await store.remove(table, mcpOfferKey(id, tool))
    },

    async held(id) {
      const item = await store.get(table, mcpHeldKey(id), 'eventual')
      // A cast: this file wrote the text.
      return item === undefined ? undefined : (jsonAt(item, 'held') as unknown as HeldListing)
    },

    // Without a condition, as offers are put. A copy that arrives after a deletion leaves an item
    // that nobody reads: readers find the upstream's record first.
    async putHeld(id, held) {
      await store.put(table, { item: { ...mcpHeldKey(id), held: JSON.stringify(held) } })
    },

    async dropHeld(id) {
      await store.remove(table, mcpHeldKey(id))
    },
  }
}

function toItem(upstream: McpUpstream): Item {
  const { isDeleting, lease, nextRefreshAtMs, settings, status, ...plain } = upstream
  return {
    ...mcpUpstreamKey(upstream.id),
    ...plain,
    settings: JSON.stringify(settings),
    status: JSON.stringify(status),
    ...(nextRefreshAtMs === undefined ? {} : { nextRefreshAtMs }),
    ...(lease === undefined ? {} : { lease }),
    ...(isDeleting === undefined ? {} : { isDeleting }),
  }
}

function fromItem(item: Item): McpUpstream {
  const nextRefreshAtMs = optionalIntAt(item, 'nextRefreshAtMs')
  const lease = item['lease'] === undefined ? undefined : mapAt(item, 'lease')
  return {
    id: textAt(item, 'id'),
    // Casts: this file wrote both texts.
    settings: jsonAt(item, 'settings') as unknown as UpstreamSettings,
    status: jsonAt(item, 'status') as unknown as UpstreamStatus,
    version: intAt(item, 'version'),
    createdAtMs: intAt(item, 'createdAtMs'),
    updatedAtMs: intAt(item, 'updatedAtMs'),
    by: textAt(item, 'by'),
    ...(nextRefreshAtMs === undefined ? {} : { nextRefreshAtMs }),
    ...(lease === undefined
      ? {}
      : { lease: { token: textAt(lease, 'token'), untilMs: intAt(lease, 'untilMs') } }),
    ...(item['isDeleting'] === true ? { isDeleting: true as const } : {}),
  }
}

function toOfferItem(id: string, offer: OfferedTool): Item {
  const { entry, faults, ...plain } = offer
  return {
    ...mcpOfferKey(id, offer.tool),
    ...plain,
    entry: JSON.stringify(entry),
    faults: [...faults],
  }
}

function fromOfferItem(item: Item): OfferedTool {
  return {
    tool: textAt(item, 'tool'),
    state: wordAt(item, 'state', OFFER_STATES),
    digest: textAt(item, 'digest'),
    entry: jsonAt(item, 'entry'),
    seenAtMs: intAt(item, 'seenAtMs'),
    faults: textsAt(item, 'faults'),
  }
}

function jsonAt(item: Item, name: string): JsonObject {
  const value: unknown = JSON.parse(textAt(item, name))
  if (isJsonObject(value as JsonObject)) return value as JsonObject
  throw new Fault('internal', `stored upstream: ${name} is no object`)
}
