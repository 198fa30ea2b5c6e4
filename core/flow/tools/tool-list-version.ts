/** Whether an agent's tool list may have changed. Bound by docs/service.md, Tool list. */
import type { Ports } from '../../ports.ts'

export type ListState = {
  /** Grows when the cached list or the user's own skills change, and never else. */
  readonly listVersion: number
  /** When the later of the two did; 0 where neither ever has. */
  readonly changedAtMs: number
}

export async function listState(
  ports: Pick<Ports, 'toolListVersion' | 'profiles'>,
  uid: string | undefined,
): Promise<ListState> {
  const [all, profile] = await Promise.all([
    ports.toolListVersion.read(),
    uid === undefined ? undefined : ports.profiles.read(uid),
  ])
  const own = profile?.skillsChangedAtMs ?? 0
  return { listVersion: all + own, changedAtMs: Math.max(all, own) }
}

/**
 * A change that is younger may have come between two streams of one agent: the old one's last look
 * (5 s), the agent's wait (1 s), a cold start, some tries without a network. Old clients that
 * reconnect do not list again by themselves, and would keep the old list until the next change.
 */
export const UNTOLD_MS = 60_000

/** What a stream takes for seen at its first look: a fresh change is news to its second one. */
export function seenAtFirst({ changedAtMs, listVersion }: ListState, nowMs: number): number {
  return nowMs - changedAtMs < UNTOLD_MS ? NOTHING_SEEN : listVersion
}

const NOTHING_SEEN = -1
