/**
 * The public list of official tools, read at most once a minute by each environment, however often it is
 * asked for. Bound by docs/service.md, Catalog, and ADR 0060.
 *
 *   time t ─▶ list version, list ∥ hours of sums ─▶ served until t + 60 s, with the seconds left as max-age
 * A change that was answered before t is in what is read. So an answer, in whatever cache, is never older
 * than 60 s. Price and version of an entry come from one write of the list: both old, or both new. Requests
 * that meet while it is read wait for the same read.
 */

import { keepYoungest } from '../../cache/keep-youngest.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseCursor } from '../../json/cursor.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import { pageOf as toolsOnPage } from '../../skills/tool-list.ts'
import { type ListToolsNeeds, listLayers } from '../tools/merge-tool-layers.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'
import { type DayDurationNeeds, type DayDurations, dayDurations } from '../usage/day-durations.ts'
import { catalogEntry, isPublic, LATENCY_RULE } from './catalog-entry.ts'

export type CatalogNeeds = ListToolsNeeds & DayDurationNeeds & Pick<Ports, 'digests'>

export type CatalogPage = {
  readonly text: string
  /** A strong validator with its quotes. */
  readonly etag: string
  /** Whole seconds for which the page may be used. */
  readonly freshSec: number
}

export type Catalog = {
  /** Refuses with `malformed` a cursor that no page had. Throws `Fault` when the store does not answer. */
  page(cursor: string | undefined): Promise<Result<CatalogPage>>
}

export const CATALOG_KEPT_MS = 60_000
/** A store that does not answer is asked again after this, whatever comes meanwhile. */
export const CATALOG_FAILED_MS = 5_000
export const CATALOG_PAGE_TOOLS_MAX = 500
/** A page past it is halved until it fits; one tool always does. */
export const CATALOG_PAGE_BYTES_MAX = 1_000_000
/** Pages as text; others are made again. */
const PAGES_KEPT_MAX = 8

type PageText = Pick<CatalogPage, 'text' | 'etag'>
type Snapshot = {
  readonly tools: readonly Tool[]
  readonly durations: DayDurations
  readonly pages: Map<string | undefined, PageText>
}
type Reading = { readonly atMs: number; untilMs: number; readonly snapshot: Promise<Snapshot> }

export function openCatalog(
  ports: CatalogNeeds,
  settings: Settings,
  lists: ToolListCache,
): Catalog {
  const readDurations = dayDurations(ports)
  let last: Reading | undefined
  const read = async (): Promise<Snapshot> => {
    const [{ shared }, durations] = await Promise.all([
      listLayers(ports, settings, lists, undefined),
      readDurations(),
    ])
    return { tools: shared.tools.filter(isPublic), durations, pages: new Map() }
  }
  const begin = (atMs: number): Reading => {
    const reading = { atMs, untilMs: atMs + CATALOG_KEPT_MS, snapshot: read() }
    reading.snapshot.catch(() => {
      reading.untilMs = ports.clock.nowMs() + CATALOG_FAILED_MS
    })
    return reading
  }
  return {
    async page(cursor) {
      const nowMs = ports.clock.nowMs()
      if (last === undefined || nowMs >= last.untilMs) last = begin(nowMs)
      const { atMs, snapshot } = last
      const page = pageOf(ports, await snapshot, cursor)
      if (!page.ok) return page
      const leftMs = atMs + CATALOG_KEPT_MS - ports.clock.nowMs()
      return ok({ ...page.value, freshSec: Math.max(0, Math.floor(leftMs / 1000)) })
    },
  }
}

function pageOf(
  { digests }: Pick<Ports, 'digests'>,
  snapshot: Snapshot,
  cursor: string | undefined,
): Result<PageText> {
  const known = snapshot.pages.get(cursor)
  if (known !== undefined) return ok(known)
  const text = textOf(snapshot, cursor)
  if (!text.ok) return text
  const page = { text: text.value, etag: `"${digests.sha256(text.value).slice(0, 22)}"` }
  keepYoungest(snapshot.pages, cursor, page, PAGES_KEPT_MAX)
  return ok(page)
}

function textOf({ durations, tools }: Snapshot, cursor: string | undefined): Result<string> {
  for (let size = CATALOG_PAGE_TOOLS_MAX; ; size = Math.ceil(size / 2)) {
    const page = toolsOnPage(tools, cursor, size)
    if (page === undefined) return refuseCursor('query')
    const { nextCursor } = page
    const entries = page.tools.map((tool) =>
      catalogEntry(tool, durations.get(tool.skillId ?? tool.name)),
    )
    const more = nextCursor === undefined ? {} : { nextCursor }
    const text = JSON.stringify({ tools: entries, latencyRule: LATENCY_RULE, ...more })
    if (size === 1 || bytesOf(text) <= CATALOG_PAGE_BYTES_MAX) return ok(text)
  }
}
