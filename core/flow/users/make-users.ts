/**
 * POST users:batch: one user in each line, like POST users, but repeatable by the `uid`. A line
 * that is sent again finds its user and completes what a crash left undone: identity, first
 * credits, claim of the username. Bound by docs/admin-api.md, Batches.
 */
import { isIdentifier } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { checkUsername } from './check-username.ts'
import { addNewNameWarning } from './claim-username.ts'
import { type CreateUserNeeds, createUser, finishUser } from './manage-users.ts'
import { type NewUser, readNewUser } from './read-user.ts'
import { type BatchOutcome, cutBatchText, type LineDone, runBatch } from './run-batch.ts'
import type { UserView } from './user-view.ts'
import { addTierWarning, type WarnedUser } from './warned-user.ts'

export type MakeUsersNeeds = CreateUserNeeds & Pick<Ports, 'log' | 'usernames'>

/** Runs a batch of new users; a refused line does not stop the others. */
export function makeUsers(
  ports: MakeUsersNeeds,
  settings: Settings,
  text: string,
  /** Name of the administrator. */
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
  if (!isIdentifier(fields['uid'])) return refuseBody([UID_MISSING])
  const read = readNewUser(fields)
  if (!read.ok) return read
  const nameCheck = checkUsername(settings, fields)
  if (!nameCheck.ok) return nameCheck
  const created = await createUser(ports, fields, by)
  if (created.ok) return toLineDone(201, await addWarnings(ports, settings, created))
  if (created.error.code !== 'conflict') return created
  const existing = await ports.profiles.read(fields['uid'])
  if (existing === undefined || !isSame(existing, read.value)) return created
  const finished = await finishUser(ports, existing, read.value, by)
  return finished.ok ? toLineDone(200, await addWarnings(ports, settings, finished)) : finished
}

function addWarnings(
  ports: MakeUsersNeeds,
  settings: Settings,
  created: Result<UserView>,
): Promise<Result<WarnedUser>> {
  return addNewNameWarning(ports, addTierWarning(settings, created))
}

function toLineDone(status: 200 | 201, user: Result<WarnedUser>): Result<LineDone> {
  if (!user.ok) return user
  const { uid, warnings = [] } = user.value
  return ok({
    status,
    uid,
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(cutBatchText) }),
  })
}

const UID_MISSING = {
  pointer: '/uid',
  message:
    'is missing or no identifier; in a batch each line names its user, so that it can be sent again',
}

/** True if an earlier run of this line made the user, perhaps only in part. */
function isSame({ disabled, identity, tier, username }: Profile, line: NewUser): boolean {
  if (disabled !== undefined || username !== line.username || tier !== line.tier) return false
  return identity === undefined || identity === line.identity
}
