/**
 * Finds the bundles of the functions: the folder that is named, or dist/ of this clone. If dist/
 * lacks one, or the files of the console, all functions are bundled first, so that `npx cdk deploy`
 * works in a fresh clone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FUNCTIONS } from './doors.ts'

const CLONE = resolve(import.meta.dirname, '..')

/** Returns the absolute path; a relative `folder` is in the clone. No text is no folder. */
export function findBundles(folder: unknown): string {
  if (typeof folder === 'string') return resolve(CLONE, folder)
  const dist = join(CLONE, 'dist')
  if (isComplete(dist)) return dist
  process.stderr.write('dist/ is not complete: bundling the functions first\n')
  const { status } = spawnSync(process.execPath, [join(CLONE, 'scripts/bundle.ts')], {
    cwd: CLONE,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('the functions could not be bundled: see the lines above')
  return dist
}

/** Tells whether a folder has every function, and the console beside the admin function. */
export function isComplete(dist: string): boolean {
  const needed = [...FUNCTIONS.map((door) => join(door, 'index.mjs')), 'admin/console/index.html']
  return needed.every((file) => existsSync(join(dist, file)))
}
