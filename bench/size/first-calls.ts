/**
 * The first calls of environments that have just started: Lambda gives a start a whole core, and a function its share with the
 * first request.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../test/lambda/doors/world.ts'
import { median, ms } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'
import type { ControlGroup } from './control-group.ts'
import { type CallingDoor, call, prepare } from './worst-sequence.ts'

const SAMPLES = inShort(9, 1)
const CALLS_OF_SAMPLE = inShort(10, 2)
/** Of the answers' upstream; waited for without CPU, so it is taken off the times. */
export const UPSTREAM_MS = 20

export type InFunction = {
  readonly world: World
  readonly group: ControlGroup
  readonly door: CallingDoor
  readonly memoryMb: number
  readonly share: number
}

type FirstCall = {
  readonly name: string
  readonly door: CallingDoor
  readonly kind: 'small' | 'small_secret'
  readonly isRepeatable: boolean
}

export const FIRST_CALLS: readonly FirstCall[] = [
  { name: 'mcp', door: 'mcp', kind: 'small', isRepeatable: false },
  { name: 'mcp, a skill with a secret', door: 'mcp', kind: 'small_secret', isRepeatable: false },
  { name: 'execute', door: 'execute', kind: 'small', isRepeatable: false },
  { name: 'execute, an Idempotency-Key', door: 'execute', kind: 'small', isRepeatable: true },
  {
    name: 'execute, a skill with a secret',
    door: 'execute',
    kind: 'small_secret',
    isRepeatable: false,
  },
]

/** Cells: name, start to first poll, and the first, second and last answer. */
export async function firstCallsOf(
  { isRepeatable, kind, name }: FirstCall,
  { door, group, share, world }: InFunction,
  upstreamUrl: string,
): Promise<readonly string[]> {
  const user = await prepare(world, upstreamUrl)
  const starts: number[] = []
  const answers: number[][] = []
  const callOnce = (onAnswer: () => void) =>
    call({ world, door, user }, kind, { onAnswer, isRepeatable })
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await world[door].killAll()
    group.limitCpu(1)
    const { timeline } = world[door]
    const before = timeline.count('ready')
    const startedAt = performance.now()
    let answeredAt = 0
    const first = callOnce(() => {
      answeredAt = performance.now()
    })
    while (timeline.count('ready') === before) await pause(1)
    group.limitCpu(share)
    const readyAt = performance.now()
    const text = await first
    if (!text.includes('"isError":false')) throw new Error(text.slice(0, 500))
    starts.push(readyAt - startedAt)
    const inTurn = [answeredAt - readyAt - UPSTREAM_MS]
    while (inTurn.length < CALLS_OF_SAMPLE) {
      const askedAt = performance.now()
      await callOnce(() => {
        inTurn.push(performance.now() - askedAt - UPSTREAM_MS)
      })
    }
    answers.push(inTurn)
  }
  const nth = (at: number) => ms(median(answers.map((inTurn) => inTurn[at] ?? 0)))
  return [name, ms(median(starts)), nth(0), nth(1), nth(CALLS_OF_SAMPLE - 1)]
}
