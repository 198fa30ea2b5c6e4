/**
 * The points of a call at which a twin dies, and the state that must remain. Expected values are
 * written by hand from the order of writes (docs/service.md, Order of a call; docs/design/ledger.md#order-of-writes), not taken
 * from the code.
 * `short` cases run in `npm test`, all of them in `npm run test:long`.
 */
import type { Kill } from './crash-points.ts'
import {
  type ClientNews,
  type Flow,
  killedAsTheUpstreamWorks,
  rest,
  restGone,
  sse,
  sseCancelled,
} from './flows.ts'
import type { SkillId } from './skills.ts'

export type KillCase = {
  readonly name: string
  readonly flow: Flow
  /** Undefined when the flow kills the twin from outside. */
  readonly kill: Kill | undefined
  readonly short: boolean
  /** The answer that the user got before the death; `any` if it is sent beside the write. */
  readonly told: 'nothing' | 'success' | 'any'
  /** Number of requests to the upstream. */
  readonly asked: 0 | 1
  /** Credits on hold when the next twin starts. */
  readonly holds: 0 | 1 | 'any'
  /** Credits charged in the end; `outcome`: 1 if the outcome is `settled`, which is open here. */
  readonly charged: 0 | 1 | 'outcome'
}

type Row = readonly [
  Kill | undefined,
  KillCase['told'],
  0 | 1,
  KillCase['holds'],
  KillCase['charged'],
  'short'?,
]

const BEFORE_THE_HOLD: readonly Row[] = [
  ['before rateCounters.count', 'nothing', 0, 0, 0],
  ['after rateCounters.count', 'nothing', 0, 0, 0],
  ['before ledger.hold', 'nothing', 0, 0, 0],
]

/**
 * Answer, then outcome, then release: the call is charged from the outcome on, and never before.
 */
const REST_SUCCESS: readonly Row[] = [
  ...BEFORE_THE_HOLD,
  ['after ledger.hold', 'nothing', 0, 1, 0, 'short'],
  ['before upstream.send', 'nothing', 0, 1, 0],
  ['after upstream.send', 'nothing', 1, 1, 0],
  ['before ledger.decide', 'success', 1, 1, 0, 'short'],
  ['after ledger.decide', 'success', 1, 1, 1, 'short'],
  ['before ledger.release', 'success', 1, 1, 1],
  ['after ledger.release', 'success', 1, 0, 1, 'short'],
]

/** Outcome and release, then the answer: a failure is refunded before it is reported. */
const REFUND: readonly Row[] = [
  ['before ledger.decide', 'nothing', 1, 1, 0],
  ['after ledger.decide', 'nothing', 1, 1, 0, 'short'],
  ['before ledger.release', 'nothing', 1, 1, 0],
  ['after ledger.release', 'nothing', 1, 0, 0],
]

/** The reply is appended while outcome and release are written, so the user may have it or not. */
const SSE_SUCCESS: readonly Row[] = [
  ['before sessions.accept', 'nothing', 0, 0, 0],
  ['after sessions.accept', 'nothing', 0, 0, 0],
  ...BEFORE_THE_HOLD,
  ['after ledger.hold', 'nothing', 0, 1, 0],
  ['before upstream.send', 'nothing', 0, 1, 0],
  ['after upstream.send', 'nothing', 1, 1, 0],
  ['before ledger.decide', 'any', 1, 1, 0, 'short'],
  ['after ledger.decide', 'any', 1, 1, 1],
  ['before ledger.release', 'any', 1, 1, 1],
  ['after ledger.release', 'any', 1, 0, 1],
  ['before replies.append', 'nothing', 1, 'any', 'outcome'],
  ['after replies.append', 'any', 1, 'any', 'outcome', 'short'],
]

const SSE_FAILURE: readonly Row[] = [
  ...REFUND,
  ['before replies.append', 'nothing', 1, 0, 0],
  ['after replies.append', 'any', 1, 0, 0],
]

/** The empty reply stands first, then the void: outcome and release. */
const CANCELLED: readonly Row[] = [
  ['before replies.append', 'nothing', 1, 1, 0],
  ['after replies.append', 'nothing', 1, 1, 0],
  ['before ledger.decide', 'nothing', 1, 1, 0],
  ['after ledger.decide', 'nothing', 1, 1, 0, 'short'],
  ['before ledger.release', 'nothing', 1, 1, 0],
  ['after ledger.release', 'nothing', 1, 0, 0],
]

const WORKING: readonly Row[] = [[undefined, 'nothing', 1, 1, 0, 'short']]

/** A second death, while the remains of the first are being healed. */
export type HealingCase = {
  readonly name: string
  readonly by: 'sweep' | 'next call'
  /** Undefined when no second death comes, and the healing alone must be enough. */
  readonly kill: Kill | undefined
  readonly nth: number
  /** Credits that the next call cost; the first one is free in every case. */
  readonly charged: 0 | 1
  readonly short: boolean
}

