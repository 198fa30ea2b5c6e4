/**
 * What a stage will cost, without calls and for a million of them, by the model and the usual mix of
 * `npm run cost`.
 */
import { billOf } from '../../../lib/cost/bill.ts'
import {
  type MeasuredFile,
  type PriceFile,
  readMeasured,
  readPrices,
} from '../../../lib/cost/figures.ts'
import { idleMonth } from '../../../lib/cost/idle.ts'
import { DEFAULT_MIX } from '../../../lib/cost/mix.ts'
import { EXIT, type ExitCode } from '../../command/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'

const NAME_WIDTH = 36

export async function printEstimate({ out }: Shell): Promise<ExitCode> {
  out.write(`${estimateLines(readMeasured(), readPrices()).join('\n')}\n`)
  return EXIT.ok
}

export function estimateLines(measured: MeasuredFile, prices: PriceFile): readonly string[] {
  const { monthly, ways } = billOf(DEFAULT_MIX, prices, measured)
  const line = (name: string, usd: number) => `  ${name.padEnd(NAME_WIDTH)}  $${usd.toFixed(2)}`
  const { callsPerMinute, upstreamMs, users } = DEFAULT_MIX
  const kept = monthly.find(({ item }) => item.startsWith('calls kept'))?.item ?? ''
  return [
    `What it costs, by prices of ${prices.region}, before taxes and free tiers (${measured.date}):`,
    line('a month without calls', idleMonth(measured.idleSweep, prices).usd),
    ...ways.map(({ name, usdPerMillion }) => line(`a million calls, ${name}`, usdPerMillion)),
    `  for ${users.toLocaleString('en')} users with ${callsPerMinute} call a minute and upstreams of ${upstreamMs} ms, usage and archive included;`,
    `  ${kept}, metrics and open streams come on top: npm run cost tells it by item, for your mix.`,
  ]
}
