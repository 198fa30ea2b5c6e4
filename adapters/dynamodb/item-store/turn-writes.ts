/** The writes of one turn of the event loop, and which of them the current request has touched. */
import { classifyFlush } from './flush-rules.ts'
import type { AnswerWait, WrittenItem } from './written.ts'

export type TurnWrites = {
  /** Begins a request: `touched` starts again. */
  lookAnew(): void
  touched(): AnswerWait
  /** Notes that the request reads this place; undefined: any place. */
  saw(place?: string): void
  /** The newest write of a place, if it is not a row yet. */
  waiting(place: string): WrittenItem | undefined
  /** How many places were written since the last call of `committed`. */
  count(): number
  /** Hands all waiting writes to `make`, which makes their rows. */
  makeRows(make: (all: Iterable<WrittenItem>) => void): void
  note(place: string, written: WrittenItem): void
  /** All writes since the last call of this method. */
  committed(): readonly WrittenItem[]
  forgetAll(): void
}

/** Each entry waits for at least as much as the one before. */
const ORDER: readonly AnswerWait[] = ['nothing', 'turn', 'behind', 'flush']

function stricterOf(a: AnswerWait, b: AnswerWait): AnswerWait {
  return ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b
}

export function turnWrites(): TurnWrites {
  const waiting = new Map<string, WrittenItem>()
  let uncommitted = new Map<string, WrittenItem>()
  let touched: AnswerWait = 'nothing'
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
      touched = stricterOf(touched, classifyFlush(written))
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
