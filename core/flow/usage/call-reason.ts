/** Explains in a sentence for support why a call ended as it did. */
import type { Outcome, RefundReason } from '../../ledger/ledger.ts'

export function reasonSentence(outcome: Outcome): string {
  const { reason, upstreamStatus } = outcome
  if (outcome.state === 'settled') return 'The call succeeded and was charged.'
  if (reason === undefined) return 'The call was refunded.'
  const answered = upstreamStatus === undefined ? '' : ` It answered ${upstreamStatus}.`
  return reason === 'upstream_failed' || reason === 'timed_out'
    ? `${REASON_SENTENCES[reason]}${answered} The price was given back.`
    : `${REASON_SENTENCES[reason]} The price was given back.`
}

const REASON_SENTENCES: { readonly [reason in RefundReason]: string } = {
  upstream_failed: 'The upstream failed, or its answer could not be used.',
  timed_out: 'The call was stopped, because the upstream did not answer in time.',
  cancelled: 'The caller cancelled the call or disconnected.',
  void: 'The gateway voided the call, because its answer came too late or never reached the agent.',
  crashed: 'The function that ran the call died; the sweep ended the call.',
  internal: 'The gateway failed; its log has the cause under the call id.',
  invalid_skill: 'The skill cannot run as it is stored.',
  invalid_arguments: 'The arguments did not fit the skill.',
  secret_missing: 'A secret that the skill needs is not set.',
  secret_refused: 'A secret is not bound to where the skill would send it.',
  secret_unreadable: 'A secret could not be opened.',
  input_required: 'The upstream asked the client a question first, which is free.',
  client_capability_missing: 'The client cannot answer the question that the upstream asked.',
}
