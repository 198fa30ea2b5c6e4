/** README.md and docs/deploy.md say what an idle stage costs, and both say what is counted. */
import { expect, test } from 'vitest'
import { countIdleSweep, idleMonth } from '../../scripts/cost/idle.ts'
import { newUsersUsd, usageMonth } from '../../scripts/cost/usage.ts'
import { estimateLines } from '../../scripts/estimate.ts'
import { readText } from './markdown.ts'

test('both pages say the sum that is counted from alarms, prices and a run of the sweep', async () => {
  const sweep = await countIdleSweep()
  expect(sweep).toEqual({ readUnits: 3, writeUnits: 1 })
  const { items, usd } = idleMonth(sweep, JSON.parse(readText('scripts/cost/prices.json')))
  const page = readText('docs/deploy.md')
  for (const { item, usd: one } of items) expect(page).toContain(`| ${item} | ${one.toFixed(2)} |`)
  expect(page).toContain(`| **sum** | **${usd.toFixed(2)}** |`)
  expect(readText('README.md')).toContain(`a stage costs $${usd.toFixed(2)} a month`)
})

test('the figures that a deploy prints are those that docs/performance.md has', async () => {
  const recorded = JSON.parse(readText('scripts/cost/recorded.json'))
  expect(await countIdleSweep()).toEqual(recorded.idleSweep)
  const page = readText('docs/performance.md')
  expect(page).toContain(`(us-east-1, ${recorded.date};`)
  for (const usd of Object.values<number>(recorded.usdPerMillionCalls)) {
    expect(page).toContain(usd.toFixed(2))
  }
  const lines = estimateLines(recorded, JSON.parse(readText('scripts/cost/prices.json')))
  expect(lines).toContainEqual(expect.stringMatching(/a month without calls +\$6\.39$/))
  expect(lines).toContainEqual(expect.stringMatching(/Streamable HTTP +\$4\.61$/))
})

test('docs/performance.md says what the usage function, the archive and new users cost, as it is computed', () => {
  const prices = JSON.parse(readText('scripts/cost/prices.json'))
  const page = readText('docs/performance.md')
  for (const { item, usd } of usageMonth(1_000_000, prices)) {
    expect(page).toContain(`| ${item} | ${usd.toFixed(2)} |`)
  }
  expect(page).toContain(`are $${newUsersUsd(1_000, prices).toFixed(4)} once`)
  expect(page).toContain(`${prices.assumptions.usageBatchMs} ms assumed for a batch`)
})
