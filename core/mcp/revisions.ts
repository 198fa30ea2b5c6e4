/**
 * The served revisions, oldest first: each is a folder and two lines here. This file only finds a
 * revision; its features are in its own table. Bound by ADR 0025.
 */
import { REVISION_2024_11_05 } from './rev2024-11-05/revision.ts'
import { REVISION_2025_03_26 } from './rev2025-03-26/revision.ts'
import { REVISION_2025_06_18 } from './rev2025-06-18/revision.ts'
import { REVISION_2025_11_25 } from './rev2025-11-25/revision.ts'
import { REVISION_2026_07_28 } from './rev2026-07-28/revision.ts'
import type { Revision } from './revision.ts'

/**
 * Over Streamable HTTP. 2024-11-05 has no such transport, but clients negotiate it there anyway.
 */
export const STREAMABLE_REVISIONS: readonly Revision[] = [
  REVISION_2024_11_05,
  REVISION_2025_03_26,
  REVISION_2025_06_18,
  REVISION_2025_11_25,
  REVISION_2026_07_28,
]

/** The revision of HTTP+SSE, whatever version a client asks for. */
export const SSE_REVISION: Revision = REVISION_2024_11_05

/** Its requests name no version, because the header came later (2025-06-18, transports). */
export const HEADERLESS_REVISION: Revision = REVISION_2025_03_26

/** The answer of `initialize` to an unknown version. */
export const LATEST_LEGACY: Revision = newest('legacy')
export const LATEST_MODERN: Revision = newest('modern')

/** Newest first, as clients read them. */
export const MODERN_VERSIONS: readonly string[] = versionsOf('modern')
const LEGACY_VERSIONS: readonly string[] = versionsOf('legacy')
/** All, newest first. */
export const SERVED_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS]

const BY_VERSION: ReadonlyMap<string, Revision> = new Map(
  STREAMABLE_REVISIONS.map((revision) => [revision.version, revision]),
)

/** Undefined for a version that is not served. */
export function revisionOf(version: string): Revision | undefined {
  return BY_VERSION.get(version)
}

/**
 * The version that `initialize` answers: the requested one, or else the newest that has
 * `initialize`. Never a modern one, which no client accepts there.
 */
export function negotiate(requested: string | undefined): Revision {
  const revision = requested === undefined ? undefined : revisionOf(requested)
  return revision?.era === 'legacy' ? revision : LATEST_LEGACY
}

function newest(era: Revision['era']): Revision {
  const revision = STREAMABLE_REVISIONS.findLast((one) => one.era === era)
  if (revision === undefined) throw new Error(`no revision of the ${era} era is served`)
  return revision
}

function versionsOf(era: Revision['era']): readonly string[] {
  return STREAMABLE_REVISIONS.filter((revision) => revision.era === era)
    .map(({ version }) => version)
    .reverse()
}
