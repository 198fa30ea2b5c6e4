/** The deployed admin function: builds its ports once, is the door. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts'
import { dynamoLegacy } from '../../adapters/dynamodb/legacy.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/secrets.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
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
    broadcast: dynamoBroadcast(store),
    clock,
    digests: nodeDigests(),
    hooks: hookOptionChecks({ clock, outboundAllow: config.settings.outboundAllow }),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store),
    legacy: dynamoLegacy(store),
    log,
    profiles: dynamoProfiles(store),
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
    secretSeals: kmsSecretSeals(config.secretsKey),
    secrets: dynamoSecrets(store),
    skills: dynamoSkills(store),
    toolsCache: dynamoToolsCache(store),
  },
  config.settings,
)
