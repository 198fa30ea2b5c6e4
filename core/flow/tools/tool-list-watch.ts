/**
 * One look a second at whether tool lists changed, shared by all listen streams of a process that
 * ask about the same user: a look is a read or two, and a thousand streams may be open.
 */
import type { Ports } from '../../ports.ts'
import { type ListState, listState } from './tool-list-version.ts'

type Needs = Pick<Ports, 'toolListVersion' | 'clock' | 'profiles'>

/** As {@link listState}, but up to a look old. */
export type ListWatch = (ports: Needs, uid: string | undefined) => Promise<ListState>

/** Between two looks. The conformance suite waits 1.5 s for a change to be told. */
export const LOOK_EVERY_MS = 1_000

type Look = { readonly atMs: number; readonly seen: Promise<ListState> }

export function listWatch(): ListWatch {
  const looks = new Map<string, Look>()
  return (ports, uid) => {
    const nowMs = ports.clock.nowMs()
    const key = uid ?? ''
    const last = looks.get(key)
    // Streams of one beat come a little early or late.
    if (last !== undefined && nowMs - last.atMs < LOOK_EVERY_MS * 0.9) return last.seen
    for (const [old, look] of looks) {
      if (nowMs - look.atMs >= LOOK_EVERY_MS * 2) looks.delete(old)
    }
    const seen = listState(ports, uid)
    looks.set(key, { atMs: nowMs, seen })
    return seen
  }
}
