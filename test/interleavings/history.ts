/**
 * What actors did to named places, with the order of beginnings and ends. A write whose answer never
 * came may take effect at any later time; one that was answered must not be undone by an older one.
 */
import type { World } from './world.ts'

export type Write = {
  readonly place: string
  /** Undefined: a removal. */
  readonly value: number | undefined
  readonly process: string
  readonly begun: number
  /** Infinity while there is no answer. */
  ended: number
  endedAtMs: number
  /** False: answered, and nothing was written. */
  effective: boolean
}

export type History = {
  readonly writes: Write[]
  tick(): number
  /** Records one write around `run`, which tells whether anything was written. */
  during(
    write: Pick<Write, 'place' | 'value' | 'process'>,
    run: () => Promise<boolean>,
  ): Promise<void>
}

export function openHistory({ note, scheduler }: Pick<World, 'note' | 'scheduler'>): History {
  const writes: Write[] = []
  let ticks = 0
  const tick = () => {
    ticks += 1
    return ticks
  }
  return {
    writes,
    tick,
    during: async (of, run) => {
      const open = { ended: Infinity, endedAtMs: Infinity, effective: true }
      const write: Write = { ...of, begun: tick(), ...open }
      writes.push(write)
      note(`${of.process} begins ${of.place} = ${of.value}`)
      write.effective = await run()
      write.ended = tick()
      write.endedAtMs = scheduler.nowMs()
      note(`${of.process} ends ${of.place} = ${of.value}: ${write.effective}`)
    },
  }
}

/** Writes of the place that were surely carried out after `write` had ended. */
export function laterThan({ writes }: History, write: Write): readonly Write[] {
  return writes.filter(
    (other) =>
      other.place === write.place &&
      other.effective &&
      other.ended < Infinity &&
      other.begun > write.ended,
  )
}

/** Puts that are answered, and after which no removal can have come. */
export function lasting({ writes }: History, place: string): readonly Write[] {
  const placeWrites = writes.filter((write) => write.place === place && write.effective)
  const removals = placeWrites.filter(({ value }) => value === undefined)
  return placeWrites.filter(
    ({ begun, ended, value }) =>
      value !== undefined && ended < Infinity && removals.every((removal) => removal.ended < begun),
  )
}

/** Why `value` cannot be what stands at the place at the end; undefined when it can. */
export function faultOfLast(history: History, place: string, value: number | undefined) {
  if (value === undefined) {
    const lost = lasting(history, place)[0]
    return lost === undefined ? undefined : `${place}: value ${lost.value} was stored and is gone`
  }
  const write = history.writes.find((one) => one.place === place && one.value === value)
  if (write?.effective === false) return `${place}: value ${value} stands, although it was refused`
  const later = write === undefined ? [] : laterThan(history, write)
  if (later.length === 0) return undefined
  const then = later[0]?.value ?? 'its removal'
  return `${place}: value ${value} stands, although ${then} came after it`
}
