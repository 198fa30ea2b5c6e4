/** Entry point of the deployed admin function: builds the ports once. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/accounts/secrets.ts'
import { dynamoUsernames } from '../../adapters/dynamodb/accounts/usernames.ts'
import { dynamoCallExcerpts } from '../../adapters/dynamodb/ledger/call-excerpts.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoUsagePages } from '../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { skillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { hookOptionChecks } from '../../adapters/hooks/all-hooks.ts'
import { kmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { secretsManagerAdminSecrets } from '../../adapters/secrets/admin-secrets.ts'
import { secretsClient } from '../../adapters/secrets/client.ts'
import { startFunction } from '../start-function.ts'
import { adminDoor } from './door.ts'

const { config, clock, log, store } = startFunction('admin', [
  'settings',
  'adminSecretIds',
  'secretsKey',
])

export const handler = adminDoor(
  {
    adminSecrets: secretsManagerAdminSecrets({
      client: secretsClient(),
      ids: config.adminSecretIds,
      clock,
      onStale: (cause) => log.note('error', 'admin-secrets-stale', {}, cause),
    }),
    callExcerpts: dynamoCallExcerpts(store),
    toolListVersion: dynamoToolListVersion(store),
    clock,
    digests: nodeDigests(),
    hooks: hookOptionChecks({ clock, outboundAllow: config.settings.outboundAllow }),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store),
    v0: dynamoV0(store),
    log,
    profiles: dynamoProfiles(store),
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
    secretSeals: kmsSecretSeals(config.secretsKey),
    secrets: dynamoSecrets(store),
    skills: dynamoSkills(store),
    toolsCache: dynamoToolsCache(store),
    usagePages: dynamoUsagePages(store),
    usageSums: dynamoUsageSums(store),
    usernames: dynamoUsernames(store),
  },
  config.settings,
)
