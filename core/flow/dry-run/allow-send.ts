/**
 * Decides whether an administrator may send a test call now. A role that sets users' keys may act
 * as a user. A role that writes skills may send a skill that is not stored. Bound by
 * docs/service.md, Dry runs, and ADR 0054.
 *
 *   sent as          a stored skill            a skill that is not stored
 *   nobody           publisher or operator     publisher
 *   a user           operator                  owner
 */
import { type Administrator, type AdminRole, toAdminId } from '../../access/admin-role.ts'
import { decideRate, toMinute } from '../../access/minute.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'

type Needs = Pick<Ports, 'clock'> & { readonly rateCounters: Pick<Ports['rateCounters'], 'count'> }

type Send = { readonly uid: string | undefined; readonly isStored: boolean }

/** Test calls a minute of one admin key: enough to correct a skill, too few to use it for free. */
export const TEST_SENDS_PER_MINUTE_MAX = 10

/**
 * Refuses with `forbidden` or `rate_limited`. Counts each test call that the role allows, also
 * those past the limit. Throws `Fault` if the store fails.
 */
export async function allowSend(
  ports: Needs,
  admin: Administrator,
  send: Send,
): Promise<Result<undefined>> {
  const roles = allowedRoles(send)
  if (!roles.includes(admin.role)) return refuseRole(admin, roles)
  const nowMs = ports.clock.nowMs()
  // The colon separates this count from those of API keys, whose hashes have none.
  const keyHash = `test:${toAdminId(admin)}`
  const count = await ports.rateCounters.count({ keyHash, minute: toMinute(nowMs) })
  const verdict = decideRate({ count, limit: TEST_SENDS_PER_MINUTE_MAX, nowMs })
  if (verdict.allowed) return ok(undefined)
  const { limit, retryAfterSec } = verdict
  return refuse(
    'rate_limited',
    `An administrator may send ${limit} test calls a minute. Wait ${retryAfterSec} s, then send it again; without ?send=true it is not limited.`,
    { retryAfterSec },
  )
}

function allowedRoles({ isStored, uid }: Send): readonly AdminRole[] {
  if (uid === undefined)
    return isStored ? ['owner', 'operator', 'publisher'] : ['owner', 'publisher']
  return isStored ? ['owner', 'operator'] : ['owner']
}

function refuseRole(admin: Administrator, roles: readonly AdminRole[]): Result<never> {
  return refuse(
    'forbidden',
    `Sending this test call needs the role ${roles.join(' or ')}, and ${admin.name} has the role ${admin.role}. Without ?send=true it is shown to every role.`,
  )
}
