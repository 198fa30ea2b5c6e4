/**
 * POST sync_skill with one skill or several: several are synced one after the other, each as if it
 * came alone, and each has a result. One that is refused does not keep the others out. A request that
 * runs out of time leaves the rest untried and says so. Bound by docs/service.md, Skill sync.
 */

import type { Problem } from '../../call/execute.ts'
import { problemOf } from '../../call/problem.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { readSentSkills } from './sent-skills.ts'
import { type SyncNeeds, type SyncOutcome, type SyncRequest, syncSkill } from './sync-skill.ts'

/** Several skills begin no further one after this time: API Gateway waits for 29 s. */
export const SYNC_MS_MAX = 20_000

/** In the order of the skills. */
export type SyncResult =
  | { readonly status: 200 | 201; readonly synced: SyncOutcome }
  | { readonly status: number; readonly problem: Problem }

export type SyncedSkills =
  | { readonly kind: 'one'; readonly outcome: SyncOutcome }
  | { readonly kind: 'many'; readonly results: readonly SyncResult[] }

export async function syncSkills(
  ports: SyncNeeds,
  settings: Settings,
  request: SyncRequest,
): Promise<Result<SyncedSkills>> {
  const sent = readSentSkills(request)
  if (!sent.ok) return sent
  if (sent.value.kind === 'one') {
    const outcome = await syncSkill(ports, settings, sent.value.request)
    return outcome.ok ? ok({ kind: 'one', outcome: outcome.value }) : outcome
  }
  const untilMs = ports.clock.nowMs() + SYNC_MS_MAX
  const results: SyncResult[] = []
  for (const one of sent.value.requests) {
    // Other requests get a turn between two: a schema's patterns may take 100 ms, and a store in memory never waits.
    await ports.clock.sleep(0)
    const isLate = ports.clock.nowMs() >= untilMs
    results.push(isLate ? refused(UNTRIED) : await syncOne(ports, settings, one))
  }
  return ok({ kind: 'many', results })
}

async function syncOne(
  ports: SyncNeeds,
  settings: Settings,
  request: Result<SyncRequest>,
): Promise<SyncResult> {
  if (!request.ok) return refused(request.error)
  const outcome = await syncSkill(ports, settings, request.value)
  if (!outcome.ok) return refused(outcome.error)
  return { status: outcome.value.created ? 201 : 200, synced: outcome.value }
}

const UNTRIED: Refusal = {
  code: 'timed_out',
  detail:
    'The skills before this one took all the time of the request. Send it again, with ?list=later to be quicker.',
}

function refused(refusal: Refusal): SyncResult {
  const problem = problemOf(refusal)
  return { status: problem.status, problem }
}
