/**
 * Bodies of 1 MB against schemas that make each keyword expensive: how long other requests wait meanwhile.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { send } from '../../e2e/http.ts'
import { attack, TWIN } from '../attack.ts'
import { hostileBodies } from '../hostile-bodies.ts'
import { hostileSchemas } from '../hostile-schemas.ts'
import { callText, freshId, freshSkill, skillOf, type Target } from '../target.ts'

/**
 * One check takes at most 50 ms of processor time. Seen from outside, the gateway also reads and parses
 * 1 MB; without a budget the checks of these cases take 0.5 to 12 s.
 */
const WAIT_MS_MAX = 500
/** The least wait counts, so that a collection of garbage does not. */
const TRIES = 6
const KEYWORDS: ReadonlySet<string> = new Set([
  'uniqueItems',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'patternProperties',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$ref',
  'pattern',
])
const BODIES: ReadonlySet<string> = new Set([
  '1000 arrays of numbers',
  'different records',
  'many members',
  'numbers',
  'deep arrays',
  'one long text',
  'texts of 40',
])

type Evidence = {
  readonly calls: number
  readonly worstMs: number
  readonly worst: string
  /** Statuses that are neither an answer nor a refusal. */
  readonly odd: readonly number[]
}

const judge = ({ calls, odd, worst, worstMs }: Evidence): string | undefined => {
  if (calls === 0) return 'no call was made'
  if (odd.length > 0) return `calls got ${odd.join(', ')}`
  return worstMs <= WAIT_MS_MAX ? undefined : `others waited ${Math.round(worstMs)} ms: ${worst}`
}
const held: Evidence = { calls: 9, worstMs: 80, worst: 'enum', odd: [] }
const broken: readonly Evidence[] = [
  { ...held, worstMs: 1_400 },
  { ...held, calls: 0 },
  { ...held, odd: [500] },
]
// A deployed function serves one request at a time, so nobody else waits there.
const common = { on: TWIN, judge, held, broken }

export const SCHEMA_ATTACKS = [
  attack({
    ...common,
    name: 'schema-arguments',
    tried: 'arguments of 1 MB against schemas of eleven costly keywords',
    attempt: async (target) => {
      const { key } = await target.user()
      const bodies = hostileBodies().filter(({ name }) => BODIES.has(name))
      const calls: CostlyCall[] = []
      for (const { keyword, id } of await hostileSkills(target)) {
        for (const { name, value } of bodies) {
          const text = callText(id, { v: value })
          calls.push({ what: `${keyword} on ${name}`, run: () => target.call(key, text) })
        }
      }
      return measure(target, calls, [200, 422])
    },
  }),
  attack({
    ...common,
    name: 'schema-answer',
    tried: 'an answer of 900 kB against an output_schema that compares each with each',
    attempt: async (target) => {
      const { key } = await target.user()
      const endpoint = `${target.upstreams.here.url}/rows`
      const rows = { uniqueItems: true, items: { uniqueItems: true } }
      const meta = {
        name: 'rows',
        description: 'Answers many rows.',
        parameters: { type: 'object', properties: {} },
        output_schema: { type: 'object', properties: { rows } },
      }
      const id = await freshSkill(target, { endpoint, method: 'GET' }, { meta })
      const run = () => target.call(key, callText(id))
      // Refused as an answer that cannot be judged within the budget of steps.
      return measure(target, [{ what: 'output_schema', run }], [200, 502])
    },
  }),
]

type CostlyCall = { readonly what: string; run(): Promise<{ readonly status: number }> }

/** Those that sync takes: a schema that it refuses never meets a body. */
async function hostileSkills(target: Target) {
  const taken: { readonly keyword: string; readonly id: string }[] = []
  for (const { keyword, schema } of hostileSchemas().filter(isTried)) {
    const id = `sg_${freshId()}`
    const { $defs = {}, ...v } = schema
    const parameters = { type: 'object', properties: { v }, $defs }
    const meta = { name: id, description: 'Hostile.', parameters }
    const config = { endpoint: `${target.upstreams.here.url}/schemas`, method: 'POST' }
    const { status } = await target.ask(
      'POST',
      'sync_skill',
      skillOf(id, config, { meta, credits_per_call: 0 }),
    )
    if (status === 201) taken.push({ keyword, id })
  }
  return taken
}

/** Each rule alone, and twenty times over on each item. */
function isTried({ keyword, schema }: ReturnType<typeof hostileSchemas>[number]): boolean {
  const { items } = schema
  const isMany = typeof items === 'object' && items !== null && 'allOf' in items
  return KEYWORDS.has(keyword) && (isMany || items === undefined)
}

async function measure(
  target: Target,
  calls: readonly CostlyCall[],
  usual: readonly number[],
): Promise<Evidence> {
  let evidence: Evidence = { calls: 0, worstMs: 0, worst: '', odd: [] }
  for (const { run, what: name } of calls) {
    if (evidence.worstMs > WAIT_MS_MAX) break
    const [{ status }, waitedMs] = await leastWait(target, run)
    const isOdd = !usual.includes(status)
    evidence = {
      calls: evidence.calls + 1,
      worstMs: Math.max(evidence.worstMs, waitedMs),
      worst: waitedMs > evidence.worstMs ? name : evidence.worst,
      odd: isOdd ? [...evidence.odd, status] : evidence.odd,
    }
  }
  return evidence
}

async function leastWait<T>(target: Target, run: () => Promise<T>): Promise<[T, number]> {
  let least = await whileWitnessed(target, run)
  for (let nth = 1; nth < TRIES && least[1] > WAIT_MS_MAX; nth += 1) {
    const again = await whileWitnessed(target, run)
    if (again[1] < least[1]) least = again
  }
  return least
}

/** Of `/proc/PID/stat`, on every Linux. */
const TICK_MS = 10

/**
 * The processor time of the gateway. While it waits for a processor that other programs use, the
 * clock goes on and this does not. The clock's time where the system does not tell.
 */
function readWorkedMs({ pid }: Target): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /)
    const [user, system] = fields.split(' ').slice(11, 13).map(Number)
    return (Number(user) + Number(system)) * TICK_MS
  } catch {
    return performance.now()
  }
}

/**
 * The answer, and the longest wait of requests that somebody else sends meanwhile, as far as the
 * gateway worked in it.
 */
async function whileWitnessed<T>(target: Target, run: () => Promise<T>): Promise<[T, number]> {
  let isOver = false
  let longestMs = 0
  const witness = async () => {
    while (!isOver) {
      const [startedMs, workedMs] = [performance.now(), readWorkedMs(target)]
      await send(new URL('/healthz', target.execute))
      const waitedMs = performance.now() - startedMs
      longestMs = Math.max(longestMs, Math.min(waitedMs, readWorkedMs(target) - workedMs))
      await delay(2)
    }
  }
  const watching = witness()
  const answer = await run().finally(() => {
    isOver = true
  })
  // The witness's last request may be the one that waits.
  await watching
  return [answer, longestMs]
}
