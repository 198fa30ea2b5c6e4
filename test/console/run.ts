/**
 * `npm run test:console`: the pages of the console in Debian's Chromium, or in its Firefox by
 * `-- --browser firefox`. Installs the browser where it is missing. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { BROWSER_VARIABLE, installProgram, readBrowserName } from './programs.ts'

const REPO = join(import.meta.dirname, '../..')
const VITEST = join(REPO, 'node_modules/vitest/vitest.mjs')
const CONFIG = ['--config', 'test/console/vitest.config.ts']
const OPTION = '--browser'

const args = process.argv.slice(2)
const at = args.indexOf(OPTION)
const browser = readBrowserName(at < 0 ? undefined : args.splice(at, 2)[1])
installProgram(browser)
const { status } = spawnSync(process.execPath, [VITEST, 'run', ...CONFIG, ...args], {
  cwd: REPO,
  env: { ...process.env, [BROWSER_VARIABLE]: browser },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
