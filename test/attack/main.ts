/**
 * `npm run attack`: what attacked gateways of this build before, over HTTP from outside: secrets of
 * other tiers and origins, one user against all, hostile schemas, changed numbers, prices, smuggled
 * answers, streams, floods, what a web page can send, logins of others, tokens of authorization servers, and ways past the edge.
 * Starts a twin on 127.0.0.1 in a fresh folder, and upstreams of the attacker's own. One line for each attack: name, what was tried, held
 * or BROKEN, time. Ends with `attack: N tried, …`; the exit code is 1 when one broke.
 *
 * `--runtime lambda`: those that apply, against the bundles under AWS's runtime client; build both
 * first with `npm run test:lambda`.
 * `--only NAME`: attacks whose name begins so.
 */
import '../../bench/lib/help.ts'
import { parseArgs } from 'node:util'
import type { Attack } from './attack.ts'
import { ATTACKS, EDGE_ATTACKS, LOGIN_ATTACKS, TOKEN_ATTACKS } from './attacks.ts'
import { type GatewayOptions, startLambdaGateway, startTwinGateway } from './gateways.ts'
import { type HostileUpstreams, startHostileUpstreams } from './hostile-upstreams.ts'
import { runAttacks } from './run-attacks.ts'
import { type Runtime, targetOf } from './target.ts'

const { values } = parseArgs({
  options: { runtime: { type: 'string', default: 'twin' }, only: { type: 'string', default: '' } },
})
const ALL = [ATTACKS, LOGIN_ATTACKS, TOKEN_ATTACKS, EDGE_ATTACKS]

process.exitCode = await attack(runtimeOf(values.runtime), values.only)

async function attack(runtime: Runtime, only: string): Promise<number> {
  const startedMs = performance.now()
  const isChosen = ({ name, on }: Attack) => on.includes(runtime) && name.startsWith(only)
  const chosen = ALL.map((all) => all.filter(isChosen))
  const [plain = [], login = [], tokens = [], edge = []] = chosen
  const tried = chosen.flat().length
  if (tried === 0) {
    const names = ALL.flat().map(({ name }) => name)
    throw new Error(`--only: one of ${names.join(', ')}`)
  }
  const upstreams = await startHostileUpstreams()
  try {
    const { settings: issuers } = upstreams.issuers
    const broken =
      (await attackGateway(runtime, { attacks: plain, upstreams, login: false, issuers: [] })) +
      (await attackGateway(runtime, { attacks: login, upstreams, login: true, issuers: [] })) +
      (await attackGateway(runtime, { attacks: tokens, upstreams, login: false, issuers })) +
      (await attackGateway(runtime, {
        attacks: edge,
        upstreams,
        edge: true,
        login: false,
        issuers: [],
      }))
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    const verdict = broken === 0 ? 'all held' : `${broken} BROKEN`
    say(`attack: ${tried} tried on ${runtime}, ${verdict} (${seconds} s)`)
    return broken === 0 ? 0 : 1
  } finally {
    await upstreams.stop()
  }
}

type Group = GatewayOptions & {
  readonly attacks: readonly Attack[]
  readonly upstreams: HostileUpstreams
}

/** The number of attacks that broke it. */
async function attackGateway(
  runtime: Runtime,
  { attacks, upstreams, ...options }: Group,
): Promise<number> {
  if (attacks.length === 0) return 0
  const start = runtime === 'twin' ? startTwinGateway : startLambdaGateway
  const gateway = await start(upstreams, options)
  try {
    return await runAttacks(attacks, targetOf(gateway, upstreams), say)
  } finally {
    await gateway.stop()
  }
}

function runtimeOf(name: string): Runtime {
  if (name === 'twin' || name === 'lambda') return name
  throw new Error('--runtime: twin or lambda')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
