/**
 * Sends the twin's events, by the flow that the deployed sweep runs each minute; here it runs each
 * second, so that a person who tries it does not wait. The target is a webhook, or a bus with the
 * credentials of this terminal.
 */
import { readProcessConfig } from '../adapters/config/env.ts'
import { makeWebhookTarget } from '../adapters/events/webhook.ts'
import { makeEventBusTarget } from '../adapters/internal-http/event-bus.ts'
import type { EventTarget } from '../core/ports/ledger.ts'
import type { Clock, Log, Upstream } from '../core/ports/outside.ts'
import { parseEventTarget } from '../core/settings/form.ts'
import { type RepeatedWork, repeat } from './repeat.ts'
import type { Credentials } from './settings/credentials.ts'
import type { Options } from './settings/option-table.ts'
import { StartFault } from './start-fault.ts'

const EVERY_MS = 1_000

/**
 * Opens the target of events; undefined if no target is set. Throws a StartFault if a bus lacks
 * region or credentials.
 */
export function openEventTarget(twin: {
  readonly options: Pick<Options, 'eventTarget'>
  readonly credentials: Credentials
  readonly clock: Clock
  readonly upstream: Upstream
}): EventTarget | undefined {
  const { clock, credentials, options, upstream } = twin
  const target = parseEventTarget(options.eventTarget ?? '')
  if (target === undefined) return undefined
  if (target.kind === 'bus') return makeEventBusTarget({ bus: target.bus, clock, ...readSigning() })
  const secrets = async () => [credentials.eventsSecret]
  return makeWebhookTarget({ url: target.url, upstream, secrets, clock })
}

function readSigning() {
  try {
    return readProcessConfig(['signing']).signing
  } catch (cause) {
    throw new StartFault(
      '--events bus:NAME: needs AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
      cause,
    )
  }
}

/** Delivers events every second until it is stopped. A failed run is logged. */
export function startEventSender(
  deliver: () => Promise<unknown>,
  log: Pick<Log, 'note'>,
): RepeatedWork {
  const run = async () => {
    try {
      await deliver()
    } catch (cause) {
      log.note('warn', 'events-not-sent', {}, cause)
    }
    return EVERY_MS
  }
  return repeat(run, EVERY_MS)
}
