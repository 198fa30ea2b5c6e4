/**
 * Opens the targets of a stage's events, with the clients that they need. Only late-target.ts loads
 * this file, with the first event that is due, because the runs of most stages send none.
 */
import type { EventTargetsConfig } from '../../adapters/config/config.ts'
import { makeSlackTarget } from '../../adapters/events/slack.ts'
import { makeWebhookTarget } from '../../adapters/events/webhook.ts'
import { makeEventBusTarget } from '../../adapters/internal-http/event-bus.ts'
import { makeMailTarget } from '../../adapters/internal-http/mail.ts'
import { makeSecretsClient } from '../../adapters/secrets/client.ts'
import { makeEventSecretsReader } from '../../adapters/secrets/event-secrets.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import type { EventTargetText } from '../../core/settings/event-target.ts'

export type EventTargetNeeds = {
  readonly clock: Clock
  readonly log: Log
  readonly outboundAllow: readonly string[]
}

type Sender = Pick<EventTarget, 'deliver'>

/** Returns a function that opens one target of the configuration; all share their clients. */
export function makeTargetOpener(
  config: EventTargetsConfig,
  { clock, log, outboundAllow }: EventTargetNeeds,
): (target: EventTargetText) => Sender {
  const upstream = httpUpstream({ outboundAllow })
  const client = makeSecretsClient()
  const readSecret = (id: string, holds?: 'url') =>
    makeEventSecretsReader({
      client,
      id,
      ...(holds === undefined ? {} : { holds }),
      clock,
      onStale: (cause) => log.note('error', 'event-secret-stale', {}, cause),
    })
  return (target) => {
    const { from, mailEndpoint: endpoint, secretId, signing } = config
    switch (target.kind) {
      case 'bus':
        return signing === undefined
          ? NOT_CONFIGURED
          : makeEventBusTarget({ bus: target.bus, clock, ...signing })
      case 'email':
        return signing === undefined || from === undefined
          ? NOT_CONFIGURED
          : makeMailTarget({ from, to: target.to, clock, endpoint, ...signing })
      case 'slack': {
        const secrets = readSecret(target.secret, 'url')
        return makeSlackTarget({ upstream, readUrl: async () => (await secrets())[0] ?? '' })
      }
      case 'webhook':
        return secretId === undefined
          ? NOT_CONFIGURED
          : makeWebhookTarget({ url: target.url, upstream, secrets: readSecret(secretId), clock })
      default:
        return target satisfies never
    }
  }
}

/** The reader of the environment refuses a target without what it needs. */
const NOT_CONFIGURED: Sender = {
  deliver: async () => ({ ok: false, error: 'the target is not configured' }),
}
