#!/usr/bin/env node
/**
 * Runs `npx skillgate` in a clone: starts cli/main.ts on the Node that `npm ci` installed, because
 * an older Node cannot run TypeScript. The published package has a bundle instead and needs no
 * launcher. Node caches compiled code (see local/keep-compiled.ts).
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const KEEP_COMPILED = new URL('../local/keep-compiled.ts', import.meta.url).href
const BUNDLED = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))

if (process.features.typescript) {
  await import(KEEP_COMPILED)
  await import(MAIN)
} else if (existsSync(BUNDLED)) {
  // The child gets Ctrl-C from the terminal itself; this process ends with the child's code.
  process.on('SIGINT', () => {})
  const args = ['--import', KEEP_COMPILED, MAIN, ...process.argv.slice(2)]
  const { status } = spawnSync(BUNDLED, args, { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  process.stderr.write(`Node ${process.version} cannot run it: run npm ci in the clone first.\n`)
  process.exitCode = 1
}
