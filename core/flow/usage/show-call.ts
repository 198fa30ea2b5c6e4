/**
 * GET calls/{callId}: everything that is known of one ended call. Its record is the user's outcome;
 * the excerpt of a failed answer is another record, which lives a week.
 */
import { isLeaving } from '../../access/user-state.ts'
import { timeOfCallId } from '../../call/call-id.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { instantOf } from '../../json/utc-time.ts'
import type { CallPhases } from '../../ledger/call-facts.ts'
import type { Outcome } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { rowOf } from '../../usage/call-row.ts'
import { reasonSentence } from './call-reason.ts'
import { type CallView, callView } from './call-view.ts'
import { findRow } from './find-row.ts'
import type { PageReadNeeds } from './fold-calls.ts'

export type CallDetail = CallView & {
  readonly username?: string
  readonly explanation: string
  readonly endedAtMs: number
  readonly client?: string
  readonly clientCallId?: string
  readonly upstreamHost?: string
  readonly traceId?: string
  readonly secretsUsed?: string
  readonly phasesMs?: CallPhases
  /** The first 2 KB of the upstream's answer, masked. */
  readonly excerpt?: string
}

type Needs = Pick<Ports, 'profiles'> &
  PageReadNeeds & {
    readonly callExcerpts: Pick<Ports['callExcerpts'], 'find'>
    readonly ledger: Pick<Ports['ledger'], 'find'>
  }

export type AskedCall = {
  readonly uid: string | undefined
  readonly callId: string
  /** Calls that began earlier are only in the archive. */
  readonly keptSinceMs: number
}

/** Refuses with `not_found` a call that has not ended, or whose record is gone. */
export async function showCall(
  ports: Needs,
  { callId, keptSinceMs, uid: sent }: AskedCall,
): Promise<Result<CallDetail>> {
  // Without a user, the page of its time tells whose call it is.
  const uid = sent ?? (await findRow(ports, callId))?.uid
  if (uid === undefined) return unknownCall(callId, keptSinceMs)
  const call = { uid, callId }
  const outcome = await ports.ledger.find(call)
  if (outcome === undefined) return unknownCall(callId, keptSinceMs)
  const [profile, excerpt] = await Promise.all([
    ports.profiles.read(uid),
    outcome.state === 'refunded' ? ports.callExcerpts.find(call) : undefined,
  ])
  // A call that ended while its user was deleted may have left one behind.
  const isGone = profile === undefined || isLeaving(profile)
  return ok({
    ...callView(rowOf(outcome)),
    ...(profile === undefined ? {} : { username: profile.username }),
    explanation: reasonSentence(outcome),
    endedAtMs: outcome.endedAtMs,
    ...factsShown(outcome),
    ...(excerpt === undefined || isGone ? {} : { excerpt }),
  })
}

function factsShown({ facts }: Outcome): Partial<CallDetail> {
  if (facts === undefined) return {}
  const { door: _door, keyId: _keyId, phases, ...shown } = facts
  return { ...shown, phasesMs: phases }
}

function unknownCall(callId: string, keptSinceMs: number): Result<never> {
  const id = JSON.stringify(callId.slice(0, 64))
  const madeAtMs = timeOfCallId(callId)
  const why =
    madeAtMs !== undefined && madeAtMs < keptSinceMs
      ? `The id is of ${instantOf(madeAtMs)}; calls before ${instantOf(keptSinceMs)} are only in the archive.`
      : 'A call that still runs, or that was refused before its price was held, has no record; the log has its line.'
  return refuse('not_found', `callId: there is no ended call ${id}. ${why}`)
}
