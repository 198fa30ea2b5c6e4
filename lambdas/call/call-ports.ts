/**
 * The ports of a call on AWS, the same for the functions that make calls. Built once per process.
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
import { makeSchemasWithLatePatterns } from '../../adapters/formats/late-patterns.ts'
import { makeLateHooks } from '../../adapters/hooks/late-hooks.ts'
import type { SecretsKey } from '../../adapters/kms/kms-seals.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { createUpstreamPorts } from './upstream-ports.ts'

type StartedParts = {
  readonly config: Pick<Config, 'archive' | 'caller' | 'settings'> & {
    readonly secretsKey: SecretsKey
  }
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
export function createCallPorts(
  { clock, config, log, store }: StartedParts,
  versions: ListVersionCache = listVersionCache(clock),
) {
  const { ledgerHotMs, outboundAllow, privateHosts, signedAccess } = config.settings
  const rules = { outboundAllow, privateHosts, signedAccess }
  const digests = nodeDigests()
  const loadRarePorts = loadOnce(async () => {
    const { createRareCallPorts } = await import('./rare-ports.ts')
    return createRareCallPorts({ rules, store, versions })
  })
  const loadSecretPorts = loadOnce(async () => {
    const { createSecretPorts } = await import('./secret-ports.ts')
    return createSecretPorts(store, config.secretsKey)
  })
  const upstreamSessions = makeLatePort(async () => (await loadRarePorts()).upstreamSessions)
  const upstreams = createUpstreamPorts({
    clock,
    config,
    log,
    previews: makeLatePort(async () => (await loadRarePorts()).upstreamPreviews),
    upstreamSessions,
  })
  return {
    ...upstreams,
    callExcerpts: makeLatePort(async () => (await loadRarePorts()).callExcerpts),
    callLookup: dynamoCallLookup(store, versions),
    changes: NO_CHANGES,
    clock,
    digests,
    events: makeLatePort(async () => (await loadRarePorts()).events),
    hooks: makeLateHooks({ clock, outboundAllow, privateHosts }),
    idempotencyRecords: makeLatePort(async () => (await loadRarePorts()).idempotencyRecords),
    ids: nodeIds(),
    issuerKeys: makeLatePort(async () => (await loadRarePorts()).issuerKeys),
    jobs: makeLatePort(async () => (await loadRarePorts()).jobs),
    keptResults: makeLatePort(async () => {
      const { createKeptResults } = await import('./kept-results.ts')
      return createKeptResults(config.archive, { clock, digests })
    }),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store, ledgerHotMs),
    log,
    logins: makeLatePort(async () => (await loadRarePorts()).logins),
    mcpUpstreams: makeLatePort(async () => (await loadRarePorts()).mcpUpstreams),
    oauthClient: makeLatePort(async () => {
      const { makeOAuthClient } = await import('../../adapters/oauth-client/oauth-client.ts')
      return makeOAuthClient({ clock, outboundAllow, upstream: upstreams.upstream })
    }),
    oauthRegistrations: makeLatePort(async () => (await loadRarePorts()).oauthRegistrations),
    profiles: lateProfiles(store),
    rateCounters: dynamoRateCounters(store),
    schemas: makeSchemasWithLatePatterns(),
    seals: nodeSeals(),
    secretSeals: makeLatePort(async () => (await loadSecretPorts()).secretSeals),
    secrets: makeLatePort(async () => (await loadSecretPorts()).secrets),
    sharedSecrets: makeLatePort(async () => (await loadSecretPorts()).sharedSecrets),
    skills: makeLatePort(async () => (await loadRarePorts()).skills),
    skillVersions: makeLatePort(async () => (await loadRarePorts()).skillVersions),
    sweepEntries: makeLatePort(async () => (await loadRarePorts()).sweepEntries),
    tasks: makeLatePort(async () => (await loadRarePorts()).tasks),
    toolListVersion: makeLatePort(async () => (await loadRarePorts()).toolListVersion),
    toolsCache: makeLatePort(async () => (await loadRarePorts()).toolsCache),
    upstreamSessions,
    v0: makeLatePort(async () => (await loadRarePorts()).v0),
  }
}
