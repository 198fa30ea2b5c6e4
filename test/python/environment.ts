/**
 * The Python of `npm run test:py`, and of the clients in test/clients: an environment of its own
 * under .cache/, made from a requirements.txt and kept until that file or the Python changes. Names
 * a missing part with its remedy; skips nothing.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url))
/** The environment of test:py. */
const OLDEST: EnvironmentSpec = {
  name: 'python-mcp',
  requirements: fileURLToPath(new URL('./requirements.txt', import.meta.url)),
}
/** The client needs 3.10; the script reads exception groups, which 3.11 brought. */
const NEEDED = 'Python 3.11 or later'
const REMEDY =
  'Debian, Ubuntu: apt-get install -y python3 python3-venv · Fedora: dnf install -y python3'
const INSTALL_MS_MAX = 5 * 60_000
const VERSION = 'import sys; print("%d.%d %s" % (*sys.version_info[:2], sys.executable))'

/** A folder below .cache, and the packages to install there. */
type EnvironmentSpec = { readonly name: string; readonly requirements: string }

/** The environment's own python; the error is one line for the person at the terminal. */
export function makePython({
  name,
  requirements,
}: EnvironmentSpec = OLDEST): { readonly python: string } | { readonly missing: string } {
  const found = findPython()
  if (found === undefined) return { missing: `${NEEDED} is not on the PATH. ${REMEDY}` }
  const folder = join(CACHE, name)
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  const stampFile = join(folder, 'made-from')
  const stamp = createHash('sha256')
    .update(readFileSync(requirements))
    .update(found.version)
    .digest('hex')
  if (existsSync(python) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return { python }
  }
  rmSync(folder, { recursive: true, force: true })
  const made = run(found.command, ['-m', 'venv', folder])
  if (made !== undefined) return { missing: `${found.command} -m venv failed: ${made} ${REMEDY}` }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  const installed = run(python, [...pip, '--requirement', requirements])
  if (installed !== undefined) return { missing: `pip could not install the client: ${installed}` }
  writeFileSync(stampFile, stamp)
  return { python }
}

function findPython(): { readonly command: string; readonly version: string } | undefined {
  for (const command of ['python3', 'python']) {
    const { status, stdout } = spawnSync(command, ['-c', VERSION], { encoding: 'utf8' })
    const [major = 0, minor = 0] = (stdout ?? '').split(/[. ]/).map(Number)
    if (status === 0 && (major > 3 || (major === 3 && minor >= 11))) {
      return { command, version: stdout.trim() }
    }
  }
  return undefined
}

/** Undefined for a success, else the end of the command's output. */
function run(command: string, args: readonly string[]): string | undefined {
  const ran = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (ran.status === 0) return undefined
  const output = `${ran.stderr ?? ''} ${ran.stdout ?? ''} ${ran.error?.message ?? ''}`
  return output.replace(/\s+/g, ' ').trim().slice(-600)
}
