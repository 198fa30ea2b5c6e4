/** Runs attacks one after the other and prints a line for each. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import type { Target } from './target.ts'

/** An attack that takes longer has made the gateway silent; a busy machine needs many times what a quiet one does. */
const ATTACK_MS_MAX = 300_000

/** The number of attacks that broke something, or could not be tried. */
export async function runAttacks(
  attacks: readonly Attack[],
  target: Target,
  print: (line: string) => void,
): Promise<number> {
  const width = Math.max(0, ...attacks.map(({ name }) => name.length))
  let broken = 0
  for (const one of attacks) {
    const startedMs = performance.now()
    const broke = await outcomeOf(one, target)
    const tookMs = Math.round(performance.now() - startedMs)
    if (broke !== undefined) broken += 1
    const verdict = broke === undefined ? 'held' : `BROKEN: ${broke}`
    print(`${one.name.padEnd(width)}  ${one.tried}: ${verdict} (${tookMs} ms)`)
  }
  return broken
}

/** An attack that cannot be tried proves nothing, so it counts as broken. */
async function outcomeOf(one: Attack, target: Target): Promise<string | undefined> {
  const patience = new AbortController()
  const late = delay(ATTACK_MS_MAX, `no end within ${ATTACK_MS_MAX} ms`, {
    signal: patience.signal,
  }).catch(() => undefined)
  const running = one.run(target)
  // An attack that ran into the limit goes on until the gateway stops, and fails then.
  running.catch(() => {})
  try {
    return await Promise.race([running, late])
  } catch (cause) {
    return `could not be tried: ${cause instanceof Error ? cause.message : String(cause)}`
  } finally {
    patience.abort()
  }
}
