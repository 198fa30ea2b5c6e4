/**
 * Delivers events to an operator's HTTPS URL: one POST, signed with HMAC-SHA256. Its connections
 * check addresses as those of skills do. Any 2xx is a delivery. The answer's body is read up to a
 * limit and not kept. Bound by docs/admin-api.md, Events.
 */
import { createHmac } from 'node:crypto'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import {
  buildSignatureHeader,
  type EventRecord,
  SIGNATURE_HEADER,
  toSignedText,
  writeEventBody,
} from '../../core/events/event.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'

/** A receiver that works for longer should answer before it works. */
export const WEBHOOK_TIMEOUT_MS = 5_000
export const WEBHOOK_ANSWER_BYTES_MAX = 65_536
/** No user has this id, so no user's request shares a connection with an event. */
const SENDER = '-events'

export type WebhookOptions = {
  readonly url: string
  readonly upstream: Upstream
  /** One value, or two during a rotation of the secret. */
  readonly secrets: () => Promise<readonly string[]>
  readonly clock: Pick<Clock, 'nowMs'>
}

export function makeWebhookTarget(options: WebhookOptions): Pick<EventTarget, 'deliver'> {
  const { clock, secrets, upstream, url } = options
  return {
    deliver: async (event) => {
      const keys = await readSecrets(secrets)
      if (!keys.ok) return keys
      const signal = AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)
      const limits = { responseBytesMax: WEBHOOK_ANSWER_BYTES_MAX, signal, uid: SENDER }
      return readAnswer(
        await upstream.send(makeRequest(event, url, keys.value, clock.nowMs()), limits),
      )
    },
  }
}

async function readSecrets(
  secrets: WebhookOptions['secrets'],
): Promise<Result<readonly string[], string>> {
  try {
    return ok(await secrets())
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return err(`the signing secret could not be read: ${cause.message}`)
  }
}

function makeRequest(event: EventRecord, url: string, secrets: readonly string[], nowMs: number) {
  const body = writeEventBody(event)
  const atSec = Math.floor(nowMs / 1_000)
  const macs = secrets.map((secret) =>
    createHmac('sha256', secret).update(toSignedText(atSec, body)).digest('hex'),
  )
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'skillgate-events',
      [SIGNATURE_HEADER]: buildSignatureHeader(atSec, macs),
    },
    body,
    // A redirect to another host gets neither the event nor its signature.
    sensitive: { headers: [SIGNATURE_HEADER], query: true, body: true },
  } as const
}

function readAnswer(answer: UpstreamAnswer): Result<'delivered', string> {
  switch (answer.kind) {
    case 'answered': {
      const { status } = answer.response
      return status >= 200 && status < 300
        ? ok('delivered')
        : err(`the webhook answered ${status}; it must answer with 2xx`)
    }
    case 'cut':
      return err(`the webhook did not answer within ${WEBHOOK_TIMEOUT_MS / 1_000} s`)
    case 'too_large':
      return err(`the webhook answered with more than ${answer.bytesMax} bytes`)
    case 'refused_target':
      return err(`the webhook was not called: ${answer.detail}`)
    case 'unreadable':
      return err(`the webhook answered, but its answer cannot be read: it ${answer.detail}`)
    case 'unreachable':
      return err(`the webhook could not be reached: it ${answer.detail}`)
    default:
      return answer satisfies never
  }
}
