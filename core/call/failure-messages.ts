/**
 * What a model reads when a call did not work: what happened, what became of the credits, what to do
 * now. One table over the closed vocabulary, so that every failure has a text.
 */
import type { ErrorCode, FieldFault } from '../errors.ts'

/** `undefined` says that a fact is not known: the text is right without it. */
export type FailureFacts = {
  readonly code: ErrorCode
  /** What the refusal says of itself; it is quoted as it stands. */
  readonly detail?: string | undefined
  readonly faults?: readonly FieldFault[] | undefined
  /** When the guard cut the call. */
  readonly afterMs?: number | undefined
  /** Whether the call is free for certain. */
  readonly free?: boolean | undefined
  readonly retryAfterSec?: number | undefined
}

/** Faults in one text: a model mends these and asks again. */
const FAULTS_SHOWN_MAX = 10

export function failureMessage(facts: FailureFacts): string {
  const said = ADVICE[facts.code](facts)
  // Some details say it in their own words: twice, in other words, reads like two facts.
  const isTold = said[0]?.includes(TOLD_FREE) === true
  const texts = isTold ? said.filter((text) => text !== UNCHARGED && text !== REFUNDED) : said
  return texts.join(' ') + faultLines(facts.faults ?? []).join('')
}

const ADVICE: { readonly [code in ErrorCode]: (facts: FailureFacts) => readonly string[] } = {
  malformed: (facts) => [said(facts, 'The request is malformed.'), UNCHARGED],
  unauthenticated: (facts) => [
    said(facts, 'This tool needs an API key.'),
    'Ask the user to connect with a valid key (Authorization: Bearer sgk_…).',
    UNCHARGED,
  ],
  insufficient_credits: (facts) => [
    said(facts, 'There are not enough credits for this call.'),
    'Tell the user, or use a cheaper tool.',
    UNCHARGED,
  ],
  forbidden: (facts) => [said(facts, 'This call is not allowed.'), UNCHARGED],
  unknown_skill: (facts) => [
    said(facts, 'There is no such tool.'),
    'List the tools again and use a name from the list.',
  ],
  not_found: (facts) => [said(facts, 'There is nothing of that name.')],
  method_not_allowed: (facts) => [said(facts, 'That method does not work here.')],
  conflict: (facts) => [said(facts, 'The same call is running, or was made with another body.')],
  too_large: (facts) => [said(facts, 'That is too large.'), 'Ask for less at once.'],
  unsupported_media_type: (facts) => [said(facts, 'Send JSON.')],
  invalid_arguments: (facts) => [
    said(facts, 'The arguments do not fit the tool.'),
    'Correct them and call again.',
    UNCHARGED,
  ],
  invalid_skill: (facts) => [
    said(facts, 'The definition of this tool is faulty.'),
    'Calling it again does not help; tell the user, and use another tool.',
    UNCHARGED,
  ],
  headers_too_large: (facts) => [said(facts, 'The headers are too large.')],
  rate_limited: (facts) => [said(facts, `Too many calls this minute. ${later(facts)}`), UNCHARGED],
  too_many_holds: (facts) => [
    said(facts, 'Too many calls run at the same time.'),
    'Wait until some have answered, then call again.',
    UNCHARGED,
  ],
  too_many_streams: (facts) => [said(facts, `Too many streams are open. ${later(facts)}`)],
  header_mismatch: (facts) => [said(facts, 'The headers contradict the body.'), UNCHARGED],
  client_capability_missing: (facts) => [
    said(facts, 'This tool must ask the user something, and this client cannot be asked.'),
    charge(facts),
    'Calling it again does not help; use another tool, or another client.',
  ],
  input_state_invalid: (facts) => [
    said(facts, 'The state that was sent back is not one of this gateway.'),
    'Call the tool anew, without state.',
    UNCHARGED,
  ],
  cancelled: (facts) => [said(facts, 'The call was cancelled.'), charge(facts)],
  internal: (facts) => [
    said(facts, 'The gateway could not finish the call.'),
    charge(facts),
    MAY_HAVE_RUN,
  ],
  upstream_failed: (facts) => [
    said(facts, 'The service behind this tool failed.'),
    charge(facts),
    'Check the arguments; if they are right, try once more later.',
  ],
  secret_missing: (facts) => [
    said(facts, 'This tool needs a secret that is not set.'),
    charge(facts),
    'Ask the user to have it set; calling again before that does not help.',
  ],
  secret_refused: (facts) => [
    said(facts, 'A secret of this tool was not set for where the tool sends it.'),
    charge(facts),
    'Tell the user who must confirm it; calling again before that does not help.',
  ],
  secret_unreadable: (facts) => [
    said(facts, 'The secrets of this tool cannot be read at the moment.'),
    charge(facts),
    'Try again later; if it stays so, tell the user.',
  ],
  store_unavailable: (facts) => [
    said(facts, 'The gateway cannot reach its store.'),
    'Try again in a few seconds.',
  ],
  timed_out: (facts) => [
    facts.afterMs === undefined
      ? said(facts, 'The tool took too long and was cut.')
      : `The tool did not answer within ${facts.afterMs / 1000} s and was cut.`,
    charge(facts),
    'Ask for less at once, or try again later.',
    MAY_HAVE_RUN,
  ],
}

const UNCHARGED = 'No credits were charged.'
const REFUNDED = 'It costs nothing: credits that it held were refunded.'
const TOLD_FREE = 'It was not charged.'
const MAY_HAVE_RUN = 'What it was asked to do may have happened all the same.'

/** Only what is certain is promised. Execute has refunded before it answers, unless it says else. */
function charge(facts: FailureFacts): string {
  return facts.free === false
    ? 'Whether it was charged is not certain yet; check the account.'
    : REFUNDED
}

function later(facts: FailureFacts): string {
  return facts.retryAfterSec === undefined
    ? 'Wait a minute, then call again.'
    : `Wait ${facts.retryAfterSec} s, then call again.`
}

function said(facts: FailureFacts, otherwise: string): string {
  const detail = facts.detail?.trim() ?? ''
  if (detail === '') return otherwise
  return /[.!?…]$/.test(detail) ? detail : `${detail}.`
}

function faultLines(faults: readonly FieldFault[]): readonly string[] {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX)
  const more = faults.length - shown.length
  return [
    ...shown.map((fault) => `\n- ${fault.pointer || 'arguments'}: ${fault.message}`),
    ...(more > 0 ? [`\n- and ${more} more`] : []),
  ]
}
