/** One run of a test command: whether it passed, and the line that it ends with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type TestRun = {
  /** Exit code 0 and a closing line that counts no failure; one without the other is a failure. */
  readonly isGreen: boolean
  readonly closingLine: string
  readonly output: string
  readonly tookSec: number
}

/** As scripts/closing-line-reporter.ts prints it. */
const CLOSING_LINE = /^tests: \d+ passed, (\d+) failed(?:, \d+ skipped)?$/

export async function runTests(command: string, args: readonly string[]): Promise<TestRun> {
  const startedMs = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  const tookSec = Math.round((performance.now() - startedMs) / 1_000)
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  const failed = CLOSING_LINE.exec(last)?.[1]
  return {
    isGreen: code === 0 && failed === '0',
    closingLine: failed === undefined ? `no closing line, exit code ${code}` : last,
    output,
    tookSec,
  }
}
