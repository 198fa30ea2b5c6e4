/** The query of a paged list in the admin API: `?limit=&cursor=`. */
import { ok, type Result, refuse } from '../errors.ts'

export type PageQuery = { readonly limit: string | undefined; readonly cursor: string | undefined }

/** Reads the query's `limit`; `otherwise` is the default. Refuses other text with `malformed`. */
export function readPageLimit(
  text: string | undefined,
  { max, otherwise }: { readonly max: number; readonly otherwise: number },
): Result<number> {
  if (text === undefined) return ok(otherwise)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= max) return ok(limit)
  return refuse('malformed', `limit: must be a whole number from 1 to ${max}.`)
}
