/** `plugin_hook` and `plugin_hooks`, as sync judges them. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const PAGE = { name: 'html_to_markdown' }
const SIGNED = { name: 'hmac_sha256_signature', options: { secret: 'KEY' } }

describe('hooks', () => {
  test('of a list run in its order, each with its own options', () => {
    expect(good(withConfig({ plugin_hooks: [SIGNED, PAGE] })).skill.hooks).toEqual([
      { ...SIGNED, optionsAt: '/config/plugin_hooks/0/options' },
      { ...PAGE, options: {}, optionsAt: '/config/plugin_hooks/1/options' },
    ])
  })

  test('may be one, by its name and options', () => {
    const config = { plugin_hook: 'hmac_sha256_signature', plugin_options: { secret: 'KEY' } }
    expect(good(withConfig(config)).skill.hooks).toEqual([
      { ...SIGNED, optionsAt: '/config/plugin_options' },
    ])
  })

  test.each<[Json]>([[null], [[]]])('of %j are none', (plugin_hooks) => {
    expect(good(withConfig({ plugin_hooks })).skill.hooks).toEqual([])
  })

  test('are at most 4', () => {
    expect(faults(withConfig({ plugin_hooks: [PAGE, PAGE, PAGE, PAGE] }))).toEqual([])
    expect(faults(withConfig({ plugin_hooks: [PAGE, PAGE, PAGE, PAGE, PAGE] }))).toEqual([
      expect.stringContaining('/config/plugin_hooks must be a list of at most 4 hooks'),
    ])
  })

  test.each<[Json, string]>([
    ['html_to_markdown', '/config/plugin_hooks must be a list'],
    [['html_to_markdown'], '/config/plugin_hooks/0 is not an object'],
    [[{}], '/config/plugin_hooks/0/name is missing'],
    [[{ name: 7 }], '/config/plugin_hooks/0/name is not a string'],
    [[{ name: 'x'.repeat(65) }], '/config/plugin_hooks/0/name has over 64 characters'],
    [[{ ...PAGE, options: [] }], '/config/plugin_hooks/0/options is not an object'],
  ])('%j are refused', (plugin_hooks, expected) => {
    expect(faults(withConfig({ plugin_hooks }))).toEqual([expect.stringContaining(expected)])
  })

  test.each([[{ plugin_hook: 'html_to_markdown' }], [{ plugin_options: {} }]])(
    'have one place: a list beside %j is refused',
    (beside) => {
      expect(faults(withConfig({ ...beside, plugin_hooks: [PAGE] }))).toEqual([
        expect.stringContaining('/config/plugin_hooks stands beside'),
      ])
    },
  )

  test('that this build does not have keep the skill from being listed, and are named', () => {
    const read = good(withConfig({ plugin_hooks: [PAGE, { name: 'later' }] }))
    expect(read.skill.notYet).toEqual(['/config/plugin_hooks/1/name: no hook later'])
    expect(read.warnings.join()).toContain('not listed')
  })
})
