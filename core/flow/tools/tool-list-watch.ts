/**
 * One look a second at whether a user's tool list changed, shared by all listen streams of that
 * user in a process, and one at once when the store tells of a change. A look costs one or two reads,
 * and a thousand streams may be open.
 */
import type { Ports } from '../../ports/ports.ts'
import { type Bell, openBells } from '../../session/bells.ts'
import { type ListState, listState } from './tool-list-version.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'changes' | 'clock' | 'profiles'>

export type ListWatch = {
  /** Like {@link listState}, but up to one second stale where the store tells of no change. */
  state(ports: Needs, uid: string | undefined): Promise<ListState>
  /**
   * A bell that rings when `state` may have another answer. It wakes each stream in a context of its own: a change is
   * told of in that of whoever made it.
   */
  follow(ports: Needs): Bell
}

/** Between two looks. The conformance suite waits 1.5 s for the notification of a change. */
export const LOOK_EVERY_MS = 1_000

const TOOL_LISTS = 'tool-lists'

type Look = { readonly atMs: number; readonly state: Promise<ListState> }

export function listWatch(): ListWatch {
  const looks = new Map<string, Look>()
  let endListening: (() => void) | undefined
  const followers = openBells({
    onSilence: () => {
      endListening?.()
      endListening = undefined
    },
  })
  const tellAll = () => {
    looks.clear()
    followers.ringAll()
  }
  return {
    state: (ports, uid) => {
      const nowMs = ports.clock.nowMs()
      const key = uid ?? ''
      const last = looks.get(key)
      // The timers of the streams fire a little early or late.
      if (last !== undefined && nowMs - last.atMs < LOOK_EVERY_MS * 0.9) return last.state
      for (const [old, look] of looks) {
        if (nowMs - look.atMs >= LOOK_EVERY_MS * 2) looks.delete(old)
      }
      const state = listState(ports, uid)
      looks.set(key, { atMs: nowMs, state })
      return state
    },
    follow: (ports) => {
      endListening ??= ports.changes.listen(TOOL_LISTS, tellAll)
      return followers.listen(TOOL_LISTS)
    },
  }
}
