/**
 * A chain of twins on one data folder: each is killed in one case and its successor, three minutes
 * later by its own clock, finds what is left and is killed in the next. So each case costs one
 * start.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUser } from '../e2e/admin.ts'
import { pushSkills } from './skills.ts'
import { buildTwin } from './test-build.ts'
import { startTwinProcess, type TwinProcess } from './twin-process.ts'
import { type CountingUpstream, startUpstream } from './upstream.ts'

/**
 * Longer than a stale hold (60 s), the minute after its entry, and the minute that a sweep leaves
 * alone.
 */
const LATER_MS = 180_000

export type Chain = {
  readonly upstream: CountingUpstream
  /** The living twin, or a new one three minutes later if none lives. */
  twin(): Promise<TwinProcess>
  user(credits: number): Promise<{ readonly uid: string; readonly key: string }>
  stop(): Promise<void>
}

export async function startChain(): Promise<Chain> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-kill-'))
  const upstream = await startUpstream()
  const built = await buildTwin()
  let living: TwinProcess | undefined
  let starts = 0
  const twin = async () => {
    if (living?.isAlive()) return living
    const setup = { folder, upstream: upstream.host }
    living = await startTwinProcess(built.file, { ...setup, aheadMs: starts * LATER_MS })
    if (starts === 0) await pushSkills(living, upstream.host)
    starts += 1
    return living
  }
  let users = 0
  return {
    upstream,
    twin,
    user: async (credits) => {
      users += 1
      return createUser(await twin(), { username: `user${users}`, credits })
    },
    stop: async () => {
      await living?.kill()
      await upstream.stop()
      await built.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
