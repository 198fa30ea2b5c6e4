/**
 * Opens the webhook or event bus of a stage, with the clients that it needs. Only late-target.ts
 * loads this file, with the first event that is due, because the runs of most stages send none.
 */
import type { EventTargetConfig } from '../../adapters/config/config.ts'
import { makeWebhookTarget } from '../../adapters/events/webhook.ts'
import { makeEventBusTarget } from '../../adapters/internal-http/event-bus.ts'
import { makeSecretsClient } from '../../adapters/secrets/client.ts'
import { makeEventSecretsReader } from '../../adapters/secrets/event-secrets.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'

export type EventPlace = Exclude<EventTargetConfig, { readonly kind: 'none' }>

export type EventTargetNeeds = {
  readonly clock: Clock
  readonly log: Log
  readonly outboundAllow: readonly string[]
}

/** Opens the target that the configuration names. */
export function openEventTarget(
  place: EventPlace,
  { clock, log, outboundAllow }: EventTargetNeeds,
): EventTarget {
  if (place.kind === 'bus') return makeEventBusTarget({ bus: place.bus, clock, ...place.signing })
  const secrets = makeEventSecretsReader({
    client: makeSecretsClient(),
    id: place.secretId,
    clock,
    onStale: (cause) => log.note('error', 'event-secret-stale', {}, cause),
  })
  const upstream = httpUpstream({ outboundAllow })
  return makeWebhookTarget({ url: place.url, upstream, secrets, clock })
}
