/**
 * Finds the browsers, or installs Debian's. Playwright's own downloads are not used: these are kept
 * by the distribution.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export type BrowserName = 'chromium' | 'firefox'

type Program = {
  readonly places: readonly string[]
  readonly packages: readonly string[]
  /** The environment variable that names another program. */
  readonly variable: string
}

const PROGRAMS: { readonly [name in BrowserName]: Program } = {
  chromium: {
    places: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    packages: ['chromium', 'fonts-dejavu-core'],
    variable: 'CHROMIUM',
  },
  firefox: {
    places: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
    packages: ['firefox-esr', 'fonts-dejavu-core'],
    variable: 'FIREFOX',
  },
}
/** The environment variable that names the browser of the tests, and the one without it. */
export const BROWSER_VARIABLE = 'TEST_BROWSER'
export const BROWSER: BrowserName = readBrowserName(process.env[BROWSER_VARIABLE])

/** Reads the name of a browser; Chromium if it is missing. Throws an Error for another word. */
export function readBrowserName(name = 'chromium'): BrowserName {
  if (name === 'chromium' || name === 'firefox') return name
  throw new Error(`--browser: must be chromium or firefox, and is ${name}`)
}

/** Returns the path of the program. Throws an Error with a remedy if there is none. */
export function findProgram(name: BrowserName): string {
  const { places, variable } = PROGRAMS[name]
  const found = process.env[variable] ?? places.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`There is no ${name} here: ${toRemedy(name)}.`)
  return found
}

/** Installs Debian's program where none is. Throws an Error if that fails. */
export function installProgram(name: BrowserName): void {
  const { packages, places, variable } = PROGRAMS[name]
  if (process.env[variable] !== undefined || places.some((path) => existsSync(path))) return
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const words of [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...packages],
  ]) {
    const [program = '', ...args] = [...sudo, 'apt-get', ...words]
    const { status } = spawnSync(program, args, { env, stdio: 'inherit' })
    if (status !== 0) throw new Error(`${name} could not be installed: ${toRemedy(name)}.`)
  }
}

function toRemedy(name: BrowserName): string {
  const { packages, variable } = PROGRAMS[name]
  return `install it (Debian: apt-get install --no-install-recommends ${packages.join(' ')}), or name its program in ${variable}`
}
