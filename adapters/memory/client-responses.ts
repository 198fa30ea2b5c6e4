/** In-memory twin of the port InputAnswers. No method awaits between its reads and its writes. */
import type { Clock, InputAnswers } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'

export function memoryInputAnswers(cells: Cells, clock: Clock): InputAnswers {
  cells.inputAnswers.sweep(clock.nowMs())
  return {
    expect: async ({ hash, expiresAtMs }) => {
      if (cells.inputAnswers.get(hash, ONLY) !== undefined) return
      cells.inputAnswers.put(hash, ONLY, { expiresAtMs, sealed: undefined })
      cells.inputAnswers.sweepSome(clock.nowMs())
    },
    put: async ({ hash, nowMs, sealed }) => {
      const question = cells.inputAnswers.get(hash, ONLY)
      if (question === undefined || question.sealed !== undefined) return false
      if (question.expiresAtMs <= nowMs) return false
      cells.inputAnswers.put(hash, ONLY, { ...question, sealed })
      return true
    },
    read: async (hash) => cells.inputAnswers.get(hash, ONLY)?.sealed,
  }
}
