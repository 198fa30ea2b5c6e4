/**
 * Installs the packages of a suite that the repository does not have: from a package.json and lock
 * file beside the suite into a folder below .cache, once per lock file. Runs no install scripts,
 * and fetches only versions that the lock file pins.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const REPO = join(import.meta.dirname, '..', '..')
const MANIFEST_FILES = ['package.json', 'package-lock.json']
const INSTALL_MS_MAX = 180_000

/** Answers the folder with `node_modules`; throws with npm's own message on a failure. */
export function installPackages(manifestDir: string, name: string): string {
  const folder = join(REPO, '.cache', name)
  const stampFile = join(folder, 'installed')
  const wanted = readFileSync(join(manifestDir, 'package-lock.json'), 'utf8')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of MANIFEST_FILES) cpSync(join(manifestDir, file), join(folder, file))
  cpSync(join(REPO, '.npmrc'), join(folder, '.npmrc'))
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const run = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    env: { ...process.env, PATH },
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  })
  if (run.status !== 0) {
    const output = `${run.stderr ?? ''} ${run.error?.message ?? ''}`.replace(/\s+/g, ' ').trim()
    throw new Error(`npm ci of ${name} failed: ${output.slice(-600)}`)
  }
  writeFileSync(stampFile, wanted)
  return folder
}
