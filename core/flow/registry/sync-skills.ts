/**
 * POST sync_skill with one skill or several. Several skills are synced one after the other, each
 * with a result of its own; a refused skill does not stop the others. If the time of the request
 * runs out, the remaining results say that their skills were not tried. Bound by docs/service.md,
 * Skill sync.
 */

import type { Problem } from '../../call/execute.ts'
import { toProblem } from '../../call/problem.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import { addRemedy } from '../../remedies/admin-problem.ts'
import type { Settings } from '../../settings.ts'
import { readSentSkills } from './sent-skills.ts'
import { type SkillView, toSkillView } from './skill-view.ts'
import { type SyncNeeds, type SyncOutcome, type SyncRequest, syncSkill } from './sync-skill.ts'
import { validateSkill } from './validate-skill.ts'

/** No further skill is synced after this time: API Gateway waits for 29 s. */
export const SYNC_MS_MAX = 20_000

/** Results are in the order of the skills. */
export type SyncResult =
  | { readonly status: 200 | 201; readonly synced: SyncOutcome }
  | { readonly status: number; readonly problem: Problem }

export type SyncedSkills =
  | { readonly kind: 'one'; readonly outcome: SyncOutcome }
  | { readonly kind: 'many'; readonly results: readonly SyncResult[] }

/** Refuses a body that cannot be read. Throws `Fault` if the store fails. */
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
    // Lets other requests run in between: a schema's patterns may take 100 ms, and a store in
    // memory never waits.
    await ports.clock.sleep(0)
    const isLate = ports.clock.nowMs() >= untilMs
    results.push(isLate ? toRefusedResult(UNTRIED) : await syncOne(ports, settings, one))
  }
  return ok({ kind: 'many', results })
}

async function syncOne(
  ports: SyncNeeds,
  settings: Settings,
  request: Result<SyncRequest>,
): Promise<SyncResult> {
  if (!request.ok) return toRefusedResult(request.error)
  const outcome = await syncSkill(ports, settings, request.value)
  if (!outcome.ok) return toRefusedResult(outcome.error)
  return { status: outcome.value.created ? 201 : 200, synced: outcome.value }
}

const UNTRIED: Refusal = {
  code: 'timed_out',
  detail:
    'The skills before this one took all the time of the request. Send it again, with ?list=later to be quicker.',
}

function toRefusedResult(refusal: Refusal): SyncResult {
  const problem = addRemedy(toProblem(refusal), refusal)
  return { status: problem.status, problem }
}

/**
 * Returns the stored skill that the sent one would replace; undefined for a new skill, a body that
 * cannot be read and several skills. Refuses a skill that is not valid.
 */
export async function showSentSkill(
  ports: SyncNeeds,
  settings: Settings,
  request: SyncRequest,
): Promise<Result<SkillView | undefined>> {
  const sent = readSentSkills(request)
  if (!sent.ok || sent.value.kind === 'many') return ok(undefined)
  const read = await validateSkill(ports, settings, sent.value.request)
  if (!read.ok) return read
  const { skillId, source } = read.value.skill
  const { uid } = sent.value.request
  const owner = source === 'private' && uid !== undefined ? { uid } : {}
  const record = await ports.skills.get({ source, skillId, ...owner })
  return ok(record === undefined ? undefined : toSkillView(record))
}
