/** The layer rules work: each tree in fixtures/layers breaks exactly the rule it is named after. */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../.dependency-cruiser.mjs'
import { checkLayers } from '../../scripts/check-layers.ts'

const REPO = join(import.meta.dirname, '../..')
const TREES = join(import.meta.dirname, 'fixtures/layers')
const RULES = config.forbidden.map(({ name }) => name)

test('the check of layers has one broken tree for each rule, and one tree that keeps them all', () => {
  expect(readdirSync(TREES).sort()).toEqual([...RULES, 'allowed'].sort())
})

test.each(RULES)(
  'the check of layers refuses a tree that breaks %s, for that reason alone',
  async (rule) => {
    const { violations } = await checkLayers(join(TREES, rule))
    expect([...new Set(violations.map((violation) => violation.rule))]).toEqual([rule])
  },
)

test('the check of layers refuses a circle of types as it does one of values', async () => {
  const { violations } = await checkLayers(join(TREES, 'no-cycles'))
  const files = violations.map(({ from }) => from)
  expect(files.sort()).toEqual(['core/call/ping.ts', 'core/session/lease.ts'])
})

test('the check of layers has a rule for each room of core/flow and adapters/dynamodb', () => {
  const roomsOf = (folder: string, prefix: string) =>
    readdirSync(join(REPO, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${prefix}-${name}`)
  const rooms = [...roomsOf('core/flow', 'flow'), ...roomsOf('adapters/dynamodb', 'dynamodb')]
  expect(rooms.length).toBeGreaterThan(0)
  expect(RULES.filter((rule) => /^(flow|dynamodb)-/.test(rule)).sort()).toEqual(rooms.sort())
})

test('the check of layers accepts the imports that the architecture allows', async () => {
  const report = await checkLayers(join(TREES, 'allowed'))
  expect(report).toEqual({ violations: [], unseen: [], seenCount: 26 })
})

test('the check of layers reports a room without any module, so that a cruise that saw nothing fails', async () => {
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
