/**
 * `npm run test:products`: `skillgate connect` with the real Claude Code, Codex and Gemini CLI from npm, at
 * pinned versions, each in a home of its own, against a twin. Looks at the file that the product's own
 * command wrote, at the one that `--edit-file` writes, and at what the product reads back. Downloads 870 MB
 * once, into .cache; needs the network for that alone, and no login. Exits with 1 when a check fails.
 */
import '../../bench/lib/help.ts'
import { startTwin } from '../e2e/twin.ts'
import { installProducts } from './install.ts'
import { type Check, checkProduct, PRODUCTS } from './products.ts'

async function main(programs: string): Promise<boolean> {
  const twin = await startTwin(['--memory'])
  try {
    let failed = 0
    for (const product of PRODUCTS) {
      const checks = await checkProduct(product, { programs, twin })
      for (const one of checks) print(lineOf(product.id, one))
      failed += checks.filter(({ wrong }) => wrong !== undefined).length
    }
    print(failed === 0 ? '\nAll products read what connect writes.' : `\n${failed} failed.`)
    return failed === 0
  } finally {
    await twin.stop()
  }
}

function lineOf(id: string, { says, wrong }: Check): string {
  return wrong === undefined ? `ok      ${id}: ${says}` : `FAILED  ${id}: ${says}: ${wrong}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  process.exitCode = (await main(installProducts())) ? 0 : 1
} catch (cause) {
  print(`test:products: ${cause instanceof Error ? cause.message : cause}`)
  print('It needs the three packages of test/products/packages from npm, once.')
  process.exitCode = 1
}
