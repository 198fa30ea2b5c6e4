/** Whether an agent's tool list may have changed. Design section 4 (tools/list, Stream). */
import type { Ports } from '../ports.ts'

/** A number that grows when the cached list or the user's own skills change, and never else. */
export async function listChangedAtMs(
  ports: Pick<Ports, 'broadcast' | 'profiles'>,
  uid: string | undefined,
): Promise<number> {
  const [all, profile] = await Promise.all([
    ports.broadcast.read(),
    uid === undefined ? undefined : ports.profiles.read(uid),
  ])
  return all + (profile?.skillsChangedAtMs ?? 0)
}
