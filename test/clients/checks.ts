/**
 * The abilities that a client must have here. Every check can fail. A check that a client or its
 * transport cannot support is reported with the reason instead, and does not count as passed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LOST_WHEN, type LostWhen, startLosingProxy } from '../e2e/losing-proxy.ts'
import type { Agent, Door, TestedClient } from './agent.ts'

export const CHECKS = [
  'list',
  'call',
  'failing call',
  'slow call',
  'progress',
  'lost answer',
  'tasks',
  'list_changed',
  'new tool',
] as const
export type Check = (typeof CHECKS)[number]

export type Outcome =
  | { readonly kind: 'passed'; readonly note: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The reason why there is nothing to check. */
  | { readonly kind: 'none'; readonly why: string }

export type Row = {
  readonly name: string
  /** By the name of the check. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly tookMs: number
}

export type World = Door & {
  readonly tools: {
    readonly echo: string
    readonly failing: string
    readonly slow: string
    /** Takes as long as the slow one, as a task. */
    readonly task: string
    /** Takes longer than its task may. */
    readonly late: string
  }
  /** Registers one more tool; answers its name. */
  addTool(): Promise<string>
}

/** How long the slow tool's upstream takes. */
export const SLOW_MS = 2_300
/** These end waits for what never comes, and measure nothing. */
const CHANGE_MS_MAX = 60_000
const NEW_TOOL_MS_MAX = 60_000
const CLIENT_MS_MAX = 300_000

export async function checkClient(client: TestedClient, world: World): Promise<Row> {
  const startedMs = performance.now()
  const outcomes = new Map<Check, Outcome>()
  const patience = sleep(CLIENT_MS_MAX, 'too late' as const, { ref: false })
  const ended = await Promise.race([runChecks(client, world, outcomes), patience])
  const why = ended === 'too late' ? `nothing within ${CLIENT_MS_MAX} ms` : ended
  for (const check of CHECKS) {
    if (!outcomes.has(check)) outcomes.set(check, { kind: 'failed', why: why ?? 'did not run' })
  }
  return { name: client.name, outcomes, tookMs: performance.now() - startedMs }
}

/** Fills `outcomes`; answers the reason for an early stop. */
async function runChecks(
  client: TestedClient,
  world: World,
  outcomes: Map<Check, Outcome>,
): Promise<string | undefined> {
  let agent: Agent | undefined
  try {
    agent = await client.connect(world)
    const { tools } = world
    outcomes.set('list', await judge(() => lists(client, agentOf(agent), world)))
    outcomes.set('call', await judge(() => calls(agentOf(agent), tools.echo)))
    outcomes.set('failing call', await judge(() => fails(agentOf(agent), tools.failing)))
    const progress = { count: 0 }
    outcomes.set('slow call', await judge(() => waits(agentOf(agent), tools.slow, progress)))
    outcomes.set('progress', judgeProgress(client, progress.count))
    outcomes.set('lost answer', await judgeLost(client, agent, world))
    outcomes.set('tasks', await judgeTasks(agent, world))
    await checkChange(agent, world, outcomes)
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  } finally {
    await agent?.close().catch(() => undefined)
  }
}

function agentOf(agent: Agent | undefined): Agent {
  if (agent === undefined) throw new Error('not connected')
  return agent
}

async function lists(client: TestedClient, agent: Agent, world: World): Promise<string> {
  const names = await agent.toolNames()
  const missing = Object.values(world.tools).filter((name) => !names.includes(name))
  must(missing.length === 0, `no ${missing.join(', ')} among ${names.length} tools`)
  must(agent.revision === client.revision, `speaks ${agent.revision} and not ${client.revision}`)
  return agent.revision ?? ''
}

async function calls(agent: Agent, tool: string): Promise<string> {
  const words = `héllo ${Math.random()}`
  const { text, isError } = await agent.call(tool, { text: words })
  must(!isError && text.includes(words), `answered ${text}`)
  return ''
}

async function fails(agent: Agent, tool: string): Promise<string> {
  const { text, isError } = await agent.call(tool, {})
  must(isError && /refunded/.test(text), `no error result that tells of the refund: ${text}`)
  return ''
}

async function waits(agent: Agent, tool: string, progress: { count: number }): Promise<string> {
  const startedMs = performance.now()
  const { text, isError } = await agent.call(tool, {}, () => {
    progress.count += 1
  })
  const tookMs = performance.now() - startedMs
  must(!isError && text.includes('waitedSec'), `answered ${text}`)
  must(tookMs >= SLOW_MS - 100, `took ${Math.round(tookMs)} ms`)
  return `${(tookMs / 1000).toFixed(1)} s`
}