export const HEALING_CASES: readonly HealingCase[] = [
  ...healing('sweep', 1, [
    ['before ledger.decide', 0],
    ['after ledger.decide', 0, 'short'],
    ['before ledger.release', 0],
    ['after ledger.release', 0],
    ['before sweepEntries.writeCursor', 0],
    ['after sweepEntries.writeCursor', 0],
  ]),
  ...healing('next call', 1, [
    [undefined, 1, 'short'],
    ['before ledger.decide', 0],
    ['after ledger.decide', 0],
    ['before ledger.release', 0],
    ['after ledger.release', 0],
  ]),
  // The call's own write, after those of the healing.
  ...healing('next call', 2, [
    ['before ledger.decide', 0],
    ['after ledger.decide', 1],
    ['before ledger.release', 1],
    ['after ledger.release', 1],
  ]),
]

/** A call with an Idempotency-Key, and the answer of its repeats, however many come. */
export type KeyedCase = {
  readonly skill: SkillId | 'sg_nothing'
  readonly kill: Kill
  readonly repeat: ClientNews
  /** Repeats included. */
  readonly asked: 0 | 1
  readonly charged: 0 | 1
  readonly short: boolean
}

const INTERRUPTED = 'failed: conflict'

/** Keep, outcome, release, then the answer: from `keep` on repeats get it. */
export const KEYED_CASES: readonly KeyedCase[] = [
  ...keyed('sg_works', [
    ['before idempotencyRecords.claim', 'success', 1, 1, 'short'],
    ['after idempotencyRecords.claim', INTERRUPTED, 0, 0],
    ['after ledger.hold', INTERRUPTED, 0, 0],
    ['before upstream.send', INTERRUPTED, 0, 0],
    ['after upstream.send', INTERRUPTED, 1, 0],
    ['before idempotencyRecords.keep', INTERRUPTED, 1, 0, 'short'],
    ['after idempotencyRecords.keep', 'success', 1, 0, 'short'],
    ['before ledger.decide', 'success', 1, 0],
    ['after ledger.decide', 'success', 1, 1],
    ['before ledger.release', 'success', 1, 1],
    ['after ledger.release', 'success', 1, 1],
  ]),
  // Outcome, release, keep, then the answer.
  ...keyed('sg_fails', [
    ['before ledger.decide', INTERRUPTED, 1, 0],
    ['after ledger.decide', INTERRUPTED, 1, 0],
    ['after ledger.release', INTERRUPTED, 1, 0],
    ['before idempotencyRecords.keep', INTERRUPTED, 1, 0],
    ['after idempotencyRecords.keep', 'failed: upstream_failed', 1, 0],
  ]),
  // Refused before it began: the key is free again.
  ...keyed('sg_nothing', [
    ['before idempotencyRecords.drop', INTERRUPTED, 0, 0],
    ['after idempotencyRecords.drop', 'failed: unknown_skill', 0, 0],
  ]),
]

export const KILL_CASES: readonly KillCase[] = [
  ...cases('REST success', rest('sg_works'), REST_SUCCESS),
  ...cases('REST, upstream fails', rest('sg_fails'), [
    ['after upstream.send', 'nothing', 1, 1, 0],
    ...REFUND,
  ]),
  ...cases('REST, upstream too slow', rest('sg_hangs'), REFUND),
  ...cases('REST, client gone', restGone, REFUND),
  ...cases('REST, upstream works', killedAsTheUpstreamWorks(rest), WORKING),
  ...cases('SSE success', sse('sg_works'), SSE_SUCCESS),
  ...cases('SSE, upstream fails', sse('sg_fails'), SSE_FAILURE),
  ...cases('SSE, upstream too slow', sse('sg_hangs'), SSE_FAILURE),
  ...cases('SSE, cancelled', sseCancelled, CANCELLED),
  ...cases('SSE, upstream works', killedAsTheUpstreamWorks(sse), WORKING),
]

function cases(of: string, flow: Flow, rows: readonly Row[]): readonly KillCase[] {
  return rows.map(([kill, answer, asked, holds, charged, short]) => ({
    name: `${of}: ${kill ?? 'killed from outside'}`,
    flow,
    kill,
    told: answer,
    asked,
    holds,
    charged,
    short: short !== undefined,
  }))
}

function healing(
  by: HealingCase['by'],
  nth: number,
  rows: readonly (readonly [Kill | undefined, 0 | 1, 'short'?])[],
): readonly HealingCase[] {
  return rows.map(([kill, charged, short]) => ({
    name: `by ${by}: ${kill === undefined ? 'nobody dies' : `${kill}, time ${nth}`}`,
    by,
    kill,
    nth,
    charged,
    short: short !== undefined,
  }))
}

function keyed(
  skill: KeyedCase['skill'],
  rows: readonly (readonly [Kill, ClientNews, 0 | 1, 0 | 1, 'short'?])[],
): readonly KeyedCase[] {
  return rows.map(([kill, repeat, asked, charged, short]) => ({
    skill,
    kill,
    repeat,
    asked,
    charged,
    short: short !== undefined,
  }))
}
