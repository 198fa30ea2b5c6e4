/** Contract of the port SkillVersions: what a put keeps of a skill, for how long, and for whom. */
import { describe, expect, test } from 'vitest'
import { SKILL_VERSIONS_KEPT } from '../../core/skills/limits.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'
import { freshName, privateSkillOf, skillOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeSkillVersions(name: string, makePorts: MakePorts): void {
  describe(`${name}: versions of a skill`, () => {
    const opened = openedPorts(makePorts)

    test('each version that is put is kept whole, with its author, and listed newest first, page by page', async () => {
      const { skillVersions, skills } = opened()
      const first = skillOf(freshName('sg_'))
      const records = versionsOf(first, 5)
      for (const record of records) expect(await skills.put(record, record.version - 1)).toBe(true)
      const newest = [...records].reverse()
      const page = await skillVersions.list({ ...first, limit: 3 })
      expect(page).toEqual({ versions: newest.slice(0, 3), next: 3 })
      const rest = await skillVersions.list({ ...first, limit: 3, before: 3 })
      expect(rest).toEqual({ versions: newest.slice(3), next: undefined })
      expect(await skillVersions.get({ ...first, version: 2 })).toEqual(records[1])
      expect(await skillVersions.get({ ...first, version: 6 })).toBeUndefined()
    })

    test(`the last ${SKILL_VERSIONS_KEPT} versions are kept`, async () => {
      const { skillVersions, skills } = opened()
      const first = skillOf(freshName('sg_'))
      const records = versionsOf(first, SKILL_VERSIONS_KEPT + 2)
      for (const record of records.slice(0, SKILL_VERSIONS_KEPT)) {
        await skills.put(record, record.version - 1)
      }
      expect(await skillVersions.get({ ...first, version: 1 })).toEqual(records[0])
      for (const record of records.slice(SKILL_VERSIONS_KEPT)) {
        await skills.put(record, record.version - 1)
      }
      const { versions } = await skillVersions.list({ ...first, limit: 100 })
      expect(versions).toEqual(records.slice(2).reverse())
    })

    test('versions outlive the skill, and none is written a second time', async () => {
      const { skillVersions, skills } = opened()
      const first = skillOf(freshName('sg_'))
      const key = { source: first.source, skillId: first.skillId }
      await skills.put(first, 0)
      expect(await skills.remove(key, 1)).toBe(true)
      expect(await skillVersions.get({ ...key, version: 1 })).toEqual(first)
      // As a copy of the first put would, which the network delivers late.
      expect(await skills.put({ ...first, toolName: 'late' }, 0)).toBe(false)
      expect(await skills.get(key)).toBeUndefined()
      expect(await skills.put({ ...first, version: 2 }, 0)).toBe(true)
    })

    test('a put that is refused keeps no version', async () => {
      const { skillVersions, skills } = opened()
      const first = skillOf(freshName('sg_'))
      await skills.put(first, 0)
      expect(await skills.put({ ...first, version: 3 }, 2)).toBe(false)
      expect((await skillVersions.list({ ...first, limit: 10 })).versions).toEqual([first])
    })

    test("versions of a user's private skills are removed some at a time, and no others", async () => {
      const { skillVersions, skills } = opened()
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      const [adas, bobs] = [privateSkillOf(ada, 'sg_a'), privateSkillOf(bob, 'sg_a')]
      for (const record of versionsOf(adas, 3)) await skills.put(record, record.version - 1)
      await skills.put(privateSkillOf(ada, 'sg_b'), 0)
      await skills.put(bobs, 0)
      expect(await skillVersions.dropOwned({ uid: ada, limit: 3 })).toBe(false)
      expect(await skillVersions.dropOwned({ uid: ada, limit: 3 })).toBe(true)
      for (const skillId of ['sg_a', 'sg_b']) {
        const of = { source: 'private', skillId, uid: ada, limit: 9 } as const
        expect((await skillVersions.list(of)).versions).toEqual([])
      }
      expect((await skillVersions.list({ ...bobs, limit: 9 })).versions).toEqual([bobs])
    })

    test('each tier, each user and each skill has versions of its own', async () => {
      const { skillVersions, skills } = opened()
      const skillId = freshName('sg_')
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      const records = [
        skillOf(skillId),
        skillOf(skillId, { source: 'market' }),
        privateSkillOf(ada, skillId),
        skillOf(`${skillId}x`),
      ]
      for (const record of records) await skills.put(record, 0)
      for (const record of records) {
        expect((await skillVersions.list({ ...record, limit: 10 })).versions).toEqual([record])
      }
      const of = { source: 'private', skillId, uid: bob } as const
      expect((await skillVersions.list({ ...of, limit: 10 })).versions).toEqual([])
      expect(await skillVersions.get({ ...of, version: 1 })).toBeUndefined()
    })
  })
}

function versionsOf(first: SkillRecord, count: number): readonly SkillRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    ...first,
    version: index + 1,
    updatedAtMs: first.updatedAtMs + index,
    by: `admin ${index}`,
    origin: 'sync',
  }))
}