function judgeProgress(client: TestedClient, count: number): Outcome {
  if (count > 0) return { kind: 'passed', note: `${count}×` }
  return client.hearsProgress
    ? { kind: 'failed', why: 'no notification of progress in a slow call' }
    : { kind: 'none', why: 'none here' }
}

/** The answer of a call is lost on the way, and the repeat gets it. */
async function judgeLost(client: TestedClient, agent: Agent, world: World): Promise<Outcome> {
  if (agent.callOnce === undefined) return { kind: 'none', why: 'sends no key' }
  return judge(async () => {
    for (const when of LOST_WHEN) await losesOne(client, world, when)
    return ''
  })
}

/** A task is settled, one that takes too long has failed, and one is cancelled. */
async function judgeTasks({ tasks }: Agent, { tools }: World): Promise<Outcome> {
  if (tasks === undefined) return { kind: 'none', why: 'knows none' }
  return judge(async () => {
    const agent = await tasks()
    try {
      const done = await agent.settle(tools.task, {})
      must(done.isTask && !done.isError && done.text.includes('waitedSec'), `ended ${done.text}`)
      const late = await agent.settle(tools.late, {})
      // What the job had left of its 2 s when its call began.
      const isCut = /within (?:2\.0|1\.\d) s/.test(late.text)
      must(late.isTask && late.isError && isCut, `ended ${late.text}`)
      const cancelled = await agent.cancel(tools.task, {})
      must(/cancel/.test(cancelled), `after the cancellation: ${cancelled}`)
      return ''
    } finally {
      await agent.close().catch(() => undefined)
    }
  })
}

async function losesOne(client: TestedClient, world: World, when: LostWhen): Promise<void> {
  const { echo } = world.tools
  const proxy = await startLosingProxy(new URL(world.mcp).origin, when)
  const { pathname } = new URL(world.mcp)
  const agent = await client.connect({ ...world, mcp: `${proxy.origin}${pathname}` })
  const key = `lost-${Math.random()}`
  const call = () => agentOf(agent).callOnce?.(echo, { text: key }, key)
  try {
    const first = await Promise.resolve(call()).catch(() => 'lost' as const)
    must(first === 'lost', `the answer was not lost when ${when}`)
    const again = await call()
    must(again?.text.includes(key) === true, `answered ${again?.text}`)
    // A request that was cut on its way may not have run.
    const mayRun = when === 'the request is sent'
    must(mayRun || again?.isReplayed === true, 'the repeat ran again')
    must((await call())?.isReplayed === true, 'the next repeat ran again')
  } finally {
    await agent.close().catch(() => undefined)
    await proxy.stop()
  }
}

async function checkChange(
  agent: Agent,
  world: World,
  outcomes: Map<Check, Outcome>,
): Promise<void> {
  const { changes } = agent
  const before = (await changes?.()) ?? 0
  const added = await world.addTool()
  const changedMs = performance.now()
  const outcome: Outcome =
    changes === undefined
      ? { kind: 'none', why: 'no stream' }
      : await judge(async () => {
          await until(async () => (await changes()) > before, CHANGE_MS_MAX, 'was not told')
          return `${((performance.now() - changedMs) / 1000).toFixed(1)} s`
        })
  outcomes.set('list_changed', outcome)
  outcomes.set(
    'new tool',
    await judge(async () => {
      const isListed = async () => (await agent.toolNames()).includes(added)
      await until(isListed, NEW_TOOL_MS_MAX, 'does not list it')
      return ''
    }),
  )
}

async function until(
  holds: () => Promise<boolean>,
  withinMs: number,
  otherwise: string,
): Promise<void> {
  const lastMs = performance.now() + withinMs
  while (!(await holds())) {
    must(performance.now() < lastMs, `${otherwise} within ${withinMs} ms`)
    await sleep(100)
  }
}

/** Passed, with the note that `check` answers, or failed with what it threw. */
export async function judge(check: () => Promise<string>): Promise<Outcome> {
  try {
    return { kind: 'passed', note: await check() }
  } catch (cause) {
    return { kind: 'failed', why: reasonOf(cause) }
  }
}

export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return text.replace(/\s+/g, ' ').slice(0, 400)
}
