/**
 * Finds Chromium, or installs Debian's. Playwright's own download is not used: this one is kept by
 * the distribution.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const PACKAGES = ['chromium', 'fonts-dejavu-core']
const REMEDY =
  'install Chromium (Debian: apt-get install --no-install-recommends chromium fonts-dejavu-core), or name its program in CHROMIUM'

/** Returns the path of the program. Throws an Error with a remedy if there is none. */
export function findChromium(): string {
  const named = process.env['CHROMIUM']
  const found = named ?? PLACES.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`There is no Chromium here: ${REMEDY}.`)
  return found
}

/** Installs Debian's Chromium where none is. Throws an Error if that fails. */
export function installChromium(): void {
  if (process.env['CHROMIUM'] !== undefined || PLACES.some((path) => existsSync(path))) return
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const words of [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...PACKAGES],
  ]) {
    const [program = '', ...args] = [...sudo, 'apt-get', ...words]
    const { status } = spawnSync(program, args, { env, stdio: 'inherit' })
    if (status !== 0) throw new Error(`Chromium could not be installed: ${REMEDY}.`)
  }
}
