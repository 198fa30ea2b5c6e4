/**
 * `skillgate advise capacity`: how to pay the Gateway table of a stage, from what it consumed in the
 * last week. Only reads; prints what to put into the stage's fields.
 */
import { toUtcSecond } from '../../../core/json/utc-time.ts'
import { adviseCapacity, type CapacityAdvice, type Kind } from '../../../lib/cost/advice.ts'
import { readPrices, TABLE_BOUNDS } from '../../../lib/cost/figures.ts'
import type { Stage } from '../../../lib/stage.ts'
import { openAwsAccount } from '../../aws/ask-service.ts'
import { enterStage } from '../../aws/stage-environment.ts'
import { getOption, type Invocation, isOn } from '../../command/command.ts'
import { printJson } from '../../command/print.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { loadStageOf } from '../stage.ts'
import { findGatewayTable, readWeek, type WeekOfTable } from './consumption.ts'

export async function printCapacityAdvice(call: Invocation): Promise<ExitCode> {
  const name = getOption(call, 'stage') ?? 'dev'
  const { env, nowMs, out } = await enterStage(name, call.shell)
  const stage = readStage(name, call.shell)
  try {
    const account = await openAwsAccount(env)
    const table = getOption(call, 'table') ?? (await findGatewayTable(account, stage.name))
    const week = await readWeek(account, table, nowMs())
    const max = stage.tableUnitsPerSec ?? TABLE_BOUNDS.max
    const advice = adviseCapacity(week.consumption, max, readPrices())
    if (isOn(call, 'json')) printJson(call, toJson(stage, week, advice))
    else out.write(`${formatAdvice(stage, week, advice).join('\n')}\n`)
    return EXIT.ok
  } catch (cause) {
    throw new CommandFault(describeCause(cause))
  }
}

function readStage(stage: string, shell: Shell): Stage {
  try {
    return loadStageOf({ stage }, shell)
  } catch (cause) {
    throw toUsageFault(describeCause(cause), 'Give a stage by --stage.')
  }
}

function toFieldsOf({ choice, kinds }: CapacityAdvice): object {
  if (choice === 'on-demand') return { capacity: choice }
  const least = { write: kinds.write.leastPerSec, read: kinds.read.leastPerSec }
  return { capacity: choice, provisionedUnitsMin: least }
}

function toJson(stage: Stage, week: WeekOfTable, advice: CapacityAdvice): object {
  const { sinceMs, table, untilMs } = week
  return { stage: stage.name, table, sinceMs, untilMs, ...advice, fields: toFieldsOf(advice) }
}

const NAME_WIDTH = 26
const NUMBER_WIDTH = 14

function formatAdvice(
  stage: Stage,
  { sinceMs, table, untilMs }: WeekOfTable,
  advice: CapacityAdvice,
): readonly string[] {
  const { choice, jumps, kinds, onDemandUsd, provisionedUsd, strangers } = advice
  const row = (name: string, of: (kind: Kind) => string) =>
    `  ${name.padEnd(NAME_WIDTH)}${of('write').padStart(NUMBER_WIDTH)}${of('read').padStart(NUMBER_WIDTH)}`
  const grown = jumps.map(({ refused, times }) => `${formatShare(refused)} (${times} times)`)
  return [
    `Stage ${stage.name}, table ${table}`,
    `from ${toUtcSecond(sinceMs)} to ${toUtcSecond(untilMs)}`,
    '',
    row('', (kind) => kind),
    row('units', (kind) => formatCount(kinds[kind].taken)),
    row('busiest minute, a second', (kind) => formatCount(kinds[kind].busiestPerSec)),
    row('least capacity, a second', (kind) => formatCount(kinds[kind].leastPerSec)),
    row('of these units refused', (kind) => formatShare(kinds[kind].refused)),
    '',
    `  on demand    $${onDemandUsd.toFixed(2)}`,
    `  provisioned  $${provisionedUsd.toFixed(2)}`,
    '',
    'For ten minutes such a table refuses, if the busiest load grows at once,',
    `${grown.join(', ')} of the writes;`,
    `and ${formatShare(strangers.refused)} of the reads if strangers send ${strangers.keysPerSec} keys a second.`,
    '',
    ...(stage.capacity === choice && choice === 'on-demand'
      ? ['Leave the stage on demand.']
      : [
          "Put into the stage's fields:",
          ...JSON.stringify(toFieldsOf(advice), null, 2).split('\n'),
        ]),
  ]
}

function formatCount(count: number): string {
  return Math.ceil(count).toLocaleString('en')
}

function formatShare(share: number): string {
  const percent = share * 100
  return `${percent.toFixed(percent > 0 && percent < 1 ? 2 : 0)} %`
}
