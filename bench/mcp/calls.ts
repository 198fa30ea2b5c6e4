/**
 * Measures tools/call of two revisions: `npm start` beside the yardsticks, by turns. Checks the
 * goals that it prints.
 */
import { printTable } from '../lib/figures.ts'
import { chooseByLength } from '../lib/short.ts'
import { measureRounds, type RoundFigures, type RunLoad } from './load-case.ts'
import { BARE, REVISIONS, SDK_V2, startOurs, startYardsticks, TWIN } from './servers.ts'

/** Ten seconds for each server and revision. */
const ROUNDS = chooseByLength({ rounds: 5, forMs: 2_000 }, { rounds: 1, forMs: 100 })
/** V8 optimises a twin for this long. */
const WARM_UP_MS = chooseByLength(10_000, 100)
const SDK_RATIO_MIN = 1.2

/** Returns true if the goals are met. */
export async function measureCalls(
  run: RunLoad,
  upstreamUrl: string,
  folder: string,
): Promise<boolean> {
  const servers = [...(await startYardsticks(upstreamUrl))]
  try {
    servers.push(await startOurs(upstreamUrl, folder))
    let hasMet = true
    for (const revision of REVISIONS) {
      const targets = servers.map((server) => server.target(revision))
      for (const target of targets) await run(target, WARM_UP_MS)
      const figures = await measureRounds(run, targets, ROUNDS)
      printRows(revision, figures)
      hasMet = checkGoals(figures) && hasMet
    }
    return hasMet
  } finally {
    for (const { process } of servers) await process.stop()
  }
}

function printRows(revision: string, figures: ReadonlyMap<string, RoundFigures>): void {
  const ratio = (one: RoundFigures, to: RoundFigures | undefined) =>
    to === undefined ? '' : (one.perSec / to.perSec).toFixed(2)
  printTable(
    [`tools/call, ${revision}`, 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call', '× bare', '× SDK v2'],
    [...figures].map(([name, one]) => [
      name,
      Math.round(one.perSec),
      one.p50Ms.toFixed(2),
      one.p99Ms.toFixed(2),
      Math.round(one.cpuUs),
      ratio(one, figures.get(BARE)),
      ratio(one, figures.get(SDK_V2)),
    ]),
  )
}

/** Checks the goals. A yardstick that could not be installed has no row and sets no goal. */
function checkGoals(figures: ReadonlyMap<string, RoundFigures>): boolean {
  const ours = figures.get(TWIN)
  if (ours === undefined) throw new Error('our door was not measured')
  const verdicts = [{ name: 'SDK v2', by: figures.get(SDK_V2), ratioMin: SDK_RATIO_MIN }].map(
    ({ by, name, ratioMin }) => {
      const ratio = by === undefined ? undefined : ours.perSec / by.perSec
      const isMet = ratio === undefined || ratio >= ratioMin
      const verdict = `${isMet ? 'met' : 'MISSED'} (${ratio?.toFixed(2) ?? 'not measured'})`
      return { isMet, text: `≥ ${ratioMin} × ${name}: ${verdict}` }
    },
  )
  console.log(`Goals: ${verdicts.map(({ text }) => text).join('; ')}\n`)
  return verdicts.every(({ isMet }) => isMet)
}
