/** Plans of a viewer that take all the time or memory they can get, while others ask for the health of the gateway. */
import { send } from '../../e2e/http.ts'
import { type Attack, attack, TWIN } from '../attack.ts'
import { HOSTILE_PLANS, type HostilePlan, honestPlan } from '../hostile-plans.ts'
import type { Target } from '../target.ts'

/** What nineteen of twenty answers of /healthz take at most beside a plan, on a quiet machine. */
const HEALTH_MS_MAX = 200
/** On a busy machine: at most so many times what a server that does nothing else takes meanwhile. */
const HEALTH_RATIO_MAX = 10
const SHARE = 0.95
const PAUSE_MS = 10

type Plan = {
  readonly name: string
  readonly status: number
  make(): HostilePlan
}

function planAttack({ make, name, status: expected }: Plan): Attack {
  return attack({
    name: `plan-${name}`,
    tried: `the plan of ${name}, while others ask /healthz`,
    on: TWIN,
    attempt: (target) => tryPlan(target, make()),
    judge: ({ bareMs, healthMs, status }) => {
      if (status === undefined || status !== expected) return `the plan answered ${status}`
      if (healthMs <= Math.max(HEALTH_MS_MAX, HEALTH_RATIO_MAX * bareMs)) return undefined
      return `health took ${Math.round(healthMs)} ms beside it, a bare server ${Math.round(bareMs)} ms`
    },
    held: { status: expected, healthMs: 30, bareMs: 3 },
    broken: [
      { status: expected, healthMs: 4_600, bareMs: 60 },
      { status: 500, healthMs: 30, bareMs: 3 },
    ],
  })
}

type Seen = {
  readonly status: number | undefined
  readonly healthMs: number
  readonly bareMs: number
}

async function tryPlan(target: Target, { body, path }: HostilePlan): Promise<Seen> {
  let status: number | undefined
  const planned = target.ask('POST', path, body).then((answer) => {
    status = answer.status
  })
  const health: number[] = []
  const bare: number[] = []
  do {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    health.push(await timeOf(new URL('/healthz', target.mcp).href))
    bare.push(await timeOf(`${target.upstreams.here.url}/ok`))
  } while (status === undefined)
  await planned
  return { status, healthMs: nearlyWorst(health), bareMs: nearlyWorst(bare) }
}

async function timeOf(url: string): Promise<number> {
  const startedMs = performance.now()
  await send(url, { method: 'GET' })
  return performance.now() - startedMs
}

function nearlyWorst(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * SHARE)] ?? 0
}

export const PLAN_ATTACKS: readonly Attack[] = [
  { name: 'honest', status: 200, make: honestPlan },
  ...HOSTILE_PLANS,
].map(planAttack)
