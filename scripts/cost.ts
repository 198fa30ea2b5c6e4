/**
 * `npm run cost`: your bill on AWS, for a million calls and for a month, by item and by the way in
 * which agents call. Computed from counted units and measured times (lib/cost/measured.json) and
 * list prices (lib/cost/prices.json; edit them for your region). Sends no request and takes a few
 * seconds.
 *
 *   --users N              users who call (1,000)
 *   --calls-per-minute N   calls of each of them (1)
 *   --hours N              hours of a month in which they call (730)
 *   --skills N             skills among which the calls are spread (10)
 *   --upstream-ms N        time of an upstream (300)
 *   --result-bytes N       text of a result (1,000)
 *   --refused N            share of calls that are refused before the request to their upstream (0.01)
 *   --secrets N            share of calls whose skill names a secret of its user (0)
 *   --ledger-days N        days for which the table keeps calls (14)
 *   --streams N            open HTTP+SSE streams (0)
 *   --listens N            open subscriptions/listen streams (0)
 *   --peak N               calls of a day's busiest minute, in average minutes, 1 to 2 (1)
 *   --capacity NAME        how the Gateway table is paid: on-demand, or provisioned (that of the stage)
 *   --stage NAME           a stage of skillgate.config.json, or dev or prod (prod)
 *   --config PATH          another file than skillgate.config.json
 *   --task-sec N           also, a million tasks of so many seconds, 1 to 86,400
 *   --functions            also, what one call uses of each function
 *
 * `npm run cost:measure` measures again, in two minutes.
 */
import '../bench/lib/help.ts'
import { parseArgs } from 'node:util'
import { describeChoices, describeWrongValue } from '../core/settings/describe-setting.ts'
import { JOB_SEC_MAX } from '../core/skills/limits.ts'
import { formatAllIn } from '../lib/cost/all-in.ts'
import { type Bill, computeBill, formatBill, WAYS } from '../lib/cost/bill.ts'
import {
  MEMORY_MB,
  type MeasuredFile,
  readMeasured,
  readPrices,
  toCosting,
} from '../lib/cost/figures.ts'
import { formatFlood } from '../lib/cost/flood.ts'
import { MIX_FIELDS, type Mix, readMix } from '../lib/cost/mix.ts'
import { formatPrivateHosts } from '../lib/cost/private-hosts.ts'
import { formatProvisioned } from '../lib/cost/provisioned.ts'
import { computeTaskBill, formatTaskBill } from '../lib/cost/tasks.ts'
import { computeNewUsersUsd } from '../lib/cost/usage.ts'
import { type Capacity, STAGE_FIELDS, type Stage } from '../lib/stage.ts'
import { loadStage } from '../lib/stage-file.ts'

type Options = {
  readonly mix: Mix
  readonly stage: Stage
  readonly capacity: Capacity
  readonly functions: boolean
  /** Undefined if no bill of tasks was asked for. */
  readonly taskSec: number | undefined
}

const NEW_USERS = 1_000

