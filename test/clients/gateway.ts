/**
 * The gateway that clients connect to: the twin, or the bundled doors under AWS's runtime client.
 * Both have an echo, a tool whose upstream fails, a slow one and two that run as tasks, and accept
 * one more on request.
 */
import { SLOW_MS, type World } from './checks.ts'

export type Gateway = World & { stop(): Promise<void> }

/** An administrator's actions, on either gateway. `at` is a path below the sample upstream. */
export type Register = (skill: {
  readonly id: string
  readonly at: string
  readonly method?: 'GET' | 'POST'
  readonly price?: number
  /** `config.task`. */
  readonly task?: { readonly max_sec: number; readonly required: boolean }
}) => Promise<string>

export async function registerTools(register: Register): Promise<Pick<World, 'addTool' | 'tools'>> {
  const echo = await register({ id: 'sg_echoes', at: 'echo', method: 'POST' })
  const failing = await register({ id: 'sg_broken', at: 'fail?status=500', price: 1 })
  const slow = await register({ id: 'sg_wait', at: `slow?seconds=${SLOW_MS / 1000}` })
  const task = await register({
    id: 'sg_render',
    at: `slow?seconds=${SLOW_MS / 1000}`,
    task: { max_sec: 60, required: true },
  })
  const late = await register({
    id: 'sg_late',
    at: 'slow?seconds=10',
    task: { max_sec: 2, required: true },
  })
  let added = 0
  const addTool = () => {
    added += 1
    return register({ id: `sg_added_${added}`, at: 'echo' })
  }
  return { tools: { echo, failing, slow, task, late }, addTool }
}
