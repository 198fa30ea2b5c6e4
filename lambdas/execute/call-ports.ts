/** What a call needs of the outside, on AWS: the same for the functions execute and mcp. Made once per process. */
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/accounts/rate-counters.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/accounts/secrets.ts'
import { dynamoSharedSecrets } from '../../adapters/dynamodb/accounts/shared-secrets.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoCallExcerpts } from '../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoIdempotencyRecords } from '../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoCallLookup } from '../../adapters/dynamodb/registry/call-lookup.ts'
import { listVersionCache } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import { kmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { upstreamPreviews } from '../../adapters/upstream/upstream-previews.ts'
import type { Clock, Log } from '../../core/ports.ts'

type Started = {
  readonly config: Pick<Config, 'secretsKey' | 'settings'>
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

export function callPorts({ clock, config, log, store }: Started) {
  const { ledgerHotMs, outboundAllow } = config.settings
  const versions = listVersionCache(clock)
  return {
    idempotencyRecords: dynamoIdempotencyRecords(store),
    callExcerpts: dynamoCallExcerpts(store),
    callLookup: dynamoCallLookup(store, versions),
    clock,
    digests: nodeDigests(),
    events: dynamoEvents(store),
    hooks: hooks({ clock, outboundAllow }),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store, ledgerHotMs),
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
    toolListVersion: dynamoToolListVersion(store, versions),
    toolsCache: dynamoToolsCache(store),
    upstream: httpUpstream({ outboundAllow }),
    upstreamPreviews: upstreamPreviews({ outboundAllow }),
  }
}
