/**
 * `GET users/{uid}/credits`: a page of the grants and corrections of a user, by grantId. Credits
 * that were moved from the earlier service are grants `v0-…` in it. Bound by docs/service.md,
 * Grants.
 */
import { isIdentifier, refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Grant } from '../../ledger/ledger.ts'
import { GRANTS_PAGE_DEFAULT, GRANTS_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'

export type GrantView = {
  readonly grantId: string
  readonly amount: number
  readonly reason?: string
  /** The administrator who gave the credits; absent for grants of the migration. */
  readonly by?: string
  readonly createdAtMs: number
}

/** Refuses with `not_found` an unknown user, and with `malformed` a bad limit or cursor. */
export async function showGrants(
  ports: { readonly ledger: Pick<Ports['ledger'], 'grants'> } & Pick<Ports, 'profiles'>,
  uid: string,
  query: PageQuery,
): Promise<Result<{ grants: readonly GrantView[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: GRANTS_PAGE_MAX, otherwise: GRANTS_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, (id) => (isIdentifier(id) ? id : undefined))
  if (!place.ok) return place
  const after = place.value
  if ((await ports.profiles.read(uid)) === undefined) return refuseUnknownUser(uid)
  const page = { uid, limit: limit.value, ...(after === undefined ? {} : { after }) }
  const { grants, next } = await ports.ledger.grants(page)
  const more = next === undefined ? {} : { nextCursor: writeCursor(next) }
  return ok({ grants: grants.map(toView), ...more })
}

function toView({ amount, by, createdAtMs, grantId, reason }: Grant): GrantView {
  const why = { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) }
  return { grantId, amount: toCreditsNumber(amount), ...why, createdAtMs }
}
