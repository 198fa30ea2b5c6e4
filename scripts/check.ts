/**
 * `npm run check`: runs every static check at once; each is also an npm script of its own. Prints
 * the output of failed checks, and one line for each check. Runs all of them, even after a failure.
 */
import '../bench/lib/help.ts'
import { spawn } from 'node:child_process'

const CHECKS = ['format', 'lint', 'types', 'layers', 'pure', 'dead', 'citations']

type Outcome = { name: string; passed: boolean; output: string; tookMs: number }

/**
 * Runs one script. `node --run` reads the scripts of package.json as npm does, without npm's start
 * of 300 ms.
 */
function runCheck(name: string): Promise<Outcome> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--run', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const output = Buffer.concat(chunks).toString()
      resolve({ name, passed: code === 0, output, tookMs: performance.now() - startedAt })
    })
  })
}

const outcomes = await Promise.all(CHECKS.map(runCheck))
for (const { name, output } of outcomes.filter(({ passed }) => !passed)) {
  console.log(`\n--- npm run ${name}\n${output.trimEnd()}`)
}
console.log('')
for (const { name, passed, tookMs } of outcomes) {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} ${(tookMs / 1000).toFixed(1)} s`)
}
if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1
