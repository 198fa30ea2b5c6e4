/**
 * Opens the link of an invitation, for a page that tells the person how to go on. Opening a link
 * uses up nothing, because programs that check mail open links too. Wrong links are counted like
 * wrong keys.
 */
import { err, ok, type Result } from '../../errors.ts'
import { findInvited, type Person, UNUSABLE_INVITE } from './find-person.ts'
import type { LoginContext } from './login-context.ts'
import { countWrongTry, readTries, type Tries } from './login-tries.ts'

export type InviteRefusal =
  | { readonly kind: 'too-many'; readonly retryAfterSec: number }
  | { readonly kind: 'bad-invite'; readonly detail: string }

/** `network` is where the browser is. Throws `Fault` if the store fails. */
export async function openInvite(
  context: LoginContext,
  secret: string,
  network: string,
): Promise<Result<Person, InviteRefusal>> {
  const tries = await readTries(context.ports, network)
  if (tries.isOver) return refuseTry(tries)
  const found = await findInvited(context, secret)
  if (found.ok) return ok(found.value)
  const { detail, isGuess } = found.error
  const after = isGuess ? await countWrongTry(context.ports, network) : tries
  return after.isOver ? refuseTry(after) : err({ kind: 'bad-invite', detail })
}

/** What a person reads whose invitation was used while the page was open. */
export const INVITE_USED: InviteRefusal = { kind: 'bad-invite', detail: UNUSABLE_INVITE }

function refuseTry({ retryAfterSec }: Tries): Result<never, InviteRefusal> {
  return err({ kind: 'too-many', retryAfterSec })
}
