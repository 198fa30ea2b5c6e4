/**
 * The program that cdk.json names: runs bin/gateway.ts on the Node that `npm ci` installed, because
 * an older Node cannot run TypeScript. `npx cdk` and `npm run` would find that Node by themselves;
 * a `cdk` that is installed elsewhere does not.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const APP = new URL('gateway.ts', import.meta.url)
const PACKAGES = fileURLToPath(new URL('../node_modules/aws-cdk-lib', import.meta.url))
const BUNDLED = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))

if (!existsSync(PACKAGES)) {
  fail('The packages of the clone are missing: run npm ci in it first.')
} else if (process.features.typescript) {
  await import(APP.href)
} else if (existsSync(BUNDLED)) {
  const { status } = spawnSync(BUNDLED, [fileURLToPath(APP)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  fail(`Node ${process.version} cannot run the CDK app: run npm ci in the clone first.`)
}

function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exitCode = 1
}
