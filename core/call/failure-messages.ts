/**
 * The text that a model reads when a call failed, for every error code: what happened, whether the
 * call was charged, and what to do now.
 */
import type { ErrorCode, FailureClass, FieldError } from '../errors.ts'

/** Facts of a failure. The text is correct without a fact that is `undefined`. */
export type FailureFacts = {
  readonly code: ErrorCode
  /** The refusal's own words, quoted unchanged. */
  readonly detail?: string | undefined
  readonly faults?: readonly FieldError[] | undefined
  /** Milliseconds after which the time limit cut the call. */
  readonly afterMs?: number | undefined
  /** False if the charge is not certain yet. */
  readonly free?: boolean | undefined
  readonly retryAfterSec?: number | undefined
  /** Decides the advice of `upstream_failed`. */
  readonly upstreamFault?: FailureClass | undefined
}

/** Field errors in one text. A model corrects these and calls again. */
const ERRORS_SHOWN_MAX = 10

export function writeFailureMessage(facts: FailureFacts): string {
  const parts = ADVICE[facts.code](facts)
  // Some details already say that the call is free. A second sentence would look like a second
  // fact.
  const saysFree = parts[0]?.includes(SAYS_FREE) === true
  const texts = saysFree ? parts.filter((text) => text !== UNCHARGED && text !== REFUNDED) : parts
  return texts.join(' ') + writeErrorLines(facts.faults ?? []).join('')
}

const ADVICE: { readonly [code in ErrorCode]: (facts: FailureFacts) => readonly string[] } = {
  malformed: (facts) => [pickDetail(facts, 'The request is malformed.'), UNCHARGED],
  unauthenticated: (facts) => [
    pickDetail(facts, 'This tool needs an API key.'),
    'Ask the user to connect with a valid key (Authorization: Bearer sgk_…).',
    UNCHARGED,
  ],
  insufficient_credits: (facts) => [
    pickDetail(facts, 'There are not enough credits for this call.'),
    'Tell the user, or use a cheaper tool.',
    UNCHARGED,
  ],
  budget_reached: (facts) => [
    pickDetail(facts, 'The monthly budget has no room for this call.'),
    'Tell the user, or use a cheaper tool.',
    UNCHARGED,
  ],
  forbidden: (facts) => [pickDetail(facts, 'This call is not allowed.'), UNCHARGED],
  key_scope: (facts) => [
    pickDetail(facts, 'This API key may not call this tool.'),
    'Calling it again does not help: use a tool that the list or the search shows, or tell the user.',
    UNCHARGED,
  ],
  insufficient_scope: (facts) => [
    pickDetail(facts, 'The access token of this client may not call tools.'),
    'Calling again before that does not help; tell the user to log in again in this client.',
    UNCHARGED,
  ],
  user_disabled: (facts) => [
    pickDetail(facts, 'This user is disabled.'),
    'Calling again does not help; tell the user.',
    UNCHARGED,
  ],
  unknown_skill: (facts) => [
    pickDetail(facts, 'There is no such tool.'),
    'List the tools again and use a name from the list.',
  ],
  not_found: (facts) => [pickDetail(facts, 'Nothing with that name exists.')],
  method_not_allowed: (facts) => [pickDetail(facts, 'That method does not work here.')],
  conflict: (facts) => [
    pickDetail(facts, 'The same call is running, or was made with another body.'),
  ],
  too_large: (facts) => [pickDetail(facts, 'That is too large.'), 'Ask for less at once.'],
  unsupported_media_type: (facts) => [pickDetail(facts, 'Send JSON.')],
  invalid_arguments: (facts) => [
    pickDetail(facts, 'The arguments do not fit the parameters of the tool.'),
    'Correct them and call again.',
    UNCHARGED,
  ],
  invalid_skill: (facts) => [
    pickDetail(facts, 'The definition of this tool is faulty.'),
    'Calling it again does not help; tell the user, and use another tool.',
    UNCHARGED,
  ],
  headers_too_large: (facts) => [pickDetail(facts, 'The headers are too large.')],
  rate_limited: (facts) => [
    pickDetail(facts, `Too many calls this minute. ${writeRetryAdvice(facts)}`),
    UNCHARGED,
  ],
  daily_calls_reached: (facts) => [
    pickDetail(facts, 'This API key has made as many calls as it may make in a day.'),
    'Calling a tool again before then does not help; tell the user.',
    UNCHARGED,
  ],
  too_many_plans: (facts) => [pickDetail(facts, 'Too many plans are being made.')],
  too_many_holds: (facts) => [
    pickDetail(facts, 'Too many calls run at the same time.'),
    'Wait until some have answered, then call again.',
    UNCHARGED,
  ],
  too_many_streams: (facts) => [
    pickDetail(facts, `Too many streams are open. ${writeRetryAdvice(facts)}`),
  ],
  header_mismatch: (facts) => [pickDetail(facts, 'The headers contradict the body.'), UNCHARGED],
  client_capability_missing: (facts) => [
    pickDetail(facts, 'This tool must ask the user something, and this client cannot be asked.'),
    writeCharge(facts),
    'Calling it again does not help; use another tool, or another client.',
  ],
  input_state_invalid: (facts) => [
    pickDetail(facts, 'The state that was sent back is not one of this gateway.'),
    'Call the tool again without state.',
    UNCHARGED,
  ],
  cancelled: (facts) => [pickDetail(facts, 'The call was cancelled.'), writeCharge(facts)],
  internal: (facts) => [
    pickDetail(facts, 'The gateway could not finish the call.'),
    writeCharge(facts),
    MAY_HAVE_RUN,
  ],
  upstream_failed: (facts) => [
    pickDetail(facts, 'The service behind this tool failed.'),
    writeCharge(facts),
    writeUpstreamAdvice(facts),
  ],
  secret_missing: (facts) => [
    pickDetail(facts, 'This tool needs a secret that is not set.'),
    writeCharge(facts),
    'Calling again before that does not help; tell the user.',
  ],
  secret_refused: (facts) => [
    pickDetail(facts, 'A secret of this tool was not set for where the tool sends it.'),
    writeCharge(facts),
    'Calling again before that does not help; tell the user.',
  ],
  secret_unreadable: (facts) => [
    pickDetail(facts, 'The secrets of this tool cannot be read at the moment.'),
    writeCharge(facts),
    'Try again later; if it stays so, tell the user.',
  ],
  store_unavailable: (facts) => [
    pickDetail(facts, 'The gateway cannot reach its store.'),
    'Try again in a few seconds.',
  ],
  issuer_unavailable: (facts) => [
    pickDetail(facts, 'The gateway cannot reach the authorization server that made this token.'),
    'Try again in a few seconds.',
  ],
  timed_out: (facts) => [
    facts.afterMs === undefined
      ? pickDetail(facts, 'The tool took too long and was stopped.')
      : `The tool did not answer within ${facts.afterMs / 1000} s and was stopped.`,
    writeCharge(facts),
    'Ask for less at once, or try again later.',
    MAY_HAVE_RUN,
  ],
}

