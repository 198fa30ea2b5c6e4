/**
 * One attack: what it tries, where it applies, and the judge of what it saw. The judge is a function of
 * the evidence alone, and comes with evidence of a gateway that is broken: attacks.test.ts shows that
 * every judge finds it, because an attack that cannot succeed proves nothing.
 */
import type { Runtime, Target } from './target.ts'

type AttackOn<Evidence> = {
  readonly name: string
  /** What is tried, in a few words. */
  readonly tried: string
  readonly on: readonly Runtime[]
  attempt(target: Target): Promise<Evidence>
  /** What broke, in one line; undefined when the gateway withstood the attack. */
  judge(evidence: Evidence): string | undefined
  /** Evidence of a gateway that withstands the attack. */
  readonly held: Evidence
  /** Evidence of gateways that are broken. */
  readonly broken: readonly Evidence[]
}

export type Attack = {
  readonly name: string
  readonly tried: string
  readonly on: readonly Runtime[]
  run(target: Target): Promise<string | undefined>
  /** The judge's verdicts on the evidence that comes with the attack. */
  verdicts(): {
    readonly held: string | undefined
    readonly broken: readonly (string | undefined)[]
  }
}

export const EVERYWHERE: readonly Runtime[] = ['twin', 'lambda']
export const TWIN: readonly Runtime[] = ['twin']
/** What the twin has not: an edge. */
export const LAMBDA: readonly Runtime[] = ['lambda']

export function attack<Evidence>(described: AttackOn<Evidence>): Attack {
  const { attempt, broken, held, judge, name, on, tried } = described
  return {
    name,
    tried,
    on,
    run: async (target) => judge(await attempt(target)),
    verdicts: () => ({ held: judge(held), broken: broken.map((evidence) => judge(evidence)) }),
  }
}
