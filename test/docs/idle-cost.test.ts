/** README.md and docs/cost.md say what an idle stage costs, and both say what is counted. */
import { expect, test } from 'vitest'
import { formatEstimate } from '../../cli/clone/deploy/estimate.ts'
import { computeAllInUsd } from '../../lib/cost/all-in.ts'
import { computeBill, formatBill } from '../../lib/cost/bill.ts'
import { readMeasured, readPrices, TABLE_BOUNDS, toCosting } from '../../lib/cost/figures.ts'
import { computeFloodDay } from '../../lib/cost/flood.ts'
import { computeIdleMonth } from '../../lib/cost/idle.ts'
import { DEFAULT_MIX } from '../../lib/cost/mix.ts'
import { sumItems } from '../../lib/cost/model.ts'
import { computeIdleTableUsd } from '../../lib/cost/provisioned.ts'
import { computeTaskBill, formatTaskBill } from '../../lib/cost/tasks.ts'
import { computeNewUsersUsd } from '../../lib/cost/usage.ts'
import { getStage } from '../../lib/stages.ts'
import { countIdleSweep } from '../../scripts/cost/measure.ts'
import { readProse, readText } from './markdown.ts'

test('both pages say the sum that is counted from alarms, prices and a run of the sweep', async () => {
  const sweep = await countIdleSweep()
  expect(sweep).toEqual({ readUnits: 10, writeUnits: 1 })
  const { items, usd } = computeIdleMonth(sweep, readPrices())
  const page = readProse('docs/cost.md')
  for (const { item, usd: one } of items) expect(page).toContain(`| ${item} | ${one.toFixed(2)} |`)
  expect(page).toContain(`| **sum** | **${usd.toFixed(2)}** |`)
  expect(readProse('README.md')).toContain(`stage costs $${usd.toFixed(2)} a month`)
})

test('README.md and docs/cost.md say what a million calls of the usual mix cost, all in', () => {
  const [onDemandUsd = 0, provisionedUsd = 0] = (['on-demand', 'provisioned'] as const).map(
    (capacity) => computeAllInUsd(computeBill(DEFAULT_MIX, readPrices(), readMeasured(), capacity)),
  )
  expect(readProse('README.md')).toContain(
    `| about $${onDemandUsd.toFixed(0)}; with a [provisioned table](docs/cost.md) about $${provisionedUsd.toFixed(0)} |`,
  )
  const page = readText('docs/cost.md')
  expect(page).toContain(`| \`POST /mcp\`, all in, on demand | ${onDemandUsd.toFixed(2)} |`)
  expect(page).toMatch(new RegExp(`all in, with a .* \\| ${provisionedUsd.toFixed(2)} \\|`))
  expect(readProse('docs/performance.md')).toContain(
    `| $${onDemandUsd.toFixed(2)}; $${provisionedUsd.toFixed(2)} |`,
  )
})

test('docs/cost.md says what the managed gateway takes, as the price table has it', () => {
  const { managedCallsPerMillion, managedDecisionsPerMillion } = readPrices().usd
  const page = readText('docs/cost.md')
  expect(page).toContain(`AWS manages | ${managedCallsPerMillion.toFixed(2)} |`)
  const decidedUsd = managedCallsPerMillion + managedDecisionsPerMillion
  expect(page).toContain(`decides about each call | ${decidedUsd.toFixed(2)} |`)
})

test('docs/cost.md has the bill of the usual mix as npm run cost prints it, and the figures that a deploy prints', async () => {
  const measured = readMeasured()
  const prices = readPrices()
  expect(await countIdleSweep()).toEqual(measured.idleSweep)
  const page = readProse('docs/cost.md')
  expect(page).toContain(`${measured.date}`)
  const bill = computeBill(DEFAULT_MIX, prices, measured)
  const table = readText('docs/cost.md')
  for (const line of formatBill(bill)) expect(table).toContain(line)
  const lines = formatEstimate(measured, prices, 'on-demand')
  expect(lines).toContainEqual(expect.stringMatching(/a month without calls +\$9\.05$/))
  for (const { name, usdPerMillion } of bill.ways) {
    const usd = usdPerMillion.toFixed(2)
    expect(lines.find((line) => line.includes(name))).toMatch(new RegExp(`\\$${usd}$`))
  }
  expect(page).toContain(
    `A thousand new users are $${computeNewUsersUsd(1_000, prices).toFixed(4)}, once`,
  )
})

test('docs/deploy.md says what a provisioned stage costs, idle and by the usual mix, as a deploy and npm run cost print it', () => {
  const measured = readMeasured()
  const prices = readPrices()
  const page = readProse('docs/deploy.md')
  const idleUsd = computeIdleTableUsd(TABLE_BOUNDS.min, prices).toFixed(2)
  expect(page).toContain(`$${idleUsd} a month without calls`)
  const lines = formatEstimate(measured, prices, 'provisioned')
  expect(lines).toContainEqual(expect.stringMatching(/a month without calls +\$12\.70$/))
  const [execute, mcp] = computeBill(DEFAULT_MIX, prices, measured, 'provisioned').ways
  const [executeUsd, mcpUsd] = [execute, mcp].map((way) => way?.usdPerMillion.toFixed(2))
  expect(page).toContain(`$${mcpUsd} for \`POST /mcp\` and $${executeUsd} for execute`)
})

test('docs/security.md says what a flood without valid keys costs stage prod, as npm run cost does', () => {
  const costing = toCosting(DEFAULT_MIX, readPrices(), readMeasured())
  const { usd } = computeFloodDay(getStage('prod'), costing)
  expect(readProse('docs/security.md')).toContain(`costs at most $${usd.toFixed(0)} a day`)
})

test('docs/deploy.md says what the bound of a table of stage prod costs a day', () => {
  const { usd } = readPrices()
  const { read = 0, write = 0 } = getStage('prod').tableUnitsPerSec ?? {}
  const perSec = (write * usd.writePerMillionUnits + read * usd.readPerMillionUnits) / 1e6
  expect(readProse('docs/deploy.md')).toContain(
    `costs $${(perSec * 86_400).toFixed(0)} a day at most`,
  )
})

test('docs/cost.md says what a million tasks cost, as npm run cost prints it', () => {
  const costing = toCosting(DEFAULT_MIX, readPrices(), readMeasured())
  const table = readText('docs/cost.md')
  for (const line of formatTaskBill(60, computeTaskBill(60, costing))) expect(table).toContain(line)
  const { job, task } = computeTaskBill(600, costing)
  const [one, other] = [task, job].map((items) => sumItems(items).toFixed(2))
  expect(readProse('docs/cost.md')).toContain(
    `With 600 s it is $${one} in one invocation and $${other} for a job`,
  )
})
