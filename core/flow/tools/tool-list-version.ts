/**
 * Reads whether an agent's tool list may have changed, and whether its user is still active. Bound
 * by docs/service.md, Tool list.
 */
import type { Disabled } from '../../access/user-state.ts'
import type { Ports } from '../../ports/ports.ts'

export type ListState = {
  /**
   * Grows with each change of the shared list or of the user's own skills, and at no other time.
   */
  readonly listVersion: number
  /** The time of the last change; 0 if there was none. */
  readonly changedAtMs: number
  /** Set if the user is not active. Streams of such a user are ended. */
  readonly disabled: Disabled | undefined
}

/**
 * Reads the state of one user's list, or of the shared list without a `uid`. `ageMsMax` is the age
 * up to which a version that the store has read for another stream may be used. Throws `Fault` if
 * the store fails.
 */
export async function readListState(
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
 * A change that is younger than this may fall between two streams of one agent: after the last poll
 * of the old stream (5 s), the agent's pause (1 s), a cold start and some tries without a network.
 * Old clients do not list again when they reconnect, and would keep the old list until the next
 * change.
 */
export const FRESH_CHANGE_MS = 60_000

/**
 * Returns the version that a new stream starts from. After a fresh change it is a version from
 * which the next poll differs, so that the stream notifies its client.
 */
export function chooseFirstVersion(
  { changedAtMs, listVersion }: Pick<ListState, 'changedAtMs' | 'listVersion'>,
  nowMs: number,
): number {
  return nowMs - changedAtMs < FRESH_CHANGE_MS ? NO_LIST_VERSION : listVersion
}

/** Differs from every list version. */
const NO_LIST_VERSION = -1
