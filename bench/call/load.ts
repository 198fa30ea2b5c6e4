/**
 * Whole calls through the twin on the memory adapters, one process per skill, beside bare
 * node:http: the cost of templates, secrets and hooks, in calls per second and CPU per call.
 * Targets take turns.
 */

import { startBare } from '../execute/yardsticks.ts'
import type { BenchSkill } from '../lib/bench-skills.ts'
import { benchSkills } from '../lib/bench-skills.ts'
import { printTable } from '../lib/figures.ts'
import { startLoad } from '../lib/load-case.ts'
import { FIGURE_COLUMNS, figureCells, measureRounds, runLoad } from '../lib/load-rounds.ts'
import { inShort } from '../lib/short.ts'
import type { Target } from '../lib/target.ts'
import { startTwinTarget } from '../lib/twin-target.ts'

const CONNECTIONS = 16
const ROUNDS = inShort(5, 1)
const ROUND_MS = inShort(2_000, 100)
/** As in bench:execute: V8 keeps optimising the servers for this long. */
const WARM_UP_MS = inShort(8_000, 100)

const BARE = 'bare node:http'
const PLAIN = 'execute, plain skill'
const NAMES: { readonly [skill: string]: string } = {
  plain: PLAIN,
  templates: 'execute, templates in path, headers, query, body',
  secret: 'execute, a secret in a header',
  hmac: 'execute, hmac_sha256_signature (1 secret)',
  oauth: 'execute, oauth2_client_credentials (2 secrets)',
}

/** CPU µs of a bare call. */
export async function measureCalls(upstreamUrl: string): Promise<number> {
  const load = startLoad()
  const targets = [await startBare(BARE, upstreamUrl)]
  try {
    for (const skill of benchSkills(upstreamUrl)) targets.push(await twinFor(skill, upstreamUrl))
    const rounds = { connections: CONNECTIONS, forMs: ROUND_MS, rounds: ROUNDS }
    for (const target of targets) await runLoad(load, target, { ...rounds, forMs: WARM_UP_MS })
    const figures = await measureRounds(load, targets, rounds)
    print(figures)
    return figures.get(BARE)?.cpuUs ?? Number.NaN
  } finally {
    load.stop()
    for (const target of targets) await target.process.stop()
  }
}

function twinFor(skill: BenchSkill, upstreamUrl: string): Promise<Target> {
  const name = NAMES[skill.name] ?? skill.name
  return startTwinTarget(name, upstreamUrl, { args: ['--memory'], skill })
}

function print(figures: Awaited<ReturnType<typeof measureRounds>>): void {
  const [bare, plain] = [figures.get(BARE), figures.get(PLAIN)]
  if (bare === undefined || plain === undefined) throw new Error('nothing to compare with')
  printTable(
    [`${CONNECTIONS} connections, memory adapters`, ...FIGURE_COLUMNS, '− plain', 'calls/s ÷ bare'],
    [...figures].map(([name, one]) => [
      name,
      ...figureCells(one),
      name === BARE ? '' : Math.round(one.cpuUs - plain.cpuUs),
      (one.perSec / bare.perSec).toFixed(2),
    ]),
  )
}
