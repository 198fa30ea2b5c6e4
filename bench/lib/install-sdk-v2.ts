/**
 * Installs the official SDK v2 into .cache/sdk-v2 from the lock file in ./sdk-v2, once. It is a
 * yardstick, not a dependency: when it cannot be installed, the bench says so and continues
 * without.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const REPO = join(import.meta.dirname, '../..')
const MANIFEST_DIR = join(import.meta.dirname, 'sdk-v2')
export const sdkCacheDir = join(REPO, '.cache', 'sdk-v2')
const INSTALL_MS_MAX = 120_000

/** Undefined when it is installed; otherwise the reason, on one line. */
export function installSdk(): string | undefined {
  if (isInstalled()) return undefined
  mkdirSync(sdkCacheDir, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) {
    cpSync(join(MANIFEST_DIR, file), join(sdkCacheDir, file))
  }
  cpSync(join(REPO, '.npmrc'), join(sdkCacheDir, '.npmrc'))
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const run = spawnSync('npm', ['ci'], {
    cwd: sdkCacheDir,
    env: { ...process.env, PATH },
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  })
  if (run.status === 0) return undefined
  const reason = run.error?.message ?? run.stderr.trim().split('\n').at(-1) ?? ''
  return `npm ci of the SDK v2 in .cache/sdk-v2 failed: ${reason}`
}

function isInstalled(): boolean {
  const installed = join(sdkCacheDir, 'package-lock.json')
  if (!existsSync(join(sdkCacheDir, 'node_modules', '@modelcontextprotocol', 'server')))
    return false
  const wanted = readFileSync(join(MANIFEST_DIR, 'package-lock.json'), 'utf8')
  return existsSync(installed) && readFileSync(installed, 'utf8') === wanted
}
