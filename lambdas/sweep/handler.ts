/** The deployed sweep function, invoked by a schedule every minute. */
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { webhookTarget } from '../../adapters/events/webhook.ts'
import { eventBusTarget } from '../../adapters/internal-http/event-bus.ts'
import { secretsClient } from '../../adapters/secrets/client.ts'
import { secretsManagerEventSecrets } from '../../adapters/secrets/event-secrets.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import type { EventTarget } from '../../core/ports.ts'
import { startFunction } from '../start-function.ts'
import { type SweepEvents, sweepDoor } from './door.ts'

const { config, clock, log, store } = startFunction('sweep', ['settings', 'eventTarget'])

export const handler = sweepDoor(
  {
    clock,
    events: dynamoEvents(store),
    ids: nodeIds(),
    ledger: dynamoLedger(store, config.settings.ledgerHotMs),
    v0: dynamoV0(store),
    log,
    profiles: dynamoProfiles(store),
    sweepEntries: dynamoSweepEntries(store),
  },
  eventsOf(),
)

function eventsOf(): SweepEvents {
  const { events: settings, outboundAllow } = config.settings
  const target = targetOf(outboundAllow)
  return settings === undefined || target === undefined ? undefined : { settings, target }
}

function targetOf(outboundAllow: readonly string[]): EventTarget | undefined {
  const target = config.eventTarget
  switch (target.kind) {
    case 'none':
      return undefined
    case 'bus':
      return eventBusTarget({ bus: target.bus, clock, ...target.signing })
    case 'webhook': {
      const secrets = secretsManagerEventSecrets({
        client: secretsClient(),
        id: target.secretId,
        clock,
        onStale: (cause) => log.note('error', 'event-secret-stale', {}, cause),
      })
      const upstream = httpUpstream({ outboundAllow })
      return webhookTarget({ url: target.url, upstream, secrets, clock })
    }
    default:
      return target satisfies never
  }
}
