/** Plans of a viewer that take all the time or memory they can get, while others ask for the health of the gateway. */
import { send } from '../../e2e/http.ts'
import { type Attack, attack, TWIN } from '../attack.ts'
import { HOSTILE_PLANS, type HostilePlan, honestPlan } from '../hostile-plans.ts'
import type { Target } from '../target.ts'

/** What nineteen of twenty answers of /healthz take at most beside a plan. */
const HEALTH_MS_MAX = 200
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
    judge: ({ healthMs: ms, status }) => {
      if (status === undefined || status !== expected) return `the plan answered ${status}`
      return ms <= HEALTH_MS_MAX ? undefined : `health took ${Math.round(ms)} ms beside it`
    },
    held: { status: expected, healthMs: 30 },
    broken: [
      { status: expected, healthMs: 4_600 },
      { status: 500, healthMs: 30 },
    ],
  })
}

type Seen = { readonly status: number | undefined; readonly healthMs: number }

async function tryPlan(target: Target, { body, path }: HostilePlan): Promise<Seen> {
  let status: number | undefined
  const planned = target.ask('POST', path, body).then((answer) => {
    status = answer.status
  })
  const times: number[] = []
  do times.push(await healthMs(target))
  while (status === undefined)
  await planned
  return { status, healthMs: nearlyWorst(times) }
}

async function healthMs({ mcp }: Target): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  const startedMs = performance.now()
  await send(new URL('/healthz', mcp).href, { method: 'GET' })
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
