/**
 * Polls once a second whether a user's tool list changed, and at once when the store reports a
 * change. All listen streams of the user in a process share a poll: a poll costs one or two reads,
 * and a thousand streams may be open.
 */
import type { Ports } from '../../ports/ports.ts'
import { openBells } from '../../session/bells.ts'
import { type ListState, readListState } from './tool-list-version.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'changes' | 'clock' | 'profiles'>

export type ListWatch = {
  /** Like {@link readListState}, but up to one second old if the store reports no change. */
  state(ports: Needs, uid: string | undefined): Promise<ListState>
  /**
   * Calls `onChange` when `state` may have changed, in the context of the writer. Returns a
   * function that ends the following.
   */
  follow(ports: Needs, onChange: () => void): () => void
}

/** Time between two polls. The conformance suite waits 1.5 s for the notification of a change. */
export const LIST_POLL_EVERY_MS = 1_000

const TOOL_LISTS = 'tool-lists'

type Poll = { readonly atMs: number; readonly state: Promise<ListState> }

/** The polls of one process, none at first. */
export function makeListWatch(): ListWatch {
  const polls = new Map<string, Poll>()
  let endListening: (() => void) | undefined
  const followers = openBells({
    onSilence: () => {
      endListening?.()
      endListening = undefined
    },
  })
  const onChange = () => {
    polls.clear()
    followers.ringAll()
  }
  return {
    state: (ports, uid) => {
      const nowMs = ports.clock.nowMs()
      const key = uid ?? ''
      const last = polls.get(key)
      // 90 %, since the timers of streams fire a little early or late.
      if (last !== undefined && nowMs - last.atMs < LIST_POLL_EVERY_MS * 0.9) return last.state
      for (const [old, poll] of polls) {
        if (nowMs - poll.atMs >= LIST_POLL_EVERY_MS * 2) polls.delete(old)
      }
      const state = readListState(ports, uid)
      polls.set(key, { atMs: nowMs, state })
      return state
    },
    follow: (ports, onFollowed) => {
      endListening ??= ports.changes.listen(TOOL_LISTS, onChange)
      return followers.hear(TOOL_LISTS, onFollowed)
    },
  }
}
