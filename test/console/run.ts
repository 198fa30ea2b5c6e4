/**
 * `npm run test:console`: the pages of the console in Debian's Chromium, which this script installs
 * where it is missing. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installChromium } from './chromium.ts'

const REPO = join(import.meta.dirname, '../..')
const VITEST = join(REPO, 'node_modules/vitest/vitest.mjs')
const CONFIG = ['--config', 'test/console/vitest.config.ts']

installChromium()
const { status } = spawnSync(
  process.execPath,
  [VITEST, 'run', ...CONFIG, ...process.argv.slice(2)],
  { cwd: REPO, stdio: 'inherit' },
)
process.exitCode = status ?? 1
