/**
 * GET calls/{callId}: all facts of one ended call. Its record is the user's outcome. The excerpt of
 * a failed answer is another record, which expires after a week.
 */
import { isBeingDeleted } from '../../access/user-state.ts'
import { readCallIdTime } from '../../call/call-id.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { toUtcSecond } from '../../json/utc-time.ts'
import type { CallPhases } from '../../ledger/call-facts.ts'
import type { Outcome, RefundReason } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type CallRow, toCallRow } from '../../usage/call-row.ts'
import { toSlot } from '../../usage/slots.ts'
import { type CallView, toCallView } from './call-view.ts'
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
  /** The first 2 KB of the upstream's answer, with secrets masked. */
  readonly excerpt?: string
}

type Needs = Pick<Ports, 'profiles'> &
  PageReadNeeds & {
    readonly callExcerpts: Pick<Ports['callExcerpts'], 'find'>
    readonly ledger: Pick<Ports['ledger'], 'find'>
  }

export type CallToShow = {
  readonly uid: string | undefined
  readonly callId: string
  /** Calls that began before this time are only in the archive. */
  readonly keptSinceMs: number
}

/** Refuses with `not_found` a call that has not ended or whose record has expired. */
export async function showCall(
  ports: Needs,
  { callId, keptSinceMs, uid: sent }: CallToShow,
): Promise<Result<CallDetail>> {
  // Without a user, the page of the call's time has the user.
  const uid = sent ?? (await findCallRow(ports, callId))?.uid
  if (uid === undefined) return refuseUnknownCall(callId, keptSinceMs)
  const call = { uid, callId }
  const outcome = await ports.ledger.find(call)
  if (outcome === undefined) return refuseUnknownCall(callId, keptSinceMs)
  const [profile, excerpt] = await Promise.all([
    ports.profiles.read(uid),
    outcome.state === 'refunded' ? ports.callExcerpts.find(call) : undefined,
  ])
  // A call that ended during its user's deletion may have left an excerpt.
  const isUserDeleted = profile === undefined || isBeingDeleted(profile)
  return ok({
    ...toCallView(toCallRow(outcome)),
    ...(profile === undefined ? {} : { username: profile.username }),
    explanation: explainOutcome(outcome),
    endedAtMs: outcome.endedAtMs,
    ...toShownFacts(outcome),
    ...(excerpt === undefined || isUserDeleted ? {} : { excerpt }),
  })
}

function toShownFacts({ facts }: Outcome): Partial<CallDetail> {
  if (facts === undefined) return {}
  const { door: _door, keyId: _keyId, phases, ...shown } = facts
  return { ...shown, phasesMs: phases }
}

function refuseUnknownCall(callId: string, keptSinceMs: number): Result<never> {
  const id = JSON.stringify(callId.slice(0, 64))
  const madeAtMs = readCallIdTime(callId)
  const why =
    madeAtMs !== undefined && madeAtMs < keptSinceMs
      ? `The id is of ${toUtcSecond(madeAtMs)}; calls before ${toUtcSecond(keptSinceMs)} are only in the archive.`
      : 'A call that still runs, or that was refused before its price was held, has no record; the log has its line.'
  return refuse('not_found', `callId: there is no ended call ${id}. ${why}`)
}

/** Explains in a sentence for support why a call ended as it did. */
function explainOutcome(outcome: Outcome): string {
  const { reason, upstreamStatus } = outcome
  if (outcome.state === 'settled') return 'The call succeeded and was charged.'
  if (reason === undefined) return 'The call was refunded.'
  const answered = upstreamStatus === undefined ? '' : ` It answered ${upstreamStatus}.`
  return reason === 'upstream_failed' || reason === 'timed_out'
    ? `${REASON_SENTENCES[reason]}${answered} The price was given back.`
    : `${REASON_SENTENCES[reason]} The price was given back.`
}

const REASON_SENTENCES: { readonly [reason in RefundReason]: string } = {
  upstream_failed: 'The upstream failed, or its answer could not be used.',
  timed_out: 'The call was stopped, because the upstream did not answer in time.',
  cancelled: 'The caller cancelled the call or disconnected.',
  void: 'The gateway voided the call, because its answer came too late or never reached the agent.',
  crashed: 'The function that ran the call died; the sweep ended the call.',
  internal: 'The gateway failed; its log has the cause under the call id.',
  invalid_skill: 'The skill cannot run as it is stored.',
  invalid_arguments: 'The arguments did not fit the skill.',
  secret_missing: 'A secret that the skill needs is not set.',
  secret_refused: 'A secret is not bound to where the skill would send it.',
  secret_unreadable: 'A secret could not be opened.',
  input_required: 'The upstream asked the client a question first, which is free.',
  repeat: 'An equal call had been charged shortly before, and the skill forgives the second one.',
  client_capability_missing: 'The client cannot answer the question that the upstream asked.',
}

/** Execute starts a call up to a minute after its id was made, and its clock may be behind. */
const ID_LEAD_MS = 60_000

/**
 * Finds the row of a call whose user is unknown. The call's id says when it was made. Returns any
 * row of the call, since the ledger has what changes between its rows.
 */
async function findCallRow(ports: PageReadNeeds, callId: string): Promise<CallRow | undefined> {
  const madeAtMs = readCallIdTime(callId)
  if (madeAtMs === undefined) return undefined
  const slots = [madeAtMs, madeAtMs + ID_LEAD_MS, madeAtMs - ID_LEAD_MS].map(toSlot)
  for (const slot of new Set(slots)) {
    for await (const { rows } of ports.usagePages.list(slot)) {
      const found = rows.find((row) => row.callId === callId)
      if (found !== undefined) return found
    }
  }
  return undefined
}
