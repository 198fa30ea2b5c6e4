/** What the requests of one turn have written, and what one request has touched of it. */
import { flushOf } from './flush-rules.ts'
import type { Touched, Written } from './written.ts'

export type TurnWrites = {
  /** Begins a request. */
  lookAnew(): void
  touched(): Touched
  /** A read of this place, or of any. Notes what it touches. */
  saw(place?: string): void
  /** The newest write of a place that has no row of it yet. */
  waiting(place: string): Written | undefined
  /** Places that were written since `committed` was asked last. */
  count(): number
  /** All that wait; they have their rows by the end of `make`. */
  makeRows(make: (all: Iterable<Written>) => void): void
  note(place: string, written: Written): void
  /** All writes since this was asked last. */
  committed(): readonly Written[]
  forgetAll(): void
}

const ORDER: readonly Touched[] = ['nothing', 'turn', 'behind', 'flush']

function moreOf(a: Touched, b: Touched): Touched {
  return ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b
}

export function turnWrites(): TurnWrites {
  const waiting = new Map<string, Written>()
  let uncommitted = new Map<string, Written>()
  let touched: Touched = 'nothing'
  return {
    lookAnew: () => {
      touched = 'nothing'
    },
    touched: () => touched,
    saw: (place) => {
      const isOfTurn = place === undefined ? uncommitted.size > 0 : uncommitted.has(place)
      if (isOfTurn && touched === 'nothing') touched = 'turn'
    },
    waiting: (place) => waiting.get(place),
    count: () => uncommitted.size,
    makeRows: (make) => {
      if (waiting.size === 0) return
      make(waiting.values())
      waiting.clear()
    },
    note: (place, written) => {
      touched = moreOf(touched, flushOf(written))
      const before = uncommitted.get(place)
      const ofTurn = before === undefined ? written : { ...written, old: before.old }
      waiting.set(place, ofTurn)
      uncommitted.set(place, ofTurn)
    },
    committed: () => {
      const written = uncommitted
      uncommitted = new Map()
      return [...written.values()]
    },
    forgetAll: () => {
      waiting.clear()
      uncommitted.clear()
    },
  }
}
