/** The layer rules work: each tree in fixtures/layers breaks exactly the rule it is named after. */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import config from '../../.dependency-cruiser.mjs'
import { checkLayers } from '../../scripts/check-layers.ts'

const TREES = join(import.meta.dirname, 'fixtures/layers')
const RULES = config.forbidden.map(({ name }) => name)

it('has one broken tree for each rule, and one tree that keeps them all', () => {
  expect(readdirSync(TREES).sort()).toEqual([...RULES, 'allowed'].sort())
})

it.each(RULES)('refuses a tree that breaks %s, for that reason alone', async (rule) => {
  const { violations } = await checkLayers(join(TREES, rule))
  expect([...new Set(violations.map((violation) => violation.rule))]).toEqual([rule])
})

it('accepts the imports that the architecture allows', async () => {
  const report = await checkLayers(join(TREES, 'allowed'))
  expect(report).toEqual({ violations: [], unseen: [], seenCount: 19 })
})

it('reports a room without any module, so that a cruise that saw nothing fails', async () => {
  const root = await mkdtemp(join(tmpdir(), 'skillgate-empty-'))
  try {
    expect(await checkLayers(root)).toEqual({
      violations: [],
      unseen: ['core/ (no module)', 'adapters/ (no module)'],
      seenCount: 0,
    })
  } finally {
    await rm(root, { recursive: true })
  }
})