function writeUpstreamAdvice(facts: FailureFacts): string {
  const { retryAfterSec, upstreamFault } = facts
  switch (upstreamFault) {
    case undefined:
      return 'Check the arguments; if they are right, try once more later.'
    case 'secret_rejected':
      return 'The stored secret is not accepted for this. Tell the user, who can have it set again or given more rights; calling again before that does not help.'
    case 'access_denied':
      return 'This tool sends the service no secret. Tell the user, and use another tool; calling again does not help.'
    case 'busy':
      return writeRetryAdvice(facts)
    case 'unreachable':
      return retryAfterSec === undefined
        ? 'Call again in a few minutes; if it stays so, tell the user, and use another tool.'
        : writeRetryAdvice(facts)
    case 'unreadable':
      return 'The service and the definition of this tool do not fit. Calling again does not help; tell the user, and use another tool.'
    case 'too_large':
      return 'Ask for less at once: a smaller limit, fewer fields, one page.'
    case 'reported':
      return 'The service itself reported this error. Change what it names and call again; if it names nothing that you can change, tell the user.'
    default:
      return upstreamFault satisfies never
  }
}

const UNCHARGED = 'No credits were charged.'
const REFUNDED = 'The call costs nothing: the credits it held were refunded.'
const SAYS_FREE = 'It was not charged.'
const MAY_HAVE_RUN = 'The service may have done the work anyway.'

/** States only what is certain. Unless `free` is false, execute has refunded before it answers. */
function writeCharge(facts: FailureFacts): string {
  return facts.free === false
    ? 'It is not certain yet whether the call was charged; check the account.'
    : REFUNDED
}

function writeRetryAdvice(facts: FailureFacts): string {
  return facts.retryAfterSec === undefined
    ? 'Wait a minute, then call again.'
    : `Wait ${facts.retryAfterSec} s, then call again.`
}

function pickDetail(facts: FailureFacts, otherwise: string): string {
  const detail = facts.detail?.trim() ?? ''
  if (detail === '') return otherwise
  return /[.!?…]$/.test(detail) ? detail : `${detail}.`
}

function writeErrorLines(faults: readonly FieldError[]): readonly string[] {
  const shown = faults.slice(0, ERRORS_SHOWN_MAX)
  const more = faults.length - shown.length
  return [
    ...shown.map((fault) => `\n- ${fault.pointer || 'arguments'}: ${fault.message}`),
    ...(more > 0 ? [`\n- and ${more} more`] : []),
  ]
}
