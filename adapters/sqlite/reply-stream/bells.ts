/**
 * Bells of a file that several processes share: while somebody listens, a change by another process is
 * noticed within 50 ms and rings every bell, since the change does not say which names it is about.
 */
import { type Bells, openBells } from '../../../core/session/bells.ts'
import { outsideTrace } from '../../config/trace.ts'

/** Half of the 50 ms, so that a timer that comes late still keeps them. A look costs 2 µs. */
export const LOOK_EVERY_MS = 25

/**
 * `hasChanged`: whether another process has written since it was asked last; undefined: there is none. A
 * look that fails is told to `onTrouble`, and looking ends until the next stream begins to listen: those
 * that wait read at their own pace and meet the same trouble. Thrown in a timer it would end the process.
 */
export function watchedBells(
  hasChanged: (() => boolean) | undefined,
  onTrouble: (cause: unknown) => void,
): Bells {
  if (hasChanged === undefined) return openBells()
  let timer: NodeJS.Timeout | undefined
  const unwatch = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    try {
      if (hasChanged()) bells.ringAll()
    } catch (cause) {
      unwatch()
      onTrouble(cause)
    }
  }
  const watch = () => {
    timer ??= outsideTrace(() => setInterval(look, LOOK_EVERY_MS).unref())
  }
  const bells = openBells({ onListen: watch, onSilence: unwatch })
  return bells
}
