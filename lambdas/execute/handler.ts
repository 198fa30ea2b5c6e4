/** Entry point of the deployed execute function: builds the ports once. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/accounts/rate-counters.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/accounts/secrets.ts'
import { dynamoSharedSecrets } from '../../adapters/dynamodb/accounts/shared-secrets.ts'
import { dynamoCallExcerpts } from '../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoIdempotencyRecords } from '../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoCallLookup } from '../../adapters/dynamodb/registry/call-lookup.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { kmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { upstreamPreviews } from '../../adapters/upstream/upstream-previews.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { startFunction } from '../start-function.ts'
import { executeDoor } from './door.ts'

const { config, clock, log, store } = startFunction('execute', [
  'settings',
  'secretsKey',
  'adminRole',
])
const { outboundAllow } = config.settings

export const handler = streaming(
  executeDoor(
    {
      idempotencyRecords: dynamoIdempotencyRecords(store),
      callExcerpts: dynamoCallExcerpts(store),
      callLookup: dynamoCallLookup(store),
      clock,
      digests: nodeDigests(),
      events: dynamoEvents(store),
      hooks: hooks({ clock, outboundAllow }),
      ids: nodeIds(),
      keys: dynamoKeys(store),
      ledger: dynamoLedger(store, config.settings.ledgerHotMs),
      v0: dynamoV0(store),
      log,
      rateCounters: dynamoRateCounters(store),
      profiles: dynamoProfiles(store),
      schemas: schemas(),
      seals: nodeSeals(),
      secretSeals: kmsSecretSeals(config.secretsKey),
      secrets: dynamoSecrets(store),
      sharedSecrets: dynamoSharedSecrets(store),
      skills: dynamoSkills(store),
      sweepEntries: dynamoSweepEntries(store),
      changes: NO_CHANGES,
      toolListVersion: dynamoToolListVersion(store),
      toolsCache: dynamoToolsCache(store),
      upstream: httpUpstream({ outboundAllow }),
      upstreamPreviews: upstreamPreviews({ outboundAllow }),
    },
    config.settings,
    executeCaches(),
    config.adminRole,
  ),
)
