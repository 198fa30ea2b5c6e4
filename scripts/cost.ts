/**
 * `npm run cost`: your bill on AWS, for a million calls and for a month, by item and by the way in which agents call. Computed from
 * counted units and measured times (lib/cost/measured.json) and list prices (lib/cost/prices.json; edit them for your
 * region). Calls nothing and takes a few seconds.
 *
 *   --users N              users who call (1,000)
 *   --calls-per-minute N   calls of each of them (1)
 *   --hours N              hours of a month in which they call (730)
 *   --skills N             skills among which the calls are spread (10)
 *   --upstream-ms N        time of an upstream (300)
 *   --result-bytes N       text of a result (1,000)
 *   --refused N            share of calls that are refused before their upstream is asked (0.01)
 *   --secrets N            share of calls whose skill names a secret of its user (0)
 *   --streams N            open HTTP+SSE streams (0)
 *   --listens N            open subscriptions/listen streams (0)
 *   --peak N               calls of a day's busiest minute, in average minutes, 1 to 2 (1)
 *   --capacity NAME        how the Gateway table is paid: on-demand, or provisioned (on-demand)
 *   --functions            also, what one call uses of each function
 *
 * `npm run cost:measure` measures anew, in two minutes.
 */
import './help.ts'
import { parseArgs } from 'node:util'
import { type Bill, billLines, billOf, WAYS } from '../lib/cost/bill.ts'
import {
  costingOf,
  MEMORY_MB,
  type MeasuredFile,
  readMeasured,
  readPrices,
} from '../lib/cost/figures.ts'
import { floodLine } from '../lib/cost/flood.ts'
import { MIX_FIELDS, type Mix, readMix } from '../lib/cost/mix.ts'
import type { FunctionUse } from '../lib/cost/model.ts'
import { provisionedLines } from '../lib/cost/provisioned.ts'
import { newUsersUsd } from '../lib/cost/usage.ts'
import { type Capacity, STAGE_FIELDS } from '../lib/stage.ts'
import { oneOf, stageNamed } from '../lib/stages.ts'

type Options = { readonly mix: Mix; readonly capacity: Capacity; readonly functions: boolean }

const NEW_USERS = 1_000

function cost({ capacity, functions, mix }: Options): void {
  const prices = readPrices()
  const measured = readMeasured()
  const billWith = (one: Capacity) => billOf(mix, prices, measured, one)
  const bill = billWith(capacity)
  console.log(
    `Prices of ${prices.region}, ${prices.date}, before taxes and free tiers; counted and measured on ${measured.date}.\n` +
      `${mix.users.toLocaleString('en')} users, ${mix.callsPerMinute} calls a minute each, ${mix.hours} hours a month: ` +
      `${Math.round(bill.calls).toLocaleString('en')} calls a month. ` +
      `Upstreams take ${mix.upstreamMs} ms, results ${mix.resultBytes} bytes; ${mix.refused * 100} % are refused.\n`,
  )
  for (const line of billLines(bill)) console.log(line)
  const newUsers = newUsersUsd(NEW_USERS, prices).toFixed(4)
  console.log(
    `\nA thousand new users are $${newUsers}, once. Not in it: hooks, the admin API, support.`,
  )
  console.log(secretsLine(mix, (one) => billOf(one, prices, measured, capacity)))
  const costing = costingOf(mix, prices, measured)
  for (const name of ['dev', 'prod']) console.log(floodLine(stageNamed(name), costing))
  const closing =
    capacity === 'provisioned' ? tableLines(bill) : [otherCapacityLine(billWith('provisioned'))]
  console.log(`\n${closing.join('\n')}`)
  if (functions) printUses(measured)
}

/** What the same calls cost more when each of their skills names a secret. */
function secretsLine(mix: Mix, billWith: (mix: Mix) => Bill): string {
  const [without, all] = [0, 1].map((secrets) => billWith({ ...mix, secrets }).ways)
  const usd = WAYS.map(({ name }, at) => {
    const more = (all?.[at]?.usdPerMillion ?? 0) - (without?.[at]?.usdPerMillion ?? 0)
    return `$${more.toFixed(2)} (${name})`
  })
  return `A million calls whose skills name a secret of their user cost ${usd.join(', ')} more: --secrets.`
}

/** What each way of calling makes of a provisioned table. */
function tableLines({ ways }: Bill): readonly string[] {
  return ways.flatMap(({ name, table }) =>
    table === undefined ? [] : provisionedLines(name, table),
  )
}

/** For a bill on demand: what the same calls would cost otherwise. */
function otherCapacityLine({ ways }: Bill): string {
  const usd = ways.map(({ name, usdPerMillion }) => `$${usdPerMillion.toFixed(2)} (${name})`)
  return `With -c capacity=provisioned a million of these calls costs ${usd.join(', ')}; see --capacity provisioned, and docs/deploy.md.`
}

function printUses({ ways }: MeasuredFile): void {
  console.log(
    '\n| one call | invocations | MB | CPU ms | store round trips | WRU | RRU | log bytes |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const { name, way } of WAYS) {
    for (const use of ways[way].repeat) printUse(`${name}, ${use.door}: a repeat`, use)
    for (const use of ways[way].fresh) printUse(`${name}, ${use.door}: a user new to it`, use)
    for (const use of ways[way].refused) printUse(`${name}, ${use.door}: refused`, use)
  }
}

function printUse(name: string, use: FunctionUse): void {
  const cells = [
    name,
    use.invocations.toFixed(2),
    MEMORY_MB[use.door],
    use.cpuMs.toFixed(1),
    use.storeRounds.toFixed(2),
    use.writeUnits.toFixed(2),
    use.readUnits.toFixed(2),
    use.logBytes.toFixed(0),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

/** Exits with 2 for wrong arguments. */
function readOptions(): Options {
  const text = { type: 'string' } as const
  const fields = Object.values(MIX_FIELDS).map(({ option }) => [option, text] as const)
  const flags = { functions: { type: 'boolean', default: false }, capacity: text } as const
  try {
    const { values } = parseArgs({ options: { ...Object.fromEntries(fields), ...flags } })
    const { capacity, functions, ...mix } = values
    return {
      mix: readMix(texts(mix)),
      capacity: oneOf('--capacity', STAGE_FIELDS.capacity.choices, capacity ?? 'on-demand'),
      functions: functions === true,
    }
  } catch (cause) {
    console.error(
      `cost: ${cause instanceof Error ? cause.message : cause}. See npm run cost -- --help`,
    )
    process.exit(2)
  }
}

function texts(values: { readonly [option: string]: unknown }): {
  readonly [option: string]: string
} {
  const given = Object.entries(values).flatMap(([option, value]) =>
    typeof value === 'string' ? [[option, value] as const] : [],
  )
  return Object.fromEntries(given)
}

if (import.meta.main) cost(readOptions())
