/**
 * skillversion:{tier}: the newest SKILL_VERSIONS_KEPT versions of each skill, as whole records.
 * skills.ts writes each version in one transaction with the skill. Bound by docs/service.md,
 * Records.
 */
import type { SkillVersions } from '../../../core/ports/registry.ts'
import { SKILL_VERSIONS_KEPT } from '../../../core/skills/limits.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { removeFirst } from '../client/remove-first.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission, Permissions } from '../permission.ts'
import { fromSkillItem, toSkillItem } from '../records/skill-item.ts'
import { SKILL_VERSIONS_PK, skillVersionKey } from '../table.ts'

const READ_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [SKILL_VERSIONS_PK] },
]

export const SKILL_VERSIONS_PERMISSIONS: Permissions<SkillVersions> = {
  list: READ_PERMISSIONS,
  get: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SKILL_VERSIONS_PK] }],
  dropOwned: [
    { table: 'gateway', actions: ['Query', 'DeleteItem'], keyPrefixes: [SKILL_VERSIONS_PK] },
  ],
}

/** Greater than every version; twelve digits, as in the sort key. */
const VERSION_ABOVE_ALL = 10 ** 12 - 1

export function dynamoSkillVersions(store: DynamoStore): SkillVersions {
  const table = store.tables.gateway
  return {
    async list({ before = VERSION_ABOVE_ALL, limit, ...of }) {
      const { pk, sk: to } = skillVersionKey(of, before - 1)
      const items = await store.query(table, {
        where: '#pk = :pk AND #sk BETWEEN :from AND :to',
        values: { pk, from: skillVersionKey(of, 0).sk, to },
        limit: limit + 1,
        backwards: true,
      })
      const versions = items.slice(0, limit).map(fromSkillItem)
      return { versions, next: items.length > limit ? versions.at(-1)?.version : undefined }
    },
    async get({ version, ...of }) {
      const item = await store.get(table, skillVersionKey(of, version), 'consistent')
      return item === undefined ? undefined : fromSkillItem(item)
    },
    // The caller's next request removes a version that a sync writes meanwhile.
    async dropOwned({ uid, limit }) {
      const { pk } = skillVersionKey({ source: 'private', uid, skillId: '-' }, 0)
      return removeFirst(store, table, { pk, limit })
    },
  }
}

/**
 * Writes for the transaction that puts the skill: the new version, and the removal of the oldest.
 * No version number is used twice, even after a deletion. So the condition also refuses a late copy
 * of a put that lost against another one.
 */
export function makeVersionWrites(table: string, record: SkillRecord): readonly TransactWrite[] {
  const put = { table, put: toVersionItem(record), if: 'attribute_not_exists(#pk)' }
  const old = record.version - SKILL_VERSIONS_KEPT
  if (old < 1) return [put]
  // The type of a removal requires a condition; this one is always met.
  const always = 'attribute_exists(#pk) OR attribute_not_exists(#pk)'
  return [put, { table, remove: skillVersionKey(record, old), if: always }]
}

function toVersionItem(record: SkillRecord) {
  return { ...toSkillItem(record), ...skillVersionKey(record, record.version) }
}
