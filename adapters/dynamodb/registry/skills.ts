/**
 * skill:{tier}:{skillId}, the registry, and toolname:{uid}/{toolName}, the skill that owns a tool
 * name. This file does not check definitions. Bound by docs/service.md, Tool names and Records.
 */
import { Fault } from '../../../core/errors.ts'
import type { Skills } from '../../../core/ports/registry.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { fromSkillItem, skillKey, toSkillItem } from '../records/skill-item.ts'
import {
  MARKET_SKILLS_PK,
  OFFICIAL_SKILLS_PK,
  PRIVATE_SKILLS_PK,
  SKILL_VERSIONS_PK,
  TOOL_NAMES_PK,
  toolNameKey,
} from '../table.ts'
import { makeVersionWrites } from './skill-versions.ts'

export const SKILLS_PAGE_MAX = 1_000

const EVERY_TIER = [PRIVATE_SKILLS_PK, OFFICIAL_SKILLS_PK, MARKET_SKILLS_PK]

export const SKILLS_PERMISSIONS: Permissions<Skills> = {
  get: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: EVERY_TIER }],
  put: [
    { table: 'gateway', actions: ['PutItem'], keyPrefixes: [...EVERY_TIER, SKILL_VERSIONS_PK] },
    { table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [SKILL_VERSIONS_PK] },
  ],
  remove: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: EVERY_TIER }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: EVERY_TIER }],
  dropToolNames: [
    { table: 'gateway', actions: ['Query', 'DeleteItem'], keyPrefixes: [TOOL_NAMES_PK] },
  ],
  claimToolName: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [TOOL_NAMES_PK] }],
}

export function dynamoSkills(store: DynamoStore): Skills {
  const table = store.tables.gateway
  return {
    async get(key) {
      const item = await store.get(table, skillKey(key), 'consistent')
      return item === undefined ? undefined : fromSkillItem(item)
    },

    // Two syncs from one version: the first put increases the version; the second is refused and
    // reads again. A put that is repeated after a lost answer finds its own record: written. The
    // put is a transaction with its version record. Token and condition refuse a copy that arrives
    // late, which would restore a deleted skill. Dying before: the old record remains. Dying after:
    // the new record is complete.
    async put(record, ifVersion) {
      const condition =
        ifVersion === 0
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#version = :ifVersion', values: { ifVersion } }
      const answer = await store.transact([
        { table, put: toSkillItem(record), ...condition },
        ...makeVersionWrites(table, record),
      ])
      if (answer.kind === 'written') return true
      const old = answer.refusals[0]?.old
      return old !== undefined && isSameRecord(fromSkillItem(old), record)
    },

    // A sync writes v+1 after the caller has read v: the removal is refused, so a skill that was
    // just put is not removed by mistake. The token recognises a removal that is repeated after a
    // lost answer.
    async remove(key, ifVersion) {
      const condition = { if: '#version = :ifVersion', values: { ifVersion } }
      const answer = await store.transact([{ table, remove: skillKey(key), ...condition }])
      return answer.kind === 'written'
    },

    async list({ source, uid, after, limit }) {
      const size = Math.min(limit, SKILLS_PAGE_MAX)
      const { pk } = skillKey({ source, uid, skillId: '-' })
      const items = await store.query(table, {
        where: after === undefined ? '#pk = :pk' : '#pk = :pk AND #sk > :after',
        values: after === undefined ? { pk } : { pk, after },
        // One further item shows whether this is the last page.
        limit: size + 1,
      })
      const records = items.slice(0, size).map(fromSkillItem)
      return { records, next: items.length > size ? records.at(-1)?.skillId : undefined }
    },

    // Two skills claim one name: the first put succeeds, and both callers get its skill id. A claim
    // that its owner repeats is refused too and returns the owner's id. Dying after the put: the
    // next sync finds the claim.
    async claimToolName({ uid, toolName, skillId }) {
      const answer = await store.put(table, {
        item: { ...toolNameKey(uid, toolName), uid, toolName, skillId },
        if: 'attribute_not_exists(#pk)',
      })
      if (answer.kind === 'written') return skillId
      if (answer.old === undefined) throw new Fault('internal', 'store: refused by no item')
      return textAt(answer.old, 'skillId')
    },

    dropToolNames: (uid) => dropToolNames(store, uid),
  }
}

function isSameRecord(stored: SkillRecord, record: SkillRecord): boolean {
  return (
    stored.version === record.version &&
    stored.updatedAtMs === record.updatedAtMs &&
    stored.toolName === record.toolName &&
    JSON.stringify(stored.definition) === JSON.stringify(record.definition)
  )
}

/** A claim that is put meanwhile may remain: its user is being deleted and runs no skill. */
async function dropToolNames(store: DynamoStore, uid: string): Promise<void> {
  const table = store.tables.gateway
  const { pk } = toolNameKey(uid, '-')
  const claims = await store.query(table, { where: '#pk = :pk', only: '#pk, #sk', values: { pk } })
  for (const claim of claims) await store.remove(table, { pk, sk: textAt(claim, 'sk') })
}
