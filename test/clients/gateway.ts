/**
 * The gateway that clients connect to: the twin, or the bundled doors under AWS's runtime client.
 * Both have an echo, a tool whose upstream fails and a slow one, and accept one more on request.
 */
import { SLOW_MS, type World } from './checks.ts'

export type Gateway = World & { stop(): Promise<void> }

/** An administrator's actions, on either gateway. `at` is a path below the sample upstream. */
export type Register = (skill: {
  readonly id: string
  readonly at: string
  readonly method?: 'GET' | 'POST'
  readonly price?: number
}) => Promise<string>

export async function registerTools(register: Register): Promise<Pick<World, 'addTool' | 'tools'>> {
  const echo = await register({ id: 'sg_echoes', at: 'echo', method: 'POST' })
  const failing = await register({ id: 'sg_broken', at: 'fail?status=500', price: 1 })
  const slow = await register({ id: 'sg_wait', at: `slow?seconds=${SLOW_MS / 1000}` })
  let added = 0
  const addTool = () => {
    added += 1
    return register({ id: `sg_added_${added}`, at: 'echo' })
  }
  return { tools: { echo, failing, slow }, addTool }
}
