/**
 * Pages of calls state the time from which they are complete; older calls are only in the archive.
 */
import { ok, type Result } from '../../core/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { computeKeptSince } from '../../core/usage/time-span.ts'
import type { AdminPorts, Schema } from './route.ts'
import { AT_MS, NEXT_CURSOR, toAnsweredObject } from './schemas/field-schemas.ts'

/** The time in examples, 14 days before the calls that they show. */
export const EXAMPLE_KEPT_SINCE_MS = 1794009600000

/** Returns the schema `{"<things>": […], "keptSinceMs", "nextCursor"?}`. */
export function toKeptPageSchema(title: string, things: string, items: Schema): Schema {
  const properties = {
    [things]: { type: 'array', items },
    keptSinceMs: {
      ...AT_MS,
      description: 'Calls that began before this time are only in the archive.',
    },
    nextCursor: NEXT_CURSOR,
  }
  return toAnsweredObject(title, properties, ['nextCursor'])
}

/** Adds to a page the time from which the gateway keeps calls. */
export function withKeptSince<T extends object>(
  { clock }: Pick<AdminPorts, 'clock'>,
  settings: Settings,
  page: Result<T>,
): Result<T & { readonly keptSinceMs: number }> {
  if (!page.ok) return page
  return ok({ ...page.value, keptSinceMs: computeKeptSince(clock.nowMs(), settings) })
}
