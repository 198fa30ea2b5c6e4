/**
 * One thing at a time, in an order that the seed chooses: each request to a store waits for its
 * turn, and its answer for another. A dead actor takes no more turns; a request that it sent may
 * still be carried out, once more and late.
 */
import type { Random } from './random.ts'

export type Actor = { readonly name: string; alive: boolean }

export type Turns = {
  /** A port as one actor reaches it. `late`: methods that the network may carry out again. */
  port<P extends object>(actor: Actor, port: P, late?: readonly string[]): P
  start(actor: Actor, run: (actor: Actor) => Promise<void>): void
  /** Runs turns until nothing waits. Calls `then` after each turn. */
  runOut(then: () => Promise<void>): Promise<void>
  readonly trace: readonly string[]
}

type WaitingTurn = {
  readonly label: string
  readonly actor: Actor | undefined
  readonly go: () => void
}

const TURNS_MAX = 5_000

export function openTurns(random: Random, rates: { crash: number; late: number }): Turns {
  let waiting: WaitingTurn[] = []
  let running = 0
  const trace: string[] = []
  const turn = (actor: Actor, label: string) =>
    new Promise<void>((resolve) => {
      waiting.push({ label, actor, go: resolve })
    })
  const counted = async (work: () => unknown): Promise<unknown> => {
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }
  const idle = async () => {
    do await new Promise((resolve) => setImmediate(resolve))
    while (running > 0)
  }
  return {
    trace,
    port: (actor, port, late = []) =>
      new Proxy(port, {
        get(target, method) {
          const run: unknown = Reflect.get(target, method)
          if (typeof run !== 'function') return run
          return async (...args: unknown[]) => {
            const label = `${actor.name}: ${String(method)}`
            await turn(actor, label)
            const work = () => counted(() => Reflect.apply(run, target, args))
            if (late.includes(String(method)) && random.chance(rates.late)) {
              waiting.push({ label: `${label}, again`, actor: undefined, go: () => void work() })
            }
            const answer = await work()
            await turn(actor, `${label} answered`)
            return answer
          }
        },
      }),
    start: (actor, run) => {
      waiting.push({ label: `${actor.name} starts`, actor, go: () => void run(actor) })
    },
    async runOut(then) {
      for (let turns = 0; turns < TURNS_MAX; turns += 1) {
        await idle()
        await then()
        waiting = waiting.filter(({ actor }) => actor?.alive !== false)
        const next = waiting.splice(random.below(waiting.length), 1)[0]
        if (next === undefined) return
        if (next.actor !== undefined && random.chance(rates.crash)) {
          next.actor.alive = false
          trace.push(`${next.actor.name} dies before: ${next.label}`)
          continue
        }
        trace.push(next.label)
        next.go()
      }
      throw new Error(`does not end: ${TURNS_MAX} turns`)
    },
  }
}
