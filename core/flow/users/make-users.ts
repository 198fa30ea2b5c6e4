/**
 * POST users:batch: one user in each line, as POST users makes one, but repeatable by the `uid`. A line
 * that comes again finds its user, and finishes what a crash left: identity, first credits, claim of the
 * username. Bound by docs/admin-api.md, Batches.
 */
import { isIdentifier } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { checkUsername } from './check-username.ts'
import { withNewNameWarning } from './claim-username.ts'
import { type CreateUserNeeds, createUser, finishUser } from './manage-users.ts'
import { type NewUser, readNewUser } from './read-user.ts'
import { type BatchOutcome, cutText, type LineDone, runBatch } from './run-batch.ts'
import type { UserView } from './user-view.ts'
import { withTierWarning } from './warn-tier.ts'
import type { WarnedUser } from './warned-user.ts'

export type MakeUsersNeeds = CreateUserNeeds & Pick<Ports, 'log' | 'usernames'>

export function makeUsers(
  ports: MakeUsersNeeds,
  settings: Settings,
  text: string,
  /** The administrator who makes them. */
  by?: string,
): Promise<Result<BatchOutcome>> {
  return runBatch(ports, text, (fields) => makeUser(ports, settings, by, fields))
}

async function makeUser(
  ports: MakeUsersNeeds,
  settings: Settings,
  by: string | undefined,
  fields: JsonObject,
): Promise<Result<LineDone>> {
  if (!isIdentifier(fields['uid'])) return badBody([NO_UID])
  const read = readNewUser(fields)
  if (!read.ok) return read
  const named = checkUsername(settings, fields)
  if (!named.ok) return named
  const created = await createUser(ports, fields, by)
  if (created.ok) return lineOf(201, await warned(ports, settings, created))
  if (created.error.code !== 'conflict') return created
  const standing = await ports.profiles.read(fields['uid'])
  if (standing === undefined || !isSame(standing, read.value)) return created
  const finished = await finishUser(ports, standing, read.value, by)
  return finished.ok ? lineOf(200, await warned(ports, settings, finished)) : finished
}

function warned(
  ports: MakeUsersNeeds,
  settings: Settings,
  created: Result<UserView>,
): Promise<Result<WarnedUser>> {
  return withNewNameWarning(ports, withTierWarning(settings, created))
}

function lineOf(status: 200 | 201, user: Result<WarnedUser>): Result<LineDone> {
  if (!user.ok) return user
  const { uid, warnings = [] } = user.value
  return ok({ status, uid, ...(warnings.length === 0 ? {} : { warnings: warnings.map(cutText) }) })
}

const NO_UID = {
  pointer: '/uid',
  message:
    'is missing or no identifier; in a batch each line names its user, so that it can be sent again',
}

/** A user whom an earlier run of this line made, perhaps only in part. */
function isSame({ disabled, identity, tier, username }: Profile, line: NewUser): boolean {
  if (disabled !== undefined || username !== line.username || tier !== line.tier) return false
  return identity === undefined || identity === line.identity
}
