/** Contract of the port Skills: three tiers, versions, paging, and claims of tool names. */
import { describe, expect, test } from 'vitest'
import type { SkillRecord, SkillSource } from '../../core/skills/skill.ts'
import { atOnce, freshName, privateSkillOf, skillOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

/** Values that a store may change by mistake: large numbers, empty values, odd names. */
const ODD_DEFINITION: SkillRecord['definition'] = JSON.parse(
  '{"a":{"empty":{},"list":[],"text":"","none":null,"tiny":1e-7,"huge":1e308,"big":9007199254740991,' +
    '"minus":-0.1,"__proto__":{"admin":true},"ünï":"😀\\u0000"},"credits_per_call":0.000001}',
)

export function describeSkills(name: string, makePorts: MakePorts): void {
  describe(`${name}: skills`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown skill has no record', async () => {
      const { skills } = opened()
      const skillId = freshName('sg_')
      expect(await skills.get({ source: 'official', skillId })).toBeUndefined()
      expect(await skills.get({ source: 'private', skillId, uid: 'u-1' })).toBeUndefined()
    })

    test.each(['official', 'market'] as const)(
      'a %s record comes back as it was put',
      async (source) => {
        const { skills } = opened()
        const record = skillOf(freshName('sg_'), { source, definition: ODD_DEFINITION })
        expect(await skills.put(record, 0)).toBe(true)
        const found = await skills.get({ source, skillId: record.skillId })
        expect(found).toEqual(record)
        expect(JSON.stringify(found?.definition)).toBe(JSON.stringify(ODD_DEFINITION))
      },
    )

    test('each tier has its own records, and so has each user', async () => {
      const { skills } = opened()
      const skillId = freshName('sg_')
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      await skills.put(privateSkillOf(ada, skillId), 0)
      expect(await skills.get({ source: 'private', skillId, uid: ada })).toEqual(
        privateSkillOf(ada, skillId),
      )
      expect(await skills.get({ source: 'private', skillId, uid: bob })).toBeUndefined()
      expect(await skills.get({ source: 'official', skillId })).toBeUndefined()
      expect(await skills.get({ source: 'market', skillId })).toBeUndefined()
      expect(await skills.list({ source: 'private', uid: bob, limit: 10 })).toEqual({
        records: [],
        next: undefined,
      })
    })

    test('a uid changes nothing outside the private tier', async () => {
      const { skills } = opened()
      const record = skillOf(freshName('sg_'))
      await skills.put(record, 0)
      expect(await skills.get({ source: 'official', skillId: record.skillId, uid: 'u-9' })).toEqual(
        record,
      )
    })

    test('a put needs the version that is stored', async () => {
      const { skills } = opened()
      const first = skillOf(freshName('sg_'))
      const second = { ...first, version: 2, updatedAtMs: first.updatedAtMs + 1 }
      const key = { source: first.source, skillId: first.skillId }
      expect(await skills.put(second, 1)).toBe(false)
      expect(await skills.get(key)).toBeUndefined()
      expect(await skills.put(first, 0)).toBe(true)
      expect(await skills.put(second, 0)).toBe(false)
      expect(await skills.put(second, 2)).toBe(false)
      expect(await skills.get(key)).toEqual(first)
      expect(await skills.put(second, 1)).toBe(true)
      expect(await skills.get(key)).toEqual(second)
    })

    test('a single one of 20 writers at once from one version writes', async () => {
      const { skills } = opened()
      const first = skillOf(freshName('sg_'))
      await skills.put(first, 0)
      const wrote = await atOnce(20, (index) =>
        skills.put({ ...first, version: 2, toolName: `writer-${index}` }, 1),
      )
      const winner = wrote.indexOf(true)
      expect(wrote.filter((won) => won)).toHaveLength(1)
      const stored = await skills.get({ source: first.source, skillId: first.skillId })
      expect(stored?.toolName).toBe(`writer-${winner}`)
    })

    test.each(['stop', 'push'] as const)(
      'a stop and a push from one version are put once: the %s that is first refuses the other, which reads it',
      async (winner) => {
        const { skills } = opened()
        const first = skillOf(freshName('sg_'))
        await skills.put(first, 0)
        const key = { source: first.source, skillId: first.skillId }
        const next = { ...first, version: 2, updatedAtMs: first.updatedAtMs + 1 }
        const writes = {
          stop: { ...next, definition: { ...first.definition, state: 'disabled' } },
          push: { ...next, definition: { ...first.definition, pushed: true } },
        }
        const loser = winner === 'stop' ? 'push' : 'stop'
        expect(await skills.put(writes[winner], 1)).toBe(true)
        expect(await skills.put(writes[loser], 1)).toBe(false)
        const read = await skills.get(key)
        expect(read).toEqual(writes[winner])
        const both = { ...first.definition, pushed: true, state: 'disabled' }
        expect(await skills.put({ ...next, version: 3, definition: both }, 2)).toBe(true)
        expect((await skills.get(key))?.definition).toEqual(both)
      },
    )

    test("the store lists a user's skills in skillId order, page by page", async () => {
      const { skills } = opened()
      const uid = freshName('u-')
      const ids = ['sg_b', 'sg_a', 'sg_d', 'sg_B', 'sg_c', 'sg_10', 'sg_9']
      for (const skillId of ids) await skills.put(privateSkillOf(uid, skillId), 0)
      const pages = await allPages(skills, { source: 'private', uid, limit: 3 })
      expect(pages.map((page) => page.length).slice(0, 3)).toEqual([3, 3, 1])
      expect(pages.flat().map((record) => record.skillId)).toEqual([
        'sg_10',
        'sg_9',
        'sg_B',
        'sg_a',
        'sg_b',
        'sg_c',
        'sg_d',
      ])
      expect(pages.flat()[0]).toEqual(privateSkillOf(uid, 'sg_10'))
    })

    test('a page may begin after an id that is not stored', async () => {
      const { skills } = opened()
      const uid = freshName('u-')
      for (const skillId of ['sg_a', 'sg_c']) await skills.put(privateSkillOf(uid, skillId), 0)
      const page = await skills.list({ source: 'private', uid, after: 'sg_b', limit: 10 })
      expect(page.records.map((record) => record.skillId)).toEqual(['sg_c'])
      expect(page.next).toBeUndefined()
    })

    test.each(['official', 'market'] as const)('the %s tier is listed in order', async (source) => {
      const { skills } = opened()
      const prefix = freshName('sg_')
      for (const end of ['3', '1', '2']) await skills.put(skillOf(prefix + end, { source }), 0)
      const page = await skills.list({ source, after: prefix, limit: 3 })
      expect(page.records.map((record) => record.skillId)).toEqual([
        `${prefix}1`,
        `${prefix}2`,
        `${prefix}3`,
      ])
    })

    test('a tool name belongs to the first skill of the user that claims it', async () => {
      const { skills } = opened()
      const [uid, other] = [freshName('u-'), freshName('u-')]
      const toolName = 'ada_joke'
      expect(await skills.claimToolName({ uid, toolName, skillId: 'sg_joke' })).toBe('sg_joke')
      expect(await skills.claimToolName({ uid, toolName, skillId: 'sg_joke!' })).toBe('sg_joke')
      expect(await skills.claimToolName({ uid, toolName, skillId: 'sg_joke' })).toBe('sg_joke')
      expect(await skills.claimToolName({ uid: other, toolName, skillId: 'sg_x' })).toBe('sg_x')
      await skills.dropToolNames(uid)
      await skills.dropToolNames(uid)
      expect(await skills.claimToolName({ uid, toolName, skillId: 'sg_new' })).toBe('sg_new')
      expect(await skills.claimToolName({ uid: other, toolName, skillId: 'sg_y' })).toBe('sg_x')
    })

    test('20 claims of one tool name at once all get the same holder', async () => {
      const { skills } = opened()
      const uid = freshName('u-')
      const answers = await atOnce(20, (index) =>
        skills.claimToolName({ uid, toolName: 'ada_joke', skillId: `sg_joke${index}` }),
      )
      expect(new Set(answers).size).toBe(1)
      const holder = answers[0] ?? ''
      expect(holder).toMatch(/^sg_joke\d+$/)
      expect(await skills.claimToolName({ uid, toolName: 'ada_joke', skillId: 'sg_late' })).toBe(
        holder,
      )
    })
  })
}

/** All pages up to the last; an empty last page is allowed. */
async function allPages(
  skills: StorePorts['skills'],
  of: { source: SkillSource; uid: string; limit: number },
): Promise<(readonly SkillRecord[])[]> {
  const pages = []
  let after: string | undefined
  do {
    const page = await skills.list({ ...of, ...(after === undefined ? {} : { after }) })
    pages.push(page.records)
    after = page.next
  } while (after !== undefined && pages.length < 10)
  return pages
}
