import { expect, test } from 'vitest'
import { cachePerTool } from '../../../core/mcp/once-per-tool.ts'
import { PLAIN } from './tools.ts'

test('an entry is made once for a tool, and anew for another object', () => {
  const names: string[] = []
  const entryOf = cachePerTool(({ name }) => {
    names.push(name)
    return { name }
  })
  const changed = { ...PLAIN, name: 'sg_changed' }
  expect([PLAIN, changed, PLAIN].map(entryOf)).toEqual([
    { name: 'sg_plain' },
    { name: 'sg_changed' },
    { name: 'sg_plain' },
  ])
  expect(names).toEqual(['sg_plain', 'sg_changed'])
})
