/**
 * Prints what a stage will cost per month without calls, and for a million calls. The numbers come
 * from the model and the usual mix of `npm run cost`.
 */
import { computeBill } from '../../../lib/cost/bill.ts'
import {
  type MeasuredFile,
  type PriceFile,
  readMeasured,
  readPrices,
  TABLE_BOUNDS,
} from '../../../lib/cost/figures.ts'
import { computeIdleMonth } from '../../../lib/cost/idle.ts'
import { DEFAULT_MIX } from '../../../lib/cost/mix.ts'
import { computeIdleTableUsd } from '../../../lib/cost/provisioned.ts'
import type { Capacity } from '../../../lib/stage.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { findConfigWord, loadStageOf } from '../stage.ts'
import type { StageWords } from './cdk.ts'

const NAME_WIDTH = 36

/** Prints the estimate. `words` are the arguments of the CDK, which may name the file of stages. */
export async function printEstimate(
  { rest: words, stage }: StageWords,
  shell: Shell,
): Promise<ExitCode> {
  const { capacity } = loadStageOf({ stage, config: findConfigWord(words) }, shell)
  shell.out.write(`${formatEstimate(readMeasured(), readPrices(), capacity).join('\n')}\n`)
  return EXIT.ok
}

export function formatEstimate(
  measured: MeasuredFile,
  prices: PriceFile,
  capacity: Capacity,
): readonly string[] {
  const { monthly, ways } = computeBill(DEFAULT_MIX, prices, measured, capacity)
  const tableUsd = capacity === 'provisioned' ? computeIdleTableUsd(TABLE_BOUNDS.min, prices) : 0
  const line = (name: string, usd: number) => `  ${name.padEnd(NAME_WIDTH)}  $${usd.toFixed(2)}`
  const { callsPerMinute, upstreamMs, users } = DEFAULT_MIX
  const kept = monthly.find(({ item }) => item.startsWith('calls kept'))?.item ?? ''
  return [
    `What it costs, by prices of ${prices.region}, before taxes and free tiers (${measured.date}):`,
    line('a month without calls', computeIdleMonth(measured.idleSweep, prices).usd + tableUsd),
    ...ways.map(({ name, usdPerMillion }) => line(`a million calls, ${name}`, usdPerMillion)),
    `  for ${users.toLocaleString('en')} users with ${callsPerMinute} call a minute and upstreams of ${upstreamMs} ms, usage and archive included;`,
    `  ${kept}, metrics and open streams come on top: npm run cost tells it by item, for your mix.`,
  ]
}
