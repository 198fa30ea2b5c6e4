/**
 * An event target that is opened with its first event and kept afterwards, with its connections and
 * its secret. The code of the target is a chunk of its own in the bundle, which a start of the
 * function does not open.
 */
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { EventPlace, EventTargetNeeds } from './event-target.ts'

/** Returns a target that opens itself when it delivers the first event. */
export function createLateEventTarget(place: EventPlace, needs: EventTargetNeeds): EventTarget {
  let opened: Promise<EventTarget> | undefined
  const open = async () => {
    const { openEventTarget } = await import('./event-target.ts')
    return openEventTarget(place, needs)
  }
  return {
    deliver: async (event) => {
      // Several events are sent at once, and all share one target.
      opened ??= open()
      return (await opened).deliver(event)
    },
  }
}
