/**
 * POST /v1/execute: the only flow that spends credits or calls an upstream.
 * Order, bound by design section 4: authenticate → count the minute ∥ read the candidates (∥ sweep
 * mark) → validate → hold → run → answer → settle. Two store round trips in a row before the
 * upstream with a warm key cache, three cold; none between a successful answer and ours: the caller
 * of this flow sends `answer` first and runs `after` behind it.
 *
 *   success    answer ─▶ outcome settled ─▶ release          (dies in between: the call was free)
 *   failure    outcome refunded ─▶ release ─▶ answer         (what it says of credits is true)
 */

import { judgeCount, minuteOf, rateLimitHeaders } from '../access/minute.ts'
import type { Principal } from '../access/principal.ts'
import { CALL_TIMEOUT_MS } from '../call/limits.ts'
import { ok, type Refusal, type Result, refuse } from '../errors.ts'
import type { Profile } from '../ledger/ledger.ts'
import { type Settings, tierLimits } from '../settings.ts'
import type { Candidates } from '../skills/skill.ts'
import { cutUsername, enforcePrefix } from '../skills/tool-name.ts'
import { authenticate } from './authenticate.ts'
import type { Executed, ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { problemAnswer } from './execute-request.ts'
import { holdCredits } from './hold-credits.ts'
import { prepare, type ReadyCall } from './prepare-call.ts'
import { runCall } from './run-call.ts'
import { healHolds } from './settle-call.ts'
import type { SweepMemory } from './sweep-memory.ts'

/** Refusals and failures are answers (`problem`); throws `Fault` only for store trouble before the hold. */
export async function executeSkill(
  ports: ExecuteNeeds,
  settings: Settings,
  marks: SweepMemory,
  request: ExecuteRequest,
): Promise<Executed> {
  const startedAtMs = ports.clock.nowMs()
  const callId = request.terms?.callId ?? ports.ids.token(16)
  const who = await authenticate(ports, request.authorization)
  if (who.kind !== 'principal') {
    return { ...problemAnswer(callId, who.kind === 'refused' ? who.refusal : NO_KEY), headers: {} }
  }
  const { principal } = who
  const read = await readAll(ports, settings, marks, principal, request.body.skill)
  const counted = judgeProfile(ports, settings, read)
  const headers = counted.headers
  const refused = (refusal: Refusal): Executed => {
    logRefused(ports, principal, request, callId, startedAtMs, refusal)
    return { ...problemAnswer(callId, refusal), headers }
  }
  if (!counted.profile.ok) return refused(counted.profile.error)
  const prepared = prepare(ports, settings, read.candidates, request)
  if (!prepared.ok) return refused(prepared.error)
  const ready: ReadyCall = {
    ...prepared.value,
    callId,
    principal,
    profile: counted.profile.value,
    startedAtMs,
    deadlineMs: request.terms?.deadlineMs ?? startedAtMs + CALL_TIMEOUT_MS,
  }
  await healHolds(ports, ready.profile)
  const held = await holdCredits(ports, settings, ready)
  if (!held.ok) return refused(held.error)
  return { ...(await runCall(ports, ready, held.value, request)), headers }
}

const NO_KEY: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: is missing. Send Authorization: Bearer <API key>.',
}

type ReadAll = { count: number; profile: Profile | undefined; candidates: Candidates }

/** One round trip: the minute's count, the records that the name may mean, the sweep mark. */
async function readAll(
  ports: ExecuteNeeds,
  settings: Settings,
  marks: SweepMemory,
  principal: Principal,
  name: string,
): Promise<ReadAll> {
  const minute = minuteOf(ports.clock.nowMs())
  const [count, records] = await Promise.all([
    ports.minutes.count({ keyHash: principal.keyHash, minute }),
    ports.callRecords.read({
      uid: principal.uid,
      name,
      skillId: enforcePrefix(settings.prefix, name),
      cut: cutUsername(principal.username, name),
    }),
    marks.ensure(ports, { uid: principal.uid, minute }),
  ])
  return { count, ...records }
}

/** The count is judged even where there is no profile, so that headers are on every answer. */
function judgeProfile(ports: ExecuteNeeds, settings: Settings, read: ReadAll) {
  const limit = tierLimits(settings, read.profile?.tier ?? 'free').callsPerMinute
  const judged = judgeCount({ count: read.count, limit, nowMs: ports.clock.nowMs() })
  const headers = rateLimitHeaders(judged)
  return { headers, profile: profileOrRefusal(read.profile, judged) }
}

function profileOrRefusal(
  profile: Profile | undefined,
  judged: ReturnType<typeof judgeCount>,
): Result<Profile> {
  if (!judged.allowed) {
    return refuse(
      'rate_limited',
      `This key may make ${judged.limit} calls a minute. Wait ${judged.retryAfterSec} s, then send it again.`,
      { retryAfterSec: judged.retryAfterSec },
    )
  }
  if (profile === undefined) {
    return refuse(
      'unauthenticated',
      'Authorization: this key belongs to no user any more. Ask your administrator.',
    )
  }
  return ok(profile)
}

function logRefused(
  ports: ExecuteNeeds,
  principal: Principal,
  request: ExecuteRequest,
  callId: string,
  startedAtMs: number,
  refusal: Refusal,
): void {
  ports.log.call({
    callId,
    uid: principal.uid,
    username: principal.username,
    skillId: request.body.skill.slice(0, 64),
    source: 'official',
    outcome: 'refused',
    code: refusal.code,
    upstreamStatus: undefined,
    durationMs: ports.clock.nowMs() - startedAtMs,
    charged: 0,
    refunded: 0,
    remaining: 0,
  })
}
