/**
 * Event targets that are opened with the first event and kept afterwards, with their connections
 * and secrets. The code of the targets is a chunk of its own in the bundle, which a start of the
 * function does not open.
 */
import type { EventTargetsConfig } from '../../adapters/config/config.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { EventTargetNeeds } from './event-target.ts'

/** Returns targets that open themselves when they deliver their first event. */
export function createLateEventTargets(
  config: EventTargetsConfig,
  needs: EventTargetNeeds,
): readonly EventTarget[] {
  let opener: ReturnType<typeof loadOpener> | undefined
  const loadOpener = async () => {
    const { makeTargetOpener } = await import('./event-target.ts')
    return makeTargetOpener(config, needs)
  }
  return config.targets.map((target) => {
    let opened: Promise<Pick<EventTarget, 'deliver'>> | undefined
    const open = async () => {
      opener ??= loadOpener()
      return (await opener)(target)
    }
    return {
      name: target.name,
      types: target.types,
      deliver: async (event) => {
        // Several events are sent at once, and all share one target.
        opened ??= open()
        return (await opened).deliver(event)
      },
    }
  })
}
