/** Entry point of the deployed sweep function, which a schedule invokes every minute. */
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { dynamoMcpUpstreams } from '../../adapters/dynamodb/registry/mcp-upstreams.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/users/profiles.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { startFunction } from '../start-function.ts'
import { createSweepDoor, type SweepEvents } from './door.ts'
import { createLateEventTargets } from './late-target.ts'

const { config, clock, log, store } = startFunction(
  'sweep',
  ['settings', 'eventTargets', 'executeUrl', 'signing'],
  stageClient,
)

const loadRefresh = loadOnce(async () => {
  const { makeRefresh } = await import('./refresh.ts')
  const { settings } = config
  const listings = { url: config.executeUrl, ...config.signing, clock }
  return makeRefresh({ clock, listings, log, settings, store })
})

export const handler = createSweepDoor(
  {
    clock,
    events: dynamoEvents(store),
    ids: nodeIds(),
    jobVisits: makeLatePort(async () => {
      const { functionUrlJobs } = await import('../../adapters/internal-http/jobs-peer.ts')
      return functionUrlJobs({ url: config.executeUrl, ...config.signing, clock })
    }),
    ledger: dynamoLedger(store, config.settings.ledgerHotMs),
    v0: dynamoV0(store),
    log,
    profiles: dynamoProfiles(store),
    sweepEntries: dynamoSweepEntries(store),
    usagePages: { list: listUsagePages },
  },
  openEvents(),
  {
    mcpUpstreams: dynamoMcpUpstreams(store),
    refresh: async (due, untilMs) => (await loadRefresh())(due, untilMs),
  },
)

/** Loaded with the first slot that is judged, which only stages with events do. */
async function* listUsagePages(slot: number) {
  const { dynamoUsagePages } = await import('../../adapters/dynamodb/usage/usage-pages.ts')
  yield* dynamoUsagePages(store, config.settings.ledgerHotMs).list(slot)
}

function openEvents(): SweepEvents {
  const { eventTargets, settings } = config
  if (settings.events === undefined || eventTargets.targets.length === 0) return undefined
  const { outboundAllow } = settings
  return {
    settings: settings.events,
    targets: createLateEventTargets(eventTargets, { clock, log, outboundAllow }),
  }
}
