/**
 * Where the twin gets the files of the console: in the published package from the folder beside the
 * program, in a clone from a build at the first request.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConsoleFrom } from '../adapters/console/console-folder.ts'
import { loadOnce } from '../core/cache/load-once.ts'

const PACKAGED = join(import.meta.dirname, 'console')

export function openConsoleFiles(): (name: string) => Promise<string | undefined> {
  if (existsSync(join(PACKAGED, 'index.html'))) return readConsoleFrom(PACKAGED)
  const build = loadOnce(async () => (await import('../lib/bundle/console.ts')).buildConsole())
  return async (name) => (await build())[name]
}
