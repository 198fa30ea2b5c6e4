/**
 * `npm run attack`: what attacked gateways of this build before, over HTTP from outside: secrets of
 * other tiers and origins, one user against all, hostile schemas, changed numbers, prices, smuggled
 * answers, streams, floods, and what a web page can send. Starts a twin on 127.0.0.1 in a fresh
 * folder, and upstreams of the attacker's own. One line for each attack: name, what was tried, held
 * or BROKEN, time. Ends with `attack: N tried, …`; the exit code is 1 when one broke.
 *
 * `--runtime lambda`: those that apply, against the bundles under AWS's runtime client; build both
 * first with `npm run test:lambda`.
 * `--only NAME`: attacks whose name begins so.
 */
import '../../bench/lib/help.ts'
import { parseArgs } from 'node:util'
import { ATTACKS } from './attacks.ts'
import { startLambdaGateway, startTwinGateway } from './gateways.ts'
import { startHostileUpstreams } from './hostile-upstreams.ts'
import { runAttacks } from './run-attacks.ts'
import { type Runtime, targetOf } from './target.ts'

const { values } = parseArgs({
  options: { runtime: { type: 'string', default: 'twin' }, only: { type: 'string', default: '' } },
})
process.exitCode = await attack(runtimeOf(values.runtime), values.only)

async function attack(runtime: Runtime, only: string): Promise<number> {
  const startedMs = performance.now()
  const chosen = ATTACKS.filter(({ name, on }) => on.includes(runtime) && name.startsWith(only))
  if (chosen.length === 0)
    throw new Error(`--only: one of ${ATTACKS.map(({ name }) => name).join(', ')}`)
  const upstreams = await startHostileUpstreams()
  try {
    const start = runtime === 'twin' ? startTwinGateway : startLambdaGateway
    const gateway = await start(upstreams.hosts)
    try {
      const broken = await runAttacks(chosen, targetOf(gateway, upstreams), say)
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
      const verdict = broken === 0 ? 'all held' : `${broken} BROKEN`
      say(`attack: ${chosen.length} tried on ${runtime}, ${verdict} (${seconds} s)`)
      return broken === 0 ? 0 : 1
    } finally {
      await gateway.stop()
    }
  } finally {
    await upstreams.stop()
  }
}

function runtimeOf(name: string): Runtime {
  if (name === 'twin' || name === 'lambda') return name
  throw new Error('--runtime: twin or lambda')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
