/**
 * Reads what an upstream says about a job: the values of the start's answer that its addresses
 * need, and its state. Texts are masked and cut to one line. Bound by docs/skills.md, Jobs.
 */
import { JOB_VALUE_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { readPointer } from '../json/json-pointer.ts'
import { hasRawNumber, isRawNumber } from '../json/raw-number.ts'
import type { JobRule } from '../skills/skill.ts'
import { quoteUpstream, toQuote, writeBadStatus } from './failure-text.ts'
import { readInputRequired } from './input-required.ts'
import { type Mask, maskJson } from './mask.ts'
import { readBodyText } from './read-body.ts'
import { makeAnswerText } from './to-result.ts'

export type JobState =
  | { readonly kind: 'running'; readonly message: string | undefined }
  | { readonly kind: 'done' }
  /** It waits for answers; `requests` are its questions by key. */
  | { readonly kind: 'asks'; readonly requests: JsonObject }
  | { readonly kind: 'failed'; readonly detail: string }

/**
 * Reads an answer to the question for the state. An error is a sentence: the state is not known.
 */
export function readJobStatus(
  response: UpstreamResponse,
  rule: JobRule,
  mask: Mask,
): Result<JobState, string> {
  const { status } = response
  if (status < 200 || status > 299) return err(writeBadStatus(response, mask))
  const json = readJson(response)
  if (json === undefined) return err(`The upstream answered ${status}, and not in JSON.`)
  const state = readState(json, response, rule, mask)
  if (state !== undefined) return ok(state)
  return err(
    `The upstream's answer has nothing at ${rule.status.pointer}, where its state should be.`,
  )
}

/** The state that the answer of the start tells already: running if it tells none. */
export function readStartState(
  json: Json,
  response: UpstreamResponse,
  rule: JobRule,
  mask: Mask,
): JobState {
  const state = readState(json, response, rule, mask)
  // Its questions come with the answer to the first question about it.
  return state === undefined || state.kind === 'asks'
    ? { kind: 'running', message: undefined }
    : state
}

/** Undefined for an answer that is not JSON. */
export function readJson(response: UpstreamResponse): Json | undefined {
  const text = readBodyText(response, false)
  const parsed = text.ok ? makeAnswerText(text.value).parsed() : undefined
  return parsed?.ok === true ? parsed.value : undefined
}

/** Undefined if the answer has nothing where the state should be. */
function readState(
  json: Json,
  response: UpstreamResponse,
  { status }: JobRule,
  mask: Mask,
): JobState | undefined {
  const found = readPointer(json, status.pointer)
  if (found === undefined) return undefined
  if (status.done.some((word) => word === found)) return { kind: 'done' }
  if (status.asks !== undefined && status.asks === found) return readQuestions(json, mask)
  const message = readMessage(json, status, mask)
  if (!status.failed.some((word) => word === found)) return { kind: 'running', message }
  const quote = message ?? quoteUpstream(response, mask)
  const detail = `The service says that the job failed (${JSON.stringify(found)}).${quote === '' ? '' : ` It said: ${quote}`}`
  return { kind: 'failed', detail }
}

/** Questions that no client could be asked end the job. */
function readQuestions(json: Json, mask: Mask): JobState {
  const masked = maskJson(json, mask)
  const read = hasRawNumber(json)
    ? err('has a number that a double cannot hold')
    : readInputRequired(isJsonObject(masked) ? masked : {})
  if (read.ok) return { kind: 'asks', requests: read.value.inputRequests }
  return { kind: 'failed', detail: `The job asks for input, and its answer ${read.error}.` }
}

function readMessage(
  json: Json,
  { message, progress }: JobRule['status'],
  mask: Mask,
): string | undefined {
  const said = message === undefined ? undefined : toShown(readPointer(json, message), mask)
  const done = progress === undefined ? undefined : toShown(readPointer(json, progress), mask)
  if (said === undefined) return done === undefined ? undefined : `Progress: ${done}`
  return done === undefined ? said : `${said} (${done})`
}

function toShown(value: Json | undefined, mask: Mask): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return toQuote(text, mask)
}

/**
 * Returns the values for the addresses. They are stored in the clear, so a value that repeats a
 * secret of the call is refused. An error is a sentence about the first that cannot be used.
 */
export function pickJobValues(
  json: Json,
  { values }: JobRule,
  mask: Mask,
): Result<{ readonly [name: string]: string }, string> {
  const picked: [string, string][] = []
  for (const [name, pointer] of Object.entries(values)) {
    const value = readPointer(json, pointer)
    const text = toValueText(value)
    if (text === undefined || mask(text) !== text) {
      const what = `a text of 1 to ${JOB_VALUE_CHARS_MAX} characters or a number at ${pointer || 'its root'}`
      return err(
        `The answer of the start should have ${what}, which task.job.values of the skill names ${name}.`,
      )
    }
    picked.push([name, text])
  }
  return ok(Object.fromEntries(picked))
}

function toValueText(value: Json | undefined): string | undefined {
  const text = typeof value === 'string' ? value : isNumber(value) ? JSON.stringify(value) : ''
  return text === '' || text.length > JOB_VALUE_CHARS_MAX ? undefined : text
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' || isRawNumber(value)
}
