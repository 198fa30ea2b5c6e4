/**
 * Looks after a job of an upstream while nobody works on it: whoever polls its task, cancels it, or
 * sweeps its hold comes here. The head of the task decides how it ended, and the ledger follows it,
 * so no job is both cancelled and charged. Bound by ADR 0110.
 *
 *   ask    claim the interval ✔ ─▶ state? ─▶ running: note it      30 polls at once: one claim, one request
 *   done   end `completed` if `working` ✔ ─▶ settled ─▶ close      cancelled first ✘ ─▶ nothing: the void refunds
 *   failed, given up, late, revoked   end `completed`, isError ✔ ─▶ refunded ─▶ close ─▶ stop
 *   end    (by the sweep, past the deadline) the same, whoever asked before: the head has one end
 * Dies between head and outcome: the result can be read, and the sweep refunds the hold.
 */
import { JOB_ERRORS_MAX } from '../../call/limits.ts'
import { toProblem } from '../../call/problem.ts'
import { err, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { findRevision, LATEST_MODERN } from '../../mcp/revisions.ts'
import type { JobAnswers, JobErrand, JobNews, StoredJob } from '../../ports/jobs.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { ASKS, type JobAsker, type JobLook } from '../execute/ask-job.ts'
import { toCallCredits } from '../execute/call-summary.ts'
import type { CallFailure } from '../execute/check-result.ts'
import type { ExecuteCaches } from '../execute/execute-caches.ts'
import type { ExecuteNeeds } from '../execute/execute-request.ts'
import { answerUpstream, stopUpstream, visitJob } from '../execute/reach-job.ts'
import { startLoadingSecrets } from '../execute/secrets-of-call.ts'
import { readRunnableSkill } from '../execute/validate-call.ts'
import { writeTaskEnd } from '../streamable-http/task-worker.ts'
import { TASK_PURPOSE } from '../tools/end-dead-task.ts'
import { type ToolOutcome, toRefusedOutcome, toResultOutcome } from '../tools/tool-outcome.ts'
import { endHeldCall } from './end-held-call.ts'

export type LookAfterNeeds = ExecuteNeeds & Pick<Ports, 'skillVersions' | 'tasks'>

export type JobHost = {
  readonly ports: LookAfterNeeds
  readonly settings: Settings
  readonly caches: Pick<ExecuteCaches, 'upstreams'>
}

const NONE: JobNews = { kind: 'none' }
const ENDED: JobNews = { kind: 'ended' }

/** Throws `Fault` if the store fails; the next visit goes on from there. */
export async function lookAfterJob(host: JobHost, errand: JobErrand): Promise<JobNews> {
  const { ports } = host
  const { callId, does, uid } = errand
  const job = await ports.jobs.read(callId)
  if (job === undefined || job.uid !== uid) return NONE
  if (does === 'stop') return stopJob(host, job)
  if (job.resultKey === undefined) return does === 'ask' ? ENDED : NONE
  const nowMs = ports.clock.nowMs()
  if (does === 'end') return nowMs < job.deadlineMs ? toRunning(job) : endLate(host, job)
  if (nowMs < job.nextAtMs) return toRunning(job)
  const claimed = await ports.jobs.claim({ callId, nowMs, nextAtMs: nowMs + job.pollMs })
  return claimed === undefined ? toRunning(job) : visit(host, claimed)
}

function toRunning({ asked, message }: Pick<StoredJob, 'asked' | 'message'>): JobNews {
  return { kind: 'running', asked, message }
}

/**
 * Hands on the answers to open questions; those to others are ignored. A question whose answer did
 * not reach the upstream stays open, so that the client answers it again.
 *
 *   update 1: a ── update 2: a ── both are sent     the upstream ignores the answer to a closed question
 *   answer sent ── a poll that began before notes the question again ── the next poll takes it away
 *   cancelled or ended meanwhile: the upstream refuses or ignores the answer; the head has its end
 *
 * Throws `Fault` if the store fails.
 */
export async function answerJob(
  host: JobHost,
  { callId, responses, uid }: JobAnswers,
): Promise<void> {
  const { ports } = host
  const job = await ports.jobs.read(callId)
  if (job?.resultKey === undefined || job.uid !== uid) return
  const { asked = {}, errors, message } = job
  const given = Object.entries(responses).filter(([key]) => Object.hasOwn(asked, key))
  const isTaken = given.length > 0 && (await sendAnswers(host, job, Object.fromEntries(given)))
  if (!isTaken) return
  const left = Object.entries(asked).filter(([key]) => !Object.hasOwn(responses, key))
  const rest = left.length === 0 ? undefined : Object.fromEntries(left)
  await ports.jobs.note({ callId, errors, message, asked: rest })
}

async function sendAnswers(host: JobHost, job: StoredJob, responses: JsonObject): Promise<boolean> {
  const { caches, ports } = host
  const isLate = ports.clock.nowMs() >= job.deadlineMs
  if (isLate || !(await mayGoOn(ports, job))) return false
  const call = await callOf(host, job)
  if (call === undefined) return false
  return answerUpstream(ports, caches.upstreams, call, { values: job.values, responses })
}

/** The head may have ended while its process died before it closed the job. */
async function endLate(host: JobHost, job: StoredJob): Promise<JobNews> {
  const task = await host.ports.tasks.read(job.taskHash)
  return task?.status === 'working' ? visit(host, job) : NONE
}

async function visit(host: JobHost, job: StoredJob): Promise<JobNews> {
  const { ports } = host
  const isLate = ports.clock.nowMs() >= job.deadlineMs
  if (!(await mayGoOn(ports, job))) return isLate ? endJob(host, job, err(GONE)) : toRunning(job)
  const call = await callOf(host, job)
  if (call === undefined) return endJob(host, job, err(NO_SKILL))
  const look = await visitJob(ports, host.caches.upstreams, call, job.values)
  if (look.kind === 'ended') return endJob(host, job, look.result)
  const given = giveUp(job, look, isLate)
  if (given === undefined) return noteLook(ports, job, look)
  const news = await endJob(host, job, err(given))
  await stopUpstream(ports, host.caches.upstreams, call, job.values)
  return news
}

/** The failure of a job that is asked about no more; undefined while it goes on. */
function giveUp(
  { deadlineMs, errors, revision, startedAtMs }: StoredJob,
  look: Exclude<JobLook, { readonly kind: 'cut' | 'ended' }>,
  isLate: boolean,
): CallFailure | undefined {
  const wasUnclear = look.kind === 'unclear'
  if (look.kind === 'asks' && !takesQuestions(revision)) return ASKS
  if (isLate) {
    const time = `${Math.round((deadlineMs - startedAtMs) / 1_000)} s`
    const last = wasUnclear ? ` The last question about it: ${look.failure.detail}` : ''
    return { code: 'timed_out', detail: `The job was not done within ${time}.${last}` }
  }
  return wasUnclear && errors + 1 >= JOB_ERRORS_MAX ? look.failure : undefined
}

async function noteLook(
  ports: LookAfterNeeds,
  job: StoredJob,
  look: Exclude<JobLook, { readonly kind: 'cut' | 'ended' }>,
): Promise<JobNews> {
  const errors = look.kind === 'unclear' ? job.errors + 1 : 0
  const { asked, message } = look.kind === 'unclear' ? job : toNoted(look)
  const isNews = JSON.stringify(asked) !== JSON.stringify(job.asked)
  if (errors !== job.errors || message !== job.message || isNews) {
    await ports.jobs.note({ callId: job.callId, errors, message, asked })
  }
  return toRunning({ message, asked })
}

function toNoted(
  look: Extract<JobLook, { readonly kind: 'asks' | 'running' }>,
): Pick<StoredJob, 'asked' | 'message'> {
  return look.kind === 'asks'
    ? { message: undefined, asked: look.requests }
    : { message: look.message, asked: undefined }
}

/** Clients of the other revisions have tasks in words, and cannot answer. */
function takesQuestions(revision: string): boolean {
  return findRevision(revision)?.results.task !== undefined
}

const GONE: CallFailure = {
  code: 'cancelled',
  detail:
    'The key that began the job was revoked, or its user disabled, so its result was not fetched.',
}
const NO_SKILL: CallFailure = {
  code: 'invalid_skill',
  detail: 'The version of the skill that began the job is no longer stored, or cannot run.',
}

/** No secret is read for a user who could not call now. */
async function mayGoOn(
  { clock, keys, profiles }: LookAfterNeeds,
  { keyHash, uid }: StoredJob,
): Promise<boolean> {
  const key = await keys.find(keyHash)
  if (key === undefined || key.uid !== uid || key.expiresAtMs <= clock.nowMs()) return false
  const profile = await profiles.read(uid)
  return profile !== undefined && profile.disabled === undefined
}

/** The call that began the job, by the version of its skill, with its secrets of today. */
async function callOf(
  { ports, settings }: JobHost,
  job: StoredJob,
): Promise<JobAsker['call'] | undefined> {
  const { callId, keyHash, skillId, skillUid, source, startedAtMs, uid, username, version } = job
  const record = await ports.skillVersions.get({ source, skillId, uid: skillUid, version })
  const read = record && readRunnableSkill(settings, record)
  if (record === undefined || read?.ok !== true || read.value.task?.job === undefined)
    return undefined
  const skill = read.value
  if (skill.hooks.length > 0) await ports.hooks.open?.()
  if (skill.outputSchema !== undefined) await ports.schemas.open(skill.outputSchema)
  const principal = { uid, keyHash, username, sealingKey: '' }
  const secrets = startLoadingSecrets(ports, skill, principal)
  const draft = { url: skill.endpoint, complete: () => err({ secret: '', detail: 'a job' }) }
  const times = { startedAtMs, deadlineMs: job.deadlineMs }
  const { prefix } = settings
  return { callId, principal, record, skill, prefix, draft, args: {}, secrets, ...times }
}

async function stopJob(host: JobHost, job: StoredJob): Promise<JobNews> {
  if (job.resultKey === undefined) return NONE
  const { ports } = host
  await ports.jobs.close(job.callId)
  if (!(await mayGoOn(ports, job))) return ENDED
  const call = await callOf(host, job)
  if (call !== undefined) await stopUpstream(ports, host.caches.upstreams, call, job.values)
  return ENDED
}

/** Ends the task once, and then its hold as the task ended. */
async function endJob(
  { ports, settings }: JobHost,
  job: StoredJob,
  result: Result<ToolResult, CallFailure>,
): Promise<JobNews> {
  const { callId, resultKey, taskHash, uid, worker } = job
  if (resultKey === undefined) return ENDED
  const profile = await ports.profiles.read(uid)
  const outcome = toOutcome(settings, job, { profile, result })
  const revision = findRevision(job.revision) ?? LATEST_MODERN
  const { end, isTooLong, status } = writeTaskEnd(settings, revision, { callId, outcome })
  const sealed = ports.seals.seal(resultKey, TASK_PURPOSE, JSON.stringify(end))
  const nowMs = ports.clock.nowMs()
  const ended = { hash: taskHash, status, nowMs, by: { worker }, sealed }
  if ((await ports.tasks.end(ended)) !== 'own') return ENDED
  const failure = result.ok ? (isTooLong ? 'upstream_failed' : undefined) : result.error.code
  await endHeldCall(ports, { ...job, profile, failure })
  await ports.jobs.close(callId)
  return ENDED
}

function toOutcome(
  settings: Settings,
  { callId, toolName }: StoredJob,
  of: { readonly profile: Profile | undefined; readonly result: Result<ToolResult, CallFailure> },
): ToolOutcome {
  const { profile, result } = of
  const price = profile?.holds[callId]?.amount ?? 0
  const free = profile?.credits ?? 0
  if (result.ok) {
    const { content, isError, structuredContent } = result.value
    const more = structuredContent === undefined ? {} : { structuredContent }
    const credits = toCallCredits(price, 0, free)
    return toResultOutcome({ content, isError, ...more, call: { callId }, credits })
  }
  const { excerpt: _kept, requiredCapabilities: _none, ...refusal } = result.error
  const credits = toCallCredits(price, price, free + price)
  const body = toProblem(refusal, { callId, credits })
  return toRefusedOutcome({ callId, name: toolName }, { body }, settings)
}
