/**
 * The public list of official tools: what each one does, what it costs, and by measurement how long
 * it takes and how often it fails. Each environment reads the list at most once a minute. Bound by
 * docs/service.md, Catalog, and docs/design/usage.md#the-catalog.
 *
 *   time t ─▶ list version, list ∥ hourly sums ─▶ served until t + 60 s; max-age = seconds left
 * A change that was answered before t is part of the read, so no cache shows an answer that is
 * older than 60 s. Price and version of an entry come from one write of the list: both are old, or
 * both are new. Requests that arrive during a read share that read.
 */

import { keepYoungest } from '../../cache/keep-youngest.ts'
import { ok, type Result } from '../../errors.ts'
import { mendSchema } from '../../json/client-schemas.ts'
import { refuseCursor } from '../../json/cursor.ts'
import type { JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { writeRefundRule } from '../../mcp/tool-meta.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import { pickPage } from '../../skills/tool-list.ts'
import { computePercentileMs, countCalls } from '../../usage/durations.ts'
import { type ListToolsNeeds, readListLayers } from '../tools/merge-tool-layers.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'
import {
  createDayFiguresReader,
  type DayFigureNeeds,
  type DayFigures,
  type ToolFigures,
} from '../usage/day-figures.ts'

export type CatalogNeeds = ListToolsNeeds & DayFigureNeeds & Pick<Ports, 'digests'>

export type CatalogPage = {
  readonly text: string
  /** A strong validator with its quotes. */
  readonly etag: string
  /** Whole seconds for which the page may be used. */
  readonly freshSec: number
}

export type Catalog = {
  /** Refuses with `malformed` a cursor that no page returned. Throws `Fault` if the store fails. */
  page(cursor: string | undefined): Promise<Result<CatalogPage>>
}

export const CATALOG_KEPT_MS = 60_000
/** After a failed read the next one waits this long, however many requests arrive meanwhile. */
export const CATALOG_FAILED_MS = 5_000
export const CATALOG_PAGE_TOOLS_MAX = 500
/** A larger page is halved until it fits. A page of one tool is served whatever its size. */
export const CATALOG_PAGE_BYTES_MAX = 1_000_000
/** Pages whose text is kept; other pages are written again for each request. */
const PAGES_KEPT_MAX = 8

/** Figures of fewer calls say little, and would show what single calls did. */
export const MEASURED_CALLS_MIN = 20
/** Shares of failures are rounded to a tenth of a percent. */
const SHARE_STEPS = 1_000

const LATENCY_RULE =
  `p50Ms and p95Ms are measured: half and 95 % of the successful calls of the last 24 full hours took no longer, ` +
  `with an error of 10 % at most. null: there were fewer than ${MEASURED_CALLS_MIN} such calls.`
const FAILURE_RULE =
  'failureShare is measured: of the calls of the last 24 full hours, from 0 to 1, that the upstream failed or that ' +
  `took too long. Calls that the caller cancelled, or whose arguments were refused, do not count. null: there were fewer than ${MEASURED_CALLS_MIN} calls.`

const RULES = { latencyRule: LATENCY_RULE, failureRule: FAILURE_RULE }
const NO_CALLS: ToolFigures = { settled: 0, failures: 0, durations: [] }

type PageText = Pick<CatalogPage, 'text' | 'etag'>
type Snapshot = {
  readonly tools: readonly Tool[]
  readonly figures: DayFigures
  readonly pages: Map<string | undefined, PageText>
}
type Reading = { readonly atMs: number; untilMs: number; readonly snapshot: Promise<Snapshot> }

/** The catalog of one environment. Nothing is read before the first page is requested. */
export function openCatalog(
  ports: CatalogNeeds,
  settings: Settings,
  lists: ToolListCache,
): Catalog {
  return openCatalogOf(
    ports,
    async () => (await readListLayers(ports, settings, lists, undefined)).shared.tools,
  )
}

/** The same of a list that `readTools` reads: shared tools, of which the catalog has the public ones. */
export function openCatalogOf(
  ports: DayFigureNeeds & Pick<Ports, 'clock' | 'digests'>,
  readTools: () => Promise<readonly Tool[]>,
): Catalog {
  const readFigures = createDayFiguresReader(ports)
  let last: Reading | undefined
  const read = async (): Promise<Snapshot> => {
    const [tools, figures] = await Promise.all([readTools(), readFigures()])
    return { tools: tools.filter(isPublic), figures, pages: new Map() }
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
      const page = readPage(ports, await snapshot, cursor)
      if (!page.ok) return page
      const leftMs = atMs + CATALOG_KEPT_MS - ports.clock.nowMs()
      return ok({ ...page.value, freshSec: Math.max(0, Math.floor(leftMs / 1000)) })
    },
  }
}

function readPage(
  { digests }: Pick<Ports, 'digests'>,
  snapshot: Snapshot,
  cursor: string | undefined,
): Result<PageText> {
  const kept = snapshot.pages.get(cursor)
  if (kept !== undefined) return ok(kept)
  const text = writePage(snapshot, cursor)
  if (!text.ok) return text
  const page = { text: text.value, etag: `"${digests.sha256(text.value).slice(0, 22)}"` }
  keepYoungest(snapshot.pages, cursor, page, PAGES_KEPT_MAX)
  return ok(page)
}

function writePage({ figures, tools }: Snapshot, cursor: string | undefined): Result<string> {
  for (let size = CATALOG_PAGE_TOOLS_MAX; ; size = Math.ceil(size / 2)) {
    const page = pickPage(tools, cursor, size)
    if (page === undefined) return refuseCursor('query')
    const { nextCursor } = page
    const entries = page.tools.map((tool) => toEntry(tool, figures.get(tool.skillId ?? tool.name)))
    const more = nextCursor === undefined ? {} : { nextCursor }
    const text = JSON.stringify({ tools: entries, ...RULES, ...more })
    if (size === 1 || countBytes(text) <= CATALOG_PAGE_BYTES_MAX) return ok(text)
  }
}

/** True for official tools that everyone may call and whose stored version is known. */
function isPublic({ groups, source, version }: Tool): boolean {
  return source === 'official' && version !== undefined && (groups ?? []).length === 0
}

function toEntry(tool: Tool, figures: ToolFigures = NO_CALLS): JsonObject {
  const { description, inputSchema, name, priceMicroCredits, title, version = 0 } = tool
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    parameters: mendSchema(inputSchema, 'input'),
    price: toCreditsNumber(priceMicroCredits),
    refund: writeRefundRule(tool),
    latency: toLatency(figures),
    failureShare: toFailureShare(figures),
    version,
  }
}

function toLatency({ durations }: ToolFigures): JsonObject | null {
  if (countCalls(durations) < MEASURED_CALLS_MIN) return null
  return { p50Ms: computePercentileMs(durations, 0.5), p95Ms: computePercentileMs(durations, 0.95) }
}

function toFailureShare({ failures, settled }: ToolFigures): number | null {
  const calls = settled + failures
  if (calls < MEASURED_CALLS_MIN) return null
  return Math.round((SHARE_STEPS * failures) / calls) / SHARE_STEPS
}
