import { describe, expect, test } from 'vitest'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import { isVisible, pickVisible, readStoredGroups } from '../../../core/skills/visible.ts'

function record(source: SkillRecord['source'], groups?: readonly string[]): SkillRecord {
  return {
    skillId: 'sg_x',
    source,
    uid: undefined,
    toolName: 'sg_x',
    definition: groups === undefined ? {} : { groups },
    createdAtMs: 0,
    updatedAtMs: 0,
    version: 1,
    by: 'admin',
    origin: 'sync',
  }
}

const NONE = { private: undefined, official: undefined, market: undefined }

describe('a skill', () => {
  test.each([
    [undefined, [], true],
    [[], [], true],
    [['ops'], [], false],
    [['ops'], ['hr'], false],
    [['ops', 'hr'], ['hr'], true],
    [['ops'], ['Ops'], false],
  ])('of the groups %j is seen by a caller of %j: %j', (groups, callers, seen) => {
    expect(isVisible(groups, callers)).toBe(seen)
  })

  test.each([null, 'ops', ['ops', 7], ['a b'], {}, ['']])(
    'whose stored groups are %j is seen by nobody',
    (value) => {
      const groups = readStoredGroups(value)
      expect(isVisible(groups, [])).toBe(false)
      expect(isVisible(groups, ['ops', 'a b', '', ...groups.filter((one) => one !== '-')])).toBe(
        false,
      )
    },
  )
})

describe('the records that a name may mean', () => {
  const own = record('private', ['ops'])
  const official = record('official', ['ops'])
  const market = record('market')

  test('are all present for a caller of the group', () => {
    const found = { private: own, official, market }
    expect(pickVisible(found, ['ops'])).toBe(found)
  })

  test('are no market skill behind an official one that the caller may not see', () => {
    expect(pickVisible({ private: own, official, market }, [])).toEqual({
      ...NONE,
      private: own,
    })
  })

  test('are the market skill where there is no official one, by its own groups', () => {
    expect(pickVisible({ ...NONE, market }, [])).toEqual({ ...NONE, market })
    const closed = { ...NONE, market: record('market', ['ops']) }
    expect(pickVisible(closed, ['hr'])).toEqual(NONE)
  })
})
