/** The twin with its default store, in a folder of its own that goes with it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTwin, type Twin } from './twin.ts'

/** `args` beside the folder. `env`: more variables. */
export async function startFreshTwin(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Twin & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-twin-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const twin = await startTwin(['--data', folder, ...args], { env })
    return { ...twin, folder, stop: (signal) => twin.stop(signal).finally(remove) }
  } catch (cause) {
    await remove()
    throw cause
  }
}
