/** The outcome of a call's sends, as its flow sees it: the response, or a failure in words. */
import type { UpstreamResponse } from '../../call/upstream.ts'
import type { StatusFault } from '../../call/upstream-fault.ts'
import { err, ok, type Result, type UpstreamFault } from '../../errors.ts'
import type { SendOutcome } from './send-once.ts'

export type SendFailure = StatusFault & {
  readonly code: 'upstream_failed' | 'secret_missing'
  readonly detail: string
  /** The request was sent, so that the upstream may have acted on it. */
  readonly mayHaveRun?: true
}

/** `cut`: the signal aborted first; the caller, who gave it, knows why. */
export type SendResult = Result<UpstreamResponse, SendFailure | 'cut'>

export function sentOf(answer: SendOutcome): SendResult {
  switch (answer.kind) {
    case 'answered':
      return ok(answer.response)
    case 'cut':
      return err('cut')
    case 'resting': {
      const { retryAfterSec } = answer
      const detail = `The upstream ${restingText(answer)}. Try again after that.`
      return err({ code: 'upstream_failed', upstreamFault: 'unreachable', detail, retryAfterSec })
    }
    case 'unreachable':
      return unreachable(answer)
    case 'unreadable':
      return afterSend(
        `The upstream answered, but its answer cannot be read: it ${answer.detail}.`,
        'unreadable',
      )
    case 'refused_target':
      return failedSend(`The upstream could not be reached: ${answer.detail}.`, 'unreachable')
    case 'too_large':
      return afterSend(
        `The upstream's answer is larger than ${answer.bytesMax} bytes. Ask it for less.`,
        'too_large',
      )
    default:
      return answer satisfies never
  }
}

function unreachable({
  detail,
  neverConnected,
}: SendOutcome & { kind: 'unreachable' }): FailedSend {
  const text = `The upstream could not be reached: it ${detail}.`
  return neverConnected === true ? failedSend(text, 'unreachable') : afterSend(text, 'unreachable')
}

/** A clause that continues "The upstream …", without a full stop, as the adapter's details do. */
export function restingText({ retryAfterSec }: SendOutcome & { kind: 'resting' }): string {
  return `has been failing, so no request is sent to it for ${retryAfterSec} s`
}

export type FailedSend = { readonly ok: false; readonly error: SendFailure }

/** For a request that was sent. */
export function afterSend(detail: string, upstreamFault: UpstreamFault): FailedSend {
  return err({ code: 'upstream_failed', detail, upstreamFault, mayHaveRun: true })
}

export function failedSend(detail: string, upstreamFault: UpstreamFault): FailedSend {
  return err({ code: 'upstream_failed', detail, upstreamFault })
}
