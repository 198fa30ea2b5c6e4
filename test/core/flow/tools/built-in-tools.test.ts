import { describe, expect, test } from 'vitest'
import { listBuiltInTools, makeBuiltInTools } from '../../../../core/flow/tools/built-in-tools.ts'
import { findBuiltInName, isReservedId } from '../../../../core/skills/built-in-names.ts'

describe('built-in tools', () => {
  test('carry the prefix and a closed schema', () => {
    const tools = listBuiltInTools({ prefix: 'acme' }, 'all')
    expect(tools.map(({ name }) => name)).toEqual([
      'acme_account',
      'acme_read_result',
      'acme_search_skills',
      'acme_usage',
    ])
    for (const { inputSchema } of tools) expect(inputSchema['additionalProperties']).toBe(false)
    const shown = tools.map(({ inputSchema }) => Object.keys(inputSchema['properties'] ?? {}))
    expect(shown).toEqual([
      [],
      ['uri', 'range', 'lines', 'pointer'],
      ['query', 'limit'],
      ['limit', 'cursor'],
    ])
  })

  test('have hints that they only read the gateway’s own records', () => {
    for (const { annotations } of listBuiltInTools({ prefix: 'sg' }, 'all')) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
    }
  })

  test('a built-in tool is known by its name under the prefix, and no skill may have that name', () => {
    expect(findBuiltInName('acme', 'acme_account')).toBe('account')
    expect(findBuiltInName('acme', 'acme_usage')).toBe('usage')
    expect(findBuiltInName('acme', 'sg_account')).toBeUndefined()
    expect(findBuiltInName('sg', 'usage')).toBeUndefined()
    expect(
      makeBuiltInTools({ prefix: 'sg' }).every((entry) => isReservedId('sg', entry.name)),
    ).toBe(true)
  })
})
