/** A home directory of its own for each run of a product, with a project and an environment. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

export const REPO = join(import.meta.dirname, '../..')

export type Home = {
  readonly home: string
  /** The project that the product works in; below `home`. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** `programs` is the folder of the products' programs. The home is removed when `run` has ended. */
export async function withHome<T>(programs: string, run: (home: Home) => Promise<T>): Promise<T> {
  // Not below /tmp: Codex makes no helpers there, and says so in each answer.
  const home = realpathSync(mkdtempSync(join(REPO, '.cache', 'product-home-')))
  if (home === homedir()) throw new Error('a product must not run in the home of a person')
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  try {
    return await run({ home, cwd, env: environmentOf(home, programs) })
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  }
}

function environmentOf(home: string, programs: string): NodeJS.ProcessEnv {
  return {
    PATH: [programs, dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    // Products that look for updates or send reports would need the network.
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }
}
