import { describe, expect, test } from 'vitest'
import { makeDefinition } from '../../../core/skills/definition/markdown-skill.ts'
import {
  GROUP_CHARS_MAX,
  readGroups,
  SKILL_GROUPS_MAX,
  USER_GROUPS_MAX,
} from '../../../core/skills/group-names.ts'
import { faults, good, MINIMAL } from './reading.ts'

const many = (count: number) => Array.from({ length: count }, (_, n) => `g${n}`)
const LONGEST = 'g'.repeat(GROUP_CHARS_MAX)

describe('groups of a skill', () => {
  test('are read once each, in order, and stay in the definition as they were sent', () => {
    const read = good({ ...MINIMAL, groups: ['ops', 'hr', 'ops'] })
    expect(read.skill.groups).toEqual(['hr', 'ops'])
    expect(read.definition['groups']).toEqual(['ops', 'hr', 'ops'])
    expect(read.warnings).toEqual([])
  })

  test('are absent where there are none', () => {
    expect(good(MINIMAL).skill).not.toHaveProperty('groups')
    expect(good({ ...MINIMAL, groups: [] }).skill).not.toHaveProperty('groups')
  })

  test('are at most 16, each of at most 64 characters', () => {
    expect([SKILL_GROUPS_MAX, USER_GROUPS_MAX, GROUP_CHARS_MAX]).toEqual([16, 32, 64])
    expect(good({ ...MINIMAL, groups: [...many(15), LONGEST] }).skill.groups).toHaveLength(16)
    expect(faults({ ...MINIMAL, groups: many(17) })).toEqual([
      '/groups must be a list of at most 16 groups',
    ])
    expect(faults({ ...MINIMAL, groups: ['ops', `${LONGEST}g`] })).toEqual([
      '/groups/1 must be 1 to 64 characters of A-Z, a-z, 0-9, - and _, a letter or digit first',
    ])
  })

  test.each([null, 'ops', {}, 7])('cannot be %j', (groups) => {
    expect(faults({ ...MINIMAL, groups })).toEqual(['/groups must be a list of at most 16 groups'])
  })

  test.each(['', '-', '-ops', 'a b', 'ä', 7, null])('have no group %j', (group) => {
    expect(faults({ ...MINIMAL, groups: [group] })).toHaveLength(1)
  })

  test('have no effect on a private skill, and its author is told', () => {
    const read = good({ ...MINIMAL, source: 'private', groups: ['ops'] })
    expect(read.warnings).toEqual([
      '/groups: has no effect on a private skill, which its owner alone sees',
    ])
  })

  test('are read from the YAML block of a Markdown skill', () => {
    const lines = { heading: 1, yaml: 3, json: 9 }
    const yaml = { id: 'sg_x', groups: ['ops'], endpoint: 'https://api.example/' }
    const definition = makeDefinition(
      { name: 'X', paragraph: 'Does x.', yaml, json: { type: 'object' }, lines },
      'sg',
    )
    expect(definition).toMatchObject({ ok: true, value: { groups: ['ops'] } })
    expect(definition.ok && definition.value['config']).toEqual({ endpoint: yaml.endpoint })
  })
})

test('groups of a user are at most 32', () => {
  const read = (count: number) => readGroups(many(count), { at: '/groups', max: USER_GROUPS_MAX })
  expect(read(32).faults).toEqual([])
  expect(read(33)).toEqual({
    groups: [],
    faults: [{ pointer: '/groups', message: 'must be a list of at most 32 groups' }],
  })
})
