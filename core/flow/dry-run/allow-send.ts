/**
 * Whether an administrator may send a test call now. A role that sets keys of users may act as one; a role that writes
 * skills decides what is sent. Bound by docs/service.md, Dry runs, and ADR 0054.
 *
 *   sent as          a stored skill            a skill that is not stored
 *   nobody           publisher or operator     publisher
 *   a user           operator                  owner
 */
import type { Administrator, AdminRole } from '../../access/admin-role.ts'
import { judgeCount, minuteOf } from '../../access/minute.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'

type Needs = Pick<Ports, 'clock'> & { readonly rateCounters: Pick<Ports['rateCounters'], 'count'> }

type Send = { readonly uid: string | undefined; readonly isStored: boolean }

/** Test calls of one admin key in a minute: enough to mend a skill, too few to use it free of charge. */
export const TEST_SENDS_PER_MINUTE_MAX = 10

/** Refuses with `forbidden` or `rate_limited`. Counts what it allows, and what is past the limit. */
export async function allowSend(
  ports: Needs,
  admin: Administrator,
  send: Send,
): Promise<Result<undefined>> {
  const roles = rolesFor(send)
  if (!roles.includes(admin.role)) return forbidden(admin, roles)
  const nowMs = ports.clock.nowMs()
  // No hash of an API key has a colon.
  const keyHash = `test:${admin.kind === 'key' ? admin.keyId : admin.name}`
  const count = await ports.rateCounters.count({ keyHash, minute: minuteOf(nowMs) })
  const judged = judgeCount({ count, limit: TEST_SENDS_PER_MINUTE_MAX, nowMs })
  if (judged.allowed) return ok(undefined)
  const { limit, retryAfterSec } = judged
  return refuse(
    'rate_limited',
    `An admin key may send ${limit} test calls a minute. Wait ${retryAfterSec} s, then send it again; without ?send=true it is not limited.`,
    { retryAfterSec },
  )
}

function rolesFor({ isStored, uid }: Send): readonly AdminRole[] {
  if (uid === undefined)
    return isStored ? ['owner', 'operator', 'publisher'] : ['owner', 'publisher']
  return isStored ? ['owner', 'operator'] : ['owner']
}

function forbidden(admin: Administrator, roles: readonly AdminRole[]): Result<never> {
  return refuse(
    'forbidden',
    `Sending this test call needs the role ${roles.join(' or ')}, and ${admin.name} has the role ${admin.role}. Without ?send=true it is shown to every role.`,
  )
}
