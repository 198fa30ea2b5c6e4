/**
 * A row of the requirements: one rule of MCP for a server of tools, resources and prompts, and what
 * this server does to meet it, in our own words. Tests cite rows by id in a comment right above
 * them: `// Holds: RPC-1, RPC-2`. Rows that the specification leaves open (MAY) say what was
 * chosen.
 */

/** The five revisions that this gateway serves. */
export const MCP_REVISIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const

export type McpRevision = (typeof MCP_REVISIONS)[number]
export type Level = 'MUST' | 'SHOULD' | 'MAY'

/** Page and section, as the newest revision of the row names them; without an address. */
type Where = { readonly source: string; readonly revisions: readonly McpRevision[] }

export type Requirement = Where & {
  /** Area and number, such as `HDR-3`; never given to another row. */
  readonly id: string
  readonly level: Level
  /** How this server meets it, in sentences. */
  readonly says: string
}

/** Rows that belong together on the page. */
export type Area = {
  readonly title: string
  readonly about: string
  readonly rows: readonly Requirement[]
}

/** A rule that this server does not follow. No test holds it, so the row gives a reason. */
export type LeftOut = Where & {
  readonly level: Level
  readonly says: string
  readonly why: string
}

type Says = { readonly [id: string]: string }

/** The rows of one section of the specification, by level. */
export function section(
  source: string,
  revisions: readonly McpRevision[],
  levels: { readonly [level in Level]?: Says },
): readonly Requirement[] {
  return (['MUST', 'SHOULD', 'MAY'] as const).flatMap((level) =>
    Object.entries(levels[level] ?? {}).map(([id, says]) => ({
      id,
      level,
      revisions,
      source,
      says,
    })),
  )
}

const since = (version: McpRevision) => MCP_REVISIONS.filter((one) => one >= version)
const before = (version: McpRevision) => MCP_REVISIONS.filter((one) => one < version)

export const ALL = since(MCP_REVISIONS[0])
export const LEGACY = before('2026-07-28')
export const SSE_ONLY: readonly McpRevision[] = ['2024-11-05']
export const STREAMABLE = since('2025-03-26')
export const STREAMABLE_LEGACY: readonly McpRevision[] = ['2025-03-26', '2025-06-18', '2025-11-25']
export const SINCE_2025_06 = since('2025-06-18')
export const LEGACY_SINCE_2025_06: readonly McpRevision[] = ['2025-06-18', '2025-11-25']
export const SINCE_2025_11 = since('2025-11-25')
export const MODERN: readonly McpRevision[] = ['2026-07-28']
