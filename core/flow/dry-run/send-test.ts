/**
 * Sends one test call for an administrator and tells how it went: the run of a call, with its secrets, its time, its
 * guard and its limits, but without a hold, an outcome or a record. What the upstream echoes is masked as in a
 * call. Bound by docs/service.md, Dry runs, and ADR 0054.
 */
import type { DryRunOrder, SendReport, SentReport } from '../../call/dry-run.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { Result } from '../../errors.ts'
import type { Upstream } from '../../ports/outside.ts'
import { excerptOf } from '../../response/excerpt.ts'
import type { Settings } from '../../settings.ts'
import { roundedPhases } from '../execute/call-origin.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteNeeds } from '../execute/execute-request.ts'
import { runWithDeadline, type UpstreamRun, upstreamPhases } from '../execute/run-with-deadline.ts'
import { secretsFor } from '../execute/secrets-of-call.ts'
import type { SendTimes } from '../execute/send-once.ts'
import { draftCall, runnableSkill } from '../execute/validate-call.ts'
import { requestOf } from './dry-run.ts'
import { judgementOf } from './judgement-report.ts'
import { NOBODY } from './report-secrets.ts'
import { outcomeIn } from './sent-outcome.ts'

/** Undefined where the arguments make no request. Never throws for a failure of the upstream. */
export async function sendTest(
  ports: ExecuteNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  order: DryRunOrder,
): Promise<SentReport | undefined> {
  const { record, uid = NOBODY } = order
  const request = requestOf(order)
  const skill = runnableSkill(settings, record)
  const valid = skill.ok
    ? await draftCall(ports, settings, { record, skill: skill.value }, request)
    : skill
  if (!valid.ok) return undefined
  const startedAtMs = ports.clock.nowMs()
  const principal = { uid, keyHash: '', sealingKey: '', username: '' }
  const callId = `test-${ports.ids.token(16)}`
  const call = {
    ...valid.value,
    callId,
    principal,
    secrets: secretsFor(ports, valid.value.skill, principal),
    startedAtMs,
    deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
  }
  const sends: Send[] = []
  const watched = { ...ports, upstream: watchedUpstream(ports, sends) }
  const run = await runWithDeadline(watched, upstreams, call, request)
  const { skillId } = call.skill
  ports.log.note('info', 'test-call-sent', { callId, skillId, uid, sends: sends.length })
  const durationMs = ports.clock.nowMs() - startedAtMs
  return { durationMs, sends: sends.map(({ report }) => report), ...answerOf(run, sends, valid) }
}

/** One send, in the order in which they began; those of hooks are among them. */
type Send = { report: SendReport; headers: readonly string[] }

function watchedUpstream({ clock, upstream }: ExecuteNeeds, sends: Send[]): Upstream {
  return {
    send: async (request, limits) => {
      const { host } = new URL(request.url)
      const times: SendTimes = { host, fromMs: clock.nowMs() }
      const send: Send = { report: { method: request.method, host, phases: {} }, headers: [] }
      sends.push(send)
      const answer = await upstream.send(request, {
        ...limits,
        onStep: (step) => {
          if (step === 'connected') times.connectedAtMs = clock.nowMs()
          else times.firstByteAtMs = clock.nowMs()
          limits.onStep?.(step)
        },
        onHeaders: (headers) => {
          send.headers = headers
        },
      })
      const ended = answer.kind === 'answered' ? { status: answer.response.status } : {}
      const failed = answer.kind === 'answered' ? {} : { failure: answer.kind }
      const phases = roundedPhases(upstreamPhases(times, clock.nowMs()))
      send.report = { ...send.report, ...ended, ...failed, phases }
      return answer
    },
  }
}

/** Without a mask nothing of the answer is shown: a run that was cut has none. */
function answerOf(
  { judged, result }: UpstreamRun,
  sends: readonly Send[],
  valid: Result<Parameters<typeof judgementOf>[0]>,
): Omit<SentReport, 'durationMs' | 'sends'> {
  const outcome = outcomeIn(result)
  if (judged === undefined || !valid.ok) return outcome
  const { mask, response } = judged
  const { body, mediaType, status } = response
  return {
    answer: {
      status,
      mediaType,
      bytes: body.length,
      headers: headersIn(sends.at(-1)?.headers ?? []).map(({ name, value }) => ({
        name,
        value: HIDDEN.has(name) ? '[hidden]' : mask(value).slice(0, HEADER_CHARS_MAX),
      })),
      start: excerptOf(response, { args: {}, mask }),
    },
    judgement: judgementOf(valid.value, response),
    ...outcome,
  }
}

/** Credentials that the upstream gave to this call alone. */
const HIDDEN: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2'])
/** Headers shown of one answer, and characters of each. */
export const ANSWER_HEADERS_MAX = 100
const HEADER_CHARS_MAX = 1_024

function headersIn(turns: readonly string[]) {
  const pairs = turns.flatMap((name, at) =>
    at % 2 === 0 ? [{ name, value: turns[at + 1] ?? '' }] : [],
  )
  return pairs.slice(0, ANSWER_HEADERS_MAX)
}
