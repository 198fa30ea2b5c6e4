/** Whether an agent's tool list may have changed, and whether its user is still served. Bound by docs/service.md, Tool list. */
import type { Disabled } from '../../access/user-state.ts'
import type { Ports } from '../../ports/ports.ts'

export type ListState = {
  /**
   * Grows with each change of the shared list or of the user's own skills, and at no other time.
   */
  readonly listVersion: number
  /** The time of the later change; 0 where there was none. */
  readonly changedAtMs: number
  /** The user is not active: no stream of theirs goes on. */
  readonly disabled: Disabled | undefined
}

/** `ageMsMax`: how old the shared version may be, where the store shares what it knows of it. */
export async function listState(
  ports: Pick<Ports, 'toolListVersion' | 'profiles'>,
  uid: string | undefined,
  ageMsMax?: number,
): Promise<ListState> {
  const [all, profile] = await Promise.all([
    ports.toolListVersion.recent(ageMsMax),
    uid === undefined ? undefined : ports.profiles.read(uid),
  ])
  const own = profile?.skillsChangedAtMs ?? 0
  const changedAtMs = Math.max(all, own)
  return { listVersion: all + own, changedAtMs, disabled: profile?.disabled }
}

/**
 * A younger change may fall between two streams of one agent: after the last look of the old stream
 * (5 s), during the agent's pause (1 s), a cold start, some tries without a network. Old clients do
 * not list again when they reconnect, and would keep the old list until the next change.
 */
export const UNTOLD_MS = 60_000

/**
 * The version that a new stream starts from: after a fresh change, one that its next look will
 * differ from.
 */
export function seenAtFirst(
  { changedAtMs, listVersion }: Pick<ListState, 'changedAtMs' | 'listVersion'>,
  nowMs: number,
): number {
  return nowMs - changedAtMs < UNTOLD_MS ? NOTHING_SEEN : listVersion
}

const NOTHING_SEEN = -1
