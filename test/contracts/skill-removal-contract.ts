/**
 * Contract of the port Skills: a record is removed by the version that was read, by one of many.
 */
import { describe, expect, test } from 'vitest'
import { atOnce, freshName, privateSkillOf, skillOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeSkillRemoval(name: string, makePorts: MakePorts): void {
  describe(`${name}: removal of skills`, () => {
    const opened = openedPorts(makePorts)

    test.each(['official', 'market', 'private'] as const)(
      'a %s record goes with the version that was read, once',
      async (source) => {
        const { skills } = opened()
        const [skillId, uid] = [freshName('sg_'), freshName('u-')]
        const isPrivate = source === 'private'
        const record = isPrivate ? privateSkillOf(uid, skillId) : skillOf(skillId, { source })
        const key = { source, skillId, ...(isPrivate ? { uid } : {}) }
        await skills.put(record, 0)
        expect(await skills.remove(key, 2)).toBe(false)
        expect(await skills.get(key)).toEqual(record)
        expect(await skills.remove(key, 1)).toBe(true)
        expect(await skills.get(key)).toBeUndefined()
        expect(await skills.remove(key, 1)).toBe(false)
        expect(await skills.put({ ...record, version: 2 }, 0)).toBe(true)
      },
    )

    test("a removal leaves the same id of other tiers and of other users' alone", async () => {
      const { skills } = opened()
      const [skillId, ada, bob] = [freshName('sg_'), freshName('u-'), freshName('u-')]
      for (const record of [skillOf(skillId), skillOf(skillId, { source: 'market' })]) {
        await skills.put(record, 0)
      }
      for (const uid of [ada, bob]) await skills.put(privateSkillOf(uid, skillId), 0)
      expect(await skills.remove({ source: 'private', skillId, uid: ada }, 1)).toBe(true)
      expect(await skills.remove({ source: 'official', skillId }, 1)).toBe(true)
      expect(await skills.get({ source: 'market', skillId })).toBeDefined()
      expect(await skills.get({ source: 'private', skillId, uid: bob })).toBeDefined()
    })

    test('a single one of 20 removals of one version at once succeeds', async () => {
      const { skills } = opened()
      const record = skillOf(freshName('sg_'))
      await skills.put(record, 0)
      const { skillId, source } = record
      const removed = await atOnce(20, () => skills.remove({ source, skillId }, 1))
      expect(removed.filter((did) => did)).toHaveLength(1)
    })

    test('a removal and a put of one version at once let a single one succeed', async () => {
      const { skills } = opened()
      const record = skillOf(freshName('sg_'))
      await skills.put(record, 0)
      const { skillId, source } = record
      const [removed, wrote] = await Promise.all([
        skills.remove({ source, skillId }, 1),
        skills.put({ ...record, version: 2 }, 1),
      ])
      expect([removed, wrote].filter((did) => did)).toHaveLength(1)
      expect((await skills.get({ source, skillId }))?.version).toBe(removed ? undefined : 2)
    })
  })
}
