/**
 * Sends one test call for an administrator and reports how it went. It runs like a call, with the
 * same secrets, deadline, checks of targets and limits, but without a hold, an outcome or a record.
 * Secrets that the upstream echoes are masked as in a call. Bound by docs/service.md, Dry runs, and
 * ADR 0054.
 */
import type { DryRunOrder, JudgementReport, SendReport, SentReport } from '../../call/dry-run.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import type { Result } from '../../errors.ts'
import type { KeptResults } from '../../ports/kept-results.ts'
import type { Upstream } from '../../ports/outside.ts'
import { makeExcerpt } from '../../response/excerpt.ts'
import { findFailingCondition, writeCondition } from '../../response/fail-if.ts'
import { readBodyText } from '../../response/read-body.ts'
import { makeAnswerText } from '../../response/to-result.ts'
import type { Settings } from '../../settings.ts'
import { roundPhases } from '../execute/call-origin.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteNeeds } from '../execute/execute-request.ts'
import {
  runWithDeadline,
  toUpstreamPhases,
  type UpstreamRun,
} from '../execute/run-with-deadline.ts'
import { startLoadingSecrets } from '../execute/secrets-of-call.ts'
import type { SendTimes } from '../execute/send-once.ts'
import { draftCall, type ReadyCall, readRunnableSkill } from '../execute/validate-call.ts'
import { toExecuteRequest } from './dry-run.ts'
import { NOBODY } from './report-secrets.ts'

/** Headers of an answer that are shown, and characters of each. */
export const ANSWER_HEADERS_MAX = 100
const HEADER_CHARS_MAX = 1_024
/** These headers carry credentials that the upstream gave to this call alone. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2'])
/**
 * Characters of a result as JSON. A larger result is left out: a Lambda answer has at most 6 MB.
 */
export const RESULT_SHOWN_UNITS_MAX = 1_048_576

/**
 * Returns undefined if the skill and the arguments make no request; the dry run reports the reason.
 * Never throws for a failure of the upstream.
 */
export async function sendTest(
  ports: ExecuteNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  order: DryRunOrder,
): Promise<SentReport | undefined> {
  const { record, uid = NOBODY } = order
  const request = toExecuteRequest(order)
  const skill = readRunnableSkill(settings, record)
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
    secrets: startLoadingSecrets(ports, valid.value.skill, principal),
    startedAtMs,
    deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
  }
  const sends: Send[] = []
  const recorded = { ...ports, upstream: recordSends(ports, sends), keptResults: KEEPING_NOTHING }
  const run = await runWithDeadline(recorded, upstreams, call, request)
  const { skillId } = call.skill
  ports.log.note('info', 'test-call-sent', { callId, skillId, uid, sends: sends.length })
  const durationMs = ports.clock.nowMs() - startedAtMs
  return { durationMs, sends: sends.map(({ report }) => report), ...toReport(run, sends, valid) }
}

/** A test shows the result that an agent would get; its link leads nowhere. */
const KEEPING_NOTHING: KeptResults = { put: async () => {}, read: async () => undefined }

type Send = { report: SendReport; headers: readonly string[] }

/** Adds each send to `sends` as it begins, the sends of hooks among them. */
function recordSends({ clock, upstream }: ExecuteNeeds, sends: Send[]): Upstream {
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
      const phases = roundPhases(toUpstreamPhases(times, clock.nowMs()))
      send.report = { ...send.report, ...ended, ...failed, phases }
      return answer
    },
  }
}

/** A run that was cut has no mask, and so nothing of its answer is shown. */
function toReport(
  { received, result }: UpstreamRun,
  sends: readonly Send[],
  valid: Result<Pick<ReadyCall, 'skill'>>,
): Omit<SentReport, 'durationMs' | 'sends'> {
  const outcome = toOutcome(result)
  if (received === undefined || !valid.ok) return outcome
  const { mask, response } = received
  const { body, mediaType, status } = response
  return {
    answer: {
      status,
      mediaType,
      bytes: body.length,
      headers: pairHeaders(sends.at(-1)?.headers ?? []).map(({ name, value }) => ({
        name,
        value: HIDDEN_HEADERS.has(name) ? '[hidden]' : mask(value).slice(0, HEADER_CHARS_MAX),
      })),
      start: makeExcerpt(response, { args: {}, mask }),
    },
    judgement: toJudgement(valid.value, response),
    ...outcome,
  }
}

/** `flat` has a name at each even index, and its value behind it. */
function pairHeaders(flat: readonly string[]) {
  const pairs = flat.flatMap((name, at) =>
    at % 2 === 0 ? [{ name, value: flat[at + 1] ?? '' }] : [],
  )
  return pairs.slice(0, ANSWER_HEADERS_MAX)
}

/** The rules that made the answer a success or a failure: its status, and each `fail_if`. */
function toJudgement(
  { skill }: Pick<ReadyCall, 'skill'>,
  response: UpstreamResponse,
): JudgementReport {
  const { failIf = [], okStatuses = [] } = skill
  const { status } = response
  const is2xx = status >= 200 && status <= 299
  const isOk = is2xx || okStatuses.includes(status)
  const by = is2xx ? '2xx' : okStatuses.includes(status) ? 'ok_statuses' : 'no rule'
  const text = readBodyText(response, false)
  const answer = makeAnswerText(text.ok ? text.value : '')
  return {
    statusIs: isOk ? 'success' : 'failure',
    by,
    failIf: failIf.map((one) => ({
      condition: writeCondition(one),
      holds: isOk && findFailingCondition(answer, [one]) !== undefined,
    })),
  }
}

/** The answer that a caller would have got: a result, questions or a failure, all masked. */
function toOutcome(
  result: UpstreamRun['result'],
): Pick<SentReport, 'asks' | 'failure' | 'result' | 'resultUnits'> {
  if (result.ok) {
    const { content, structuredContent } = result.value
    const shown = { content, ...(structuredContent === undefined ? {} : { structuredContent }) }
    const units = JSON.stringify(shown).length
    return units > RESULT_SHOWN_UNITS_MAX ? { resultUnits: units } : { result: shown }
  }
  if ('inputRequests' in result.error) return { asks: result.error.inputRequests }
  const { code, detail, upstreamFault } = result.error
  return { failure: { code, detail, ...(upstreamFault === undefined ? {} : { upstreamFault }) } }
}
