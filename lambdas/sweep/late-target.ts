/**
 * A target that is opened with its first event and kept from then on, with its connections and its secret. What
 * it takes is a file of its own in the bundle, which a start of the function does not open.
 */
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { EventTargetNeeds, PlaceOfEvents } from './event-target.ts'

export function lateEventTarget(place: PlaceOfEvents, needs: EventTargetNeeds): EventTarget {
  let opened: Promise<EventTarget> | undefined
  const open = async () => {
    const { openEventTarget } = await import('./event-target.ts')
    return openEventTarget(place, needs)
  }
  return {
    deliver: async (event) => {
      // Several events are sent at once; all of them share one target.
      opened ??= open()
      return (await opened).deliver(event)
    },
  }
}
