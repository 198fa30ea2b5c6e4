/**
 * mcp_registry:tools_draft: pieces of a tool list that is rebuilt in steps. Each piece is written
 * once, under an id of its own. So a step that is sent twice, or a second rebuild, makes separate
 * pieces that never mix. No method lists pieces; an abandoned piece expires.
 */
import { randomBytes } from 'node:crypto'
import { TOOLS_DRAFT_TTL_SEC } from '../../../core/skills/limits.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, intAt, isExpired } from '../client/item.ts'
import { SORT_KEY_BYTES_MAX, toolsDraftKey } from '../table.ts'
import { packTools, unpackTools } from './tools-cache-parts.ts'

/** Resolves to the piece's id. Dying between two parts leaves a piece whose id no caller has. */
export async function stagePiece(store: DynamoStore, tools: readonly Tool[]): Promise<string> {
  const nowMs = store.clock.nowMs()
  const id = `${nowMs}-${randomBytes(6).toString('hex')}`
  const ttl = Math.ceil(nowMs / 1_000) + TOOLS_DRAFT_TTL_SEC
  const all = await packTools(tools)
  for (const [part, data] of all.entries()) {
    const item = { ...toolsDraftKey(id, part), part, parts: all.length, data, ttl }
    await store.put(store.tables.gateway, { item })
  }
  return id
}

/** Reads are strongly consistent, because a step may follow right after the one before. */
export async function readPiece(
  store: DynamoStore,
  id: string,
): Promise<readonly Tool[] | undefined> {
  // Ids come back from clients: an id that cannot be a sort key names no piece.
  if (id === '' || id.length > SORT_KEY_BYTES_MAX / 4) return undefined
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk',
    values: { pk: toolsDraftKey(id, 0).pk },
  })
  const [first] = items
  const nowMs = store.clock.nowMs()
  if (first === undefined || items.some((item) => isExpired(item, nowMs))) return undefined
  if (items.length < intAt(first, 'parts')) return undefined
  return unpackTools(
    store,
    items.map((item) => bytesAt(item, 'data')),
  )
}