function printCost({ capacity, functions, mix, stage, taskSec }: Options): void {
  const [prices, measured] = [readPrices(), readMeasured()]
  const onDemand = computeBill(mix, prices, measured, 'on-demand')
  const provisioned = computeBill(mix, prices, measured, 'provisioned')
  const bill = capacity === 'provisioned' ? provisioned : onDemand
  const computeBillWith = (secrets: number) =>
    computeBill({ ...mix, secrets }, prices, measured, capacity)
  const formatUsdOfWays = ({ ways }: Bill, less?: Bill) =>
    ways
      .map(({ name, usdPerMillion }, at) => {
        const usd = usdPerMillion - (less?.ways[at]?.usdPerMillion ?? 0)
        return `$${usd.toFixed(2)} (${name})`
      })
      .join(', ')
  for (const line of formatAllIn({ onDemand, provisioned }, prices)) console.log(line)
  console.log(
    `\nPrices of ${prices.region}, ${prices.date}, before taxes and free tiers; counted and measured on ${measured.date}.\n` +
      `${mix.users.toLocaleString('en')} users, ${mix.callsPerMinute} calls a minute each, ${mix.hours} hours a month: ` +
      `${Math.round(bill.calls).toLocaleString('en')} calls a month. ` +
      `Upstreams take ${mix.upstreamMs} ms, results ${mix.resultBytes} bytes; ${mix.refused * 100} % are refused.\n`,
  )
  for (const line of formatBill(bill)) console.log(line)
  const newUsers = computeNewUsersUsd(NEW_USERS, prices).toFixed(4)
  console.log(
    `\nA thousand new users are $${newUsers}, once. Not in it: hooks, the admin API, support.`,
  )
  console.log(
    `A million calls whose skills name a secret of their user cost ${formatUsdOfWays(computeBillWith(1), computeBillWith(0))} more: --secrets.`,
  )
  const costing = toCosting(mix, prices, measured)
  console.log(formatPrivateHosts(costing))
  console.log(formatFlood(stage, costing))
  const other = formatUsdOfWays(provisioned)
  const closing =
    capacity === 'provisioned'
      ? bill.ways.flatMap(({ name, table }) => table && formatProvisioned(name, table))
      : [
          `With a provisioned table a million of these calls costs ${other}: --capacity provisioned.`,
        ]
  console.log(`\n${closing.join('\n')}`)
  if (taskSec !== undefined) {
    const tasks = formatTaskBill(taskSec, computeTaskBill(taskSec, costing))
    console.log(`\n${tasks.join('\n')}`)
  }
  if (functions) printUses(measured)
}

function printUses({ ways }: MeasuredFile): void {
  console.log(
    '\n| one call | invocations | MB | CPU ms | store round trips | WRU | RRU | log bytes |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const { name, way } of WAYS)
    for (const kind of ['repeat', 'fresh', 'refused'] as const)
      for (const use of ways[way][kind]) {
        const { cpuMs, invocations, readUnits, storeRounds, writeUnits } = use
        const figures = [cpuMs, storeRounds, writeUnits, readUnits, use.logBytes]
        const cells = [invocations, MEMORY_MB[use.door], ...figures].map((one) => one.toFixed(2))
        console.log(`| ${name}, ${use.door}: ${kind} | ${cells.join(' | ')} |`)
      }
}

/** Throws an `Error` that names the limits. */
function readTaskSec(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= JOB_SEC_MAX) return seconds
  throw new Error(`--task-sec: must be a whole number of seconds from 1 to ${JOB_SEC_MAX}`)
}

/** Throws an `Error` that names the choices. */
function readCapacity(text: unknown): Capacity {
  const { choices } = STAGE_FIELDS.capacity
  const capacity = choices.find((choice) => choice === text)
  if (capacity !== undefined) return capacity
  throw new Error(describeWrongValue('--capacity', text, describeChoices(choices)))
}

/** Reads the options; exits with 2 for wrong arguments. */
function readOptions(): Options {
  const text = { type: 'string' } as const
  const fields = Object.values(MIX_FIELDS).map(({ option }) => [option, text] as const)
  const flags = {
    functions: { type: 'boolean', default: false },
    capacity: text,
    config: text,
    stage: text,
    'task-sec': text,
  } as const
  try {
    const { values } = parseArgs({ options: { ...Object.fromEntries(fields), ...flags } })
    const { capacity, config, functions, stage: name, 'task-sec': taskSec, ...mix } = values
    const place = { given: config, env: process.env, cwd: process.cwd() }
    const stage = loadStage(name ?? 'prod', place)
    return {
      mix: readMix(mix),
      stage,
      capacity: readCapacity(capacity ?? stage.capacity),
      functions: functions === true,
      taskSec: readTaskSec(taskSec),
    }
  } catch (cause) {
    console.error(
      `cost: ${cause instanceof Error ? cause.message : cause}. See npm run cost -- --help`,
    )
    process.exit(2)
  }
}

if (import.meta.main) printCost(readOptions())
