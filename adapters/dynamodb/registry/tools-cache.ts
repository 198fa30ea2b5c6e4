/**
 * mcp_registry:tools_cache: the tool list that administrators push. Its gzipped parts are written
 * under a new version before the head names that version. This process caches the list by its
 * version. Bound by docs/service.md, Tool list.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import type { ToolsCache } from '../../../core/ports/registry.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { TOOLS_CACHE_PK, TOOLS_DRAFT_PK, toolsCacheHeadKey } from '../table.ts'
import {
  isDropped,
  makeHeadCondition,
  readHead,
  readHeadVersion,
  readNoListCondition,
} from './tools-cache-head.ts'
import { deleteParts, readParts, writeParts } from './tools-cache-parts.ts'
import { readPiece, stagePiece } from './tools-draft.ts'

type CachedList = { readonly version: string; readonly tools: readonly Tool[] }
/** `stored` is the version that names the parts; a renewed list has the same parts. */
type ListCache = { list: { readonly stored: string; readonly tools: readonly Tool[] } | undefined }

export const TOOLS_CACHE_PERMISSIONS: Permissions<ToolsCache> = {
  read: [{ table: 'gateway', actions: ['GetItem', 'Query'], keyPrefixes: [TOOLS_CACHE_PK] }],
  write: [
    {
      table: 'gateway',
      actions: ['GetItem', 'PutItem', 'Query', 'DeleteItem'],
      keyPrefixes: [TOOLS_CACHE_PK],
    },
  ],
  renew: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [TOOLS_CACHE_PK] }],
  drop: [
    {
      table: 'gateway',
      actions: ['GetItem', 'PutItem', 'Query', 'DeleteItem'],
      keyPrefixes: [TOOLS_CACHE_PK],
    },
  ],
  stage: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [TOOLS_DRAFT_PK] }],
  staged: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [TOOLS_DRAFT_PK] }],
}

export function dynamoToolsCache(store: DynamoStore): ToolsCache {
  const cache: ListCache = { list: undefined }
  return {
    read: () => read(store, cache),
    write: (tools, ifVersion) => write(store, tools, ifVersion),
    renew: (ifVersion) => renew(store, ifVersion),
    stage: (tools) => stagePiece(store, tools),
    staged: (id) => readPiece(store, id),
    drop: () => drop(store),
  }
}

/** Tries of one read: another writer may replace the list during each of them. */
export const READ_TRIES_MAX = 4

/**
 * Reads are strongly consistent: the first list after a refresh must be the new one. If parts are
 * missing, another writer deleted them during the read, and the head names its version.
 */
async function read(store: DynamoStore, cache: ListCache): Promise<CachedList | undefined> {
  let missing: string | undefined
  for (let tries = 1; tries <= READ_TRIES_MAX; tries += 1) {
    const head = await readHead(store)
    if (head === undefined || isDropped(head)) return undefined
    const list = await loadList(store, cache, head)
    if (list !== undefined) return list
    const stored = textAt(head, 'version')
    if (stored === missing) throw new Fault('internal', 'tools cache: its parts are missing')
    missing = stored
  }
  throw new Fault('store_unavailable', `tools cache: replaced ${READ_TRIES_MAX} times in one read`)
}

async function loadList(
  store: DynamoStore,
  cache: ListCache,
  head: Item,
): Promise<CachedList | undefined> {
  const stored = textAt(head, 'version')
  const version = readHeadVersion(head)
  if (cache.list?.stored !== stored) {
    const tools = await readParts(store, stored, intAt(head, 'parts'))
    if (tools === undefined) return undefined
    cache.list = { stored, tools }
  }
  return { version, tools: cache.list.tools }
}

// Two writers from one version, this one first: the other's condition names a head that no longer
// exists. A renewal that is repeated after a lost answer is refused; the caller reads again.
async function renew(store: DynamoStore, ifVersion: string): Promise<boolean> {
  const next = Number(ifVersion.split('+')[1] ?? '0') + 1
  const { if: condition, values } = makeHeadCondition(ifVersion)
  const answer = await store.update(store.tables.gateway, {
    key: toolsCacheHeadKey(),
    set: 'SET #renewed = :next',
    if: condition,
    values: { ...values, next },
  })
  return answer.kind === 'written'
}

/**
 * Two writers from one version:
 *
 *   A: parts(a) ── head old→a ✔                     then: parts(old) deleted
 *   B:      parts(b) ── head still old? no ✘        then: parts(b) deleted, returns undefined
 *
 * Readers see the whole old list or the whole new one. A put of the head that is repeated after a
 * lost answer finds its own version: written. Dying before that put: the old list remains. Dying
 * after: the new list is active, and the next write deletes the old parts.
 */
async function write(
  store: DynamoStore,
  tools: readonly Tool[],
  ifVersion: string | undefined,
): Promise<string | undefined> {
  const condition =
    ifVersion === undefined ? await readNoListCondition(store) : makeHeadCondition(ifVersion)
  if (condition === undefined) return undefined
  const version = newVersion(store)
  const parts = await writeParts(store, version, tools)
  const answer = await store.put(store.tables.gateway, {
    item: { ...toolsCacheHeadKey(), version, parts, tools: tools.length },
    ...condition,
  })
  const isOurs = answer.kind === 'refused' && answer.old?.['version'] === version
  if (answer.kind === 'written' || isOurs) {
    await deleteParts(store, ifVersion?.split('+')[0])
    return version
  }
  await deleteParts(store, version)
  return undefined
}

/** Tries of one drop: another writer may replace the list during each of them. */
export const DROP_TRIES_MAX = 8

/**
 * The head remains and says that its list was dropped. So a late copy of a drop, or of the first
 * write of a list, finds another head than its condition names and is refused. A reader with the
 * old head finds parts missing and reads the head again. Dying between head and parts: parts remain
 * that no head names, and a later write deletes them.
 */
async function drop(store: DynamoStore): Promise<void> {
  for (let tries = 1; tries <= DROP_TRIES_MAX; tries += 1) {
    const head = await readHead(store)
    if (head === undefined || isDropped(head)) return
    // A new name for each try: the last try may have succeeded, and a list may have replaced it
    // since.
    const dropped = newVersion(store)
    const item = { ...toolsCacheHeadKey(), dropped }
    const answer = await store.put(store.tables.gateway, {
      item,
      ...makeHeadCondition(readHeadVersion(head)),
    })
    const isOurs = answer.kind === 'refused' && answer.old?.['dropped'] === dropped
    if (answer.kind === 'written' || isOurs) return deleteParts(store, textAt(head, 'version'))
  }
  throw new Fault('store_unavailable', `tools cache: replaced ${DROP_TRIES_MAX} times in one drop`)
}

/**
 * Names parts or a drop. It begins with the time, by which the parts of a dead writer are found.
 */
function newVersion(store: DynamoStore): string {
  return `${store.clock.nowMs()}-${randomBytes(6).toString('hex')}`
}
