/** Many calls of one user at once, over several workers, with retries for those that must wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { stringOf } from '../e2e/fields.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { IS_LONG } from '../kill/form.ts'
import type { SkillId } from '../kill/skills.ts'

export type CallAnswer = {
  readonly text: string
  /** 0 when the connection broke. */
  readonly status: number
  /** `ok`, the problem's code, or `lost`. */
  readonly code: string
  readonly callId: string | undefined
  readonly retryAfter: string | undefined
  readonly body: string
}

export type Crowd = {
  readonly key: string
  readonly skill: SkillId
  /** URLs of the workers, in turn. */
  readonly workers: readonly string[]
}

/** Six times the limit of calls in flight; .ci/run makes 500. */
const CALLS = Number(process.env['CROWD_CALLS'] ?? 200)

/** The short form has two processes, the long one four and 1,000 calls as well. */
export const CROWDS = IS_LONG
  ? [
      { processes: 2, calls: 500 },
      { processes: 4, calls: 500 },
      { processes: 2, calls: 1_000 },
      { processes: 4, calls: 1_000 },
    ]
  : [{ processes: 2, calls: CALLS }]

/** Sends all calls before any is answered. `onAnswer` is told how many answers there are. */
export function callAllAtOnce(
  crowd: Crowd,
  texts: readonly string[],
  onAnswer: (answers: number) => void = () => {},
): Promise<readonly CallAnswer[]> {
  let answers = 0
  const one = async (text: string, turn: number) => {
    const heard = await call(crowd, turn, text)
    answers += 1
    onAnswer(answers)
    return heard
  }
  return Promise.all(texts.map(one))
}

/** Retries in flight at once: more than the limit of calls in flight, so that it always applies. */
const AGAIN_AT_ONCE = 40
/** Pause between two tries of a call, shorter than `Retry-After` asks, to keep the tests short. */
const AGAIN_MS = 25
/** A call gives up after so many refusals: a limit that lets nobody in must not loop for ever. */
const AGAIN_MAX = 4_000

/** Retries each call until it is no longer told to wait; returns the last answer of each. */
export async function callUntilLetIn(
  crowd: Crowd,
  texts: readonly string[],
): Promise<readonly CallAnswer[]> {
  const left = [...texts]
  const done: CallAnswer[] = []
  let turn = 0
  const one = async () => {
    for (let text = left.pop(); text !== undefined; text = left.pop()) {
      done.push(await untilLetIn(crowd, text, () => turn++))
    }
  }
  await Promise.all(Array.from({ length: AGAIN_AT_ONCE }, one))
  return done
}

/** 429 for calls in flight, or 503: the two answers that ask for a retry. */
export function isPutOff({ code }: CallAnswer): boolean {
  return code === 'too_many_holds' || code === 'store_unavailable'
}

async function untilLetIn(crowd: Crowd, text: string, turn: () => number): Promise<CallAnswer> {
  for (let again = 1; again <= AGAIN_MAX; again += 1) {
    const reply = await call(crowd, turn(), text)
    if (!isPutOff(reply)) return reply
    await sleep(AGAIN_MS)
  }
  throw new Error(`${text}: refused ${AGAIN_MAX} times`)
}

export async function call(
  { key, skill, workers }: Crowd,
  turn: number,
  text: string,
  more: { readonly [name: string]: string } = {},
): Promise<CallAnswer> {
  const url = workers[turn % workers.length] ?? ''
  const body = { skill, arguments: { text } }
  const lost = { text, status: 0, code: 'lost', callId: undefined, retryAfter: undefined, body: '' }
  const answer = await postJson(url, body, { ...bearer(key), ...more }).catch(() => undefined)
  if (answer === undefined) return lost
  const fields = answer.json()
  return {
    text,
    status: answer.status,
    code: answer.status === 200 ? 'ok' : stringOf(fields, 'code'),
    callId: typeof fields['callId'] === 'string' ? fields['callId'] : undefined,
    retryAfter: answer.headers['retry-after'],
    body: answer.text,
  }
}

/** Number of answers by code. */
export function tally(replies: readonly CallAnswer[]): { readonly [code: string]: number } {
  const counts: { [code: string]: number } = {}
  for (const { code } of replies) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

export function textsOf(calls: number, of: string): readonly string[] {
  return Array.from({ length: calls }, (_, i) => `${of} ${i}`)
}

export function textsWhere(
  replies: readonly CallAnswer[],
  fits: (replies: CallAnswer) => boolean,
): readonly string[] {
  return replies.filter(fits).map(({ text }) => text)
}
