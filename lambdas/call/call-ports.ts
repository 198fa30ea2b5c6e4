/**
 * The ports of a call on AWS, the same for the functions execute and mcp. Built once per process.
 */
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoCallLookup } from '../../adapters/dynamodb/registry/call-lookup.ts'
import {
  type ListVersionCache,
  listVersionCache,
} from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { dynamoKeys } from '../../adapters/dynamodb/users/keys.ts'
import { lateProfiles } from '../../adapters/dynamodb/users/late-profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/users/rate-counters.ts'
import { schemasWithLatePatterns } from '../../adapters/formats/late-patterns.ts'
import { lateHooks } from '../../adapters/hooks/late-hooks.ts'
import type { SecretsKey } from '../../adapters/kms/kms-seals.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { latePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'

type StartedParts = {
  readonly config: Pick<Config, 'settings'> & { readonly secretsKey: SecretsKey }
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

/**
 * Builds the ports. Ports that few calls use are late: their code is loaded with the first call
 * that uses one, and a start of the function opens none of it. A late port that cannot be loaded
 * fails like a store that is down, so no call loses money:
 *
 *   before the hold (hooks, a claim, a move of a user, an entry of the sweep) ─▶ the call ends with nothing on hold
 *   secrets, loading beside the hold ─▶ the port fails, and the call is refunded
 *   after the outcome (an event, an excerpt, the day of a use) ─▶ the failure is logged; events are recorded by the next call
 */
export function callPorts(
  { clock, config, log, store }: StartedParts,
  versions: ListVersionCache = listVersionCache(clock),
) {
  const { ledgerHotMs, outboundAllow } = config.settings
  const loadRarePorts = loadOnce(async () => {
    const { rarePorts } = await import('./rare-ports.ts')
    return rarePorts({ outboundAllow, store, versions })
  })
  const loadSecretPorts = loadOnce(async () => {
    const { secretPorts } = await import('./secret-ports.ts')
    return secretPorts(store, config.secretsKey)
  })
  return {
    callExcerpts: latePort(async () => (await loadRarePorts()).callExcerpts),
    callLookup: dynamoCallLookup(store, versions),
    changes: NO_CHANGES,
    clock,
    digests: nodeDigests(),
    events: latePort(async () => (await loadRarePorts()).events),
    hooks: lateHooks({ clock, outboundAllow }),
    idempotencyRecords: latePort(async () => (await loadRarePorts()).idempotencyRecords),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store, ledgerHotMs),
    log,
    profiles: lateProfiles(store),
    rateCounters: dynamoRateCounters(store),
    schemas: schemasWithLatePatterns(),
    seals: nodeSeals(),
    secretSeals: latePort(async () => (await loadSecretPorts()).secretSeals),
    secrets: latePort(async () => (await loadSecretPorts()).secrets),
    sharedSecrets: latePort(async () => (await loadSecretPorts()).sharedSecrets),
    skills: latePort(async () => (await loadRarePorts()).skills),
    sweepEntries: latePort(async () => (await loadRarePorts()).sweepEntries),
    toolListVersion: latePort(async () => (await loadRarePorts()).toolListVersion),
    toolsCache: latePort(async () => (await loadRarePorts()).toolsCache),
    upstream: httpUpstream({ outboundAllow }),
    upstreamPreviews: latePort(async () => (await loadRarePorts()).upstreamPreviews),
    v0: latePort(async () => (await loadRarePorts()).v0),
  }
}
