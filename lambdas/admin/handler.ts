/** Entry point of the deployed admin function. Builds the ports once. */
import { join } from 'node:path'
import { readConsoleFrom } from '../../adapters/console/console-folder.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoAuditTrail } from '../../adapters/dynamodb/audit/audit-trail.ts'
import { sdkClient } from '../../adapters/dynamodb/client/sdk-client.ts'
import { dynamoCallExcerpts } from '../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoEvents } from '../../adapters/dynamodb/ledger/events.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { dynamoGuides } from '../../adapters/dynamodb/registry/guides.ts'
import { dynamoMcpUpstreams } from '../../adapters/dynamodb/registry/mcp-upstreams.ts'
import { dynamoSkillVersions } from '../../adapters/dynamodb/registry/skill-versions.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoUsagePages } from '../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { dynamoAdminKeys } from '../../adapters/dynamodb/users/admin-keys.ts'
import { dynamoIdentityInvites } from '../../adapters/dynamodb/users/identity-invites.ts'
import { dynamoKeys } from '../../adapters/dynamodb/users/keys.ts'
import { dynamoLogins } from '../../adapters/dynamodb/users/logins.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/users/rate-counters.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/users/secrets.ts'
import { dynamoSharedSecrets } from '../../adapters/dynamodb/users/shared-secrets.ts'
import { dynamoUserDirectory } from '../../adapters/dynamodb/users/user-directory.ts'
import { dynamoUsernames } from '../../adapters/dynamodb/users/usernames.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeOpenApiDocuments } from '../../adapters/formats/openapi-text.ts'
import { makeSkillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { makeHookOptionChecks } from '../../adapters/hooks/all-hooks.ts'
import { functionUrlDryRuns } from '../../adapters/internal-http/dry-run-peer.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { functionUrlListings } from '../../adapters/internal-http/listings-peer.ts'
import { makeKmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { makeAdminSecrets } from '../../adapters/secrets/admin-secrets.ts'
import { makeSecretsClient } from '../../adapters/secrets/client.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { openEdgeCheck } from '../edge/behind-edge.ts'
import { startFunction } from '../start-function.ts'
import { createAdminDoor } from './door.ts'
import { createTokenVerifier, openIssuerUpstream } from './token-verifier.ts'

const { config, clock, log, store } = startFunction(
  'admin',
  ['settings', 'adminSecretIds', 'secretsKey', 'executeUrl', 'signing', 'lambda', 'edge'],
  sdkClient,
)

const digests = nodeDigests()
const upstream = openIssuerUpstream(config.settings)

export const handler = createAdminDoor(
  {
    adminKeys: dynamoAdminKeys(store),
    auditTrail: dynamoAuditTrail(store),
    adminSecrets: makeAdminSecrets({
      client: makeSecretsClient(),
      ids: config.adminSecretIds,
      clock,
      onStale: (cause) => log.note('error', 'admin-secrets-stale', {}, cause),
    }),
    alarms: makeLatePort(async () => {
      const { makeCloudWatchAlarms } = await import('../../adapters/alarms/cloudwatch-alarms.ts')
      return makeCloudWatchAlarms({ ...config.lambda, stage: config.telemetry.stage })
    }),
    callExcerpts: dynamoCallExcerpts(store),
    events: dynamoEvents(store),
    guides: dynamoGuides(store),
    tokenVerifier: createTokenVerifier({ clock, digests, log }, config.settings, upstream),
    toolListVersion: dynamoToolListVersion(store),
    clock,
    digests,
    dryRuns: functionUrlDryRuns({ url: config.executeUrl, ...config.signing, clock }),
    execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
    hooks: makeHookOptionChecks({ ...config.settings, clock }),
    identityInvites: dynamoIdentityInvites(store),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store),
    logins: dynamoLogins(store),
    mcpListings: functionUrlListings({ url: config.executeUrl, ...config.signing, clock }),
    mcpUpstreams: dynamoMcpUpstreams(store),
    v0: dynamoV0(store),
    log,
    openApiDocuments: makeOpenApiDocuments(),
    profiles: dynamoProfiles(store),
    rateCounters: dynamoRateCounters(store),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    secretSeals: makeKmsSecretSeals(config.secretsKey),
    secrets: dynamoSecrets(store),
    sharedSecrets: dynamoSharedSecrets(store),
    skills: dynamoSkills(store),
    skillVersions: dynamoSkillVersions(store),
    sweepEntries: dynamoSweepEntries(store),
    taggedFunctions: makeLatePort(async () => {
      const { createTaggedFunctions } = await import('../../adapters/functions/late-functions.ts')
      return createTaggedFunctions()
    }),
    toolsCache: dynamoToolsCache(store),
    usagePages: dynamoUsagePages(store),
    usageSums: dynamoUsageSums(store),
    usernames: dynamoUsernames(store),
    userDirectory: dynamoUserDirectory(store),
    leases: dynamoLeases(store),
    sessions: dynamoSessions(store),
  },
  config.settings,
  {
    edge: openEdgeCheck({ clock, config, log }),
    readConsole: readConsoleFrom(join(import.meta.dirname, 'console')),
    upstream,
  },
)
