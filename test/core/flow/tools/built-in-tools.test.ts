import { describe, expect, test } from 'vitest'
import { builtInTools } from '../../../../core/flow/tools/built-in-tools.ts'
import { builtInName, isReserved } from '../../../../core/skills/built-in-names.ts'

describe('built-in tools', () => {
  test('carry the prefix and a closed schema', () => {
    const tools = builtInTools({ prefix: 'acme' })
    expect(tools.map(({ name }) => name)).toEqual([
      'acme_account',
      'acme_search_skills',
      'acme_usage',
    ])
    for (const { inputSchema } of tools) expect(inputSchema['additionalProperties']).toBe(false)
    const shown = tools.map(({ inputSchema }) => Object.keys(inputSchema['properties'] ?? {}))
    expect(shown).toEqual([[], ['query', 'limit'], ['limit', 'cursor']])
  })

  test('have hints that they only read the gateway’s own records', () => {
    for (const { annotations } of builtInTools({ prefix: 'sg' })) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
    }
  })

  test('a built-in tool is known by its name under the prefix, and no skill may have that name', () => {
    expect(builtInName('acme', 'acme_account')).toBe('account')
    expect(builtInName('acme', 'acme_usage')).toBe('usage')
    expect(builtInName('acme', 'sg_account')).toBeUndefined()
    expect(builtInName('sg', 'usage')).toBeUndefined()
    expect(builtInTools({ prefix: 'sg' }).every((entry) => isReserved('sg', entry.name))).toBe(true)
  })
})
