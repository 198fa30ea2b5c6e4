/**
 * The official suite as a program: installed from its own lock file, run once per set of scenarios,
 * and its summary read. Its exit code is the verdict; the summary is only compared with it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

export type Outcome = {
  readonly scenario: string
  readonly passed: number
  readonly failed: number
  readonly warnings: number
}

export type SuiteRun = {
  readonly exitCode: number
  readonly outcomes: readonly Outcome[]
  /** From `=== SUMMARY ===` on, without colours. */
  readonly summary: string
  /** Its whole output. */
  readonly logFile: string
  readonly tookMs: number
}

const RUN_MS_MAX = 120_000

export type Suite = {
  /** `args` follow `server --url <url>`; `name` is the log's. */
  run(name: string, url: string, args: readonly string[]): Promise<SuiteRun>
}

export function installSuite(): Suite {
  const folder = installPackages(join(import.meta.dirname, 'packages'), 'conformance')
  const entry = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
  const logDir = join(folder, 'logs')
  mkdirSync(logDir, { recursive: true })
  const run = async (name: string, url: string, args: readonly string[]): Promise<SuiteRun> => {
    const startedMs = performance.now()
    // `-o` keeps every check with its messages, for a person who searches for the cause.
    const results = join(logDir, name)
    rmSync(results, { recursive: true, force: true })
    const words = [join(folder, entry), 'server', '--url', url, ...args, '-o', results]
    const { exitCode, text } = await runNode(words)
    const logFile = join(logDir, `${name}.log`)
    writeFileSync(logFile, text)
    const summary = text.slice(Math.max(text.indexOf('=== SUMMARY ==='), 0)).trimEnd()
    const outcomes = readOutcomes(summary)
    return { exitCode, outcomes, summary, logFile, tookMs: performance.now() - startedMs }
  }
  return { run }
}

/** Lines such as `✓ ping: 2 passed, 0 failed, 1 warnings`. */
export function readOutcomes(summary: string): readonly Outcome[] {
  const line = /^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings?)?/gmu
  return [...summary.matchAll(line)].map(([, scenario = '', passed, failed, warnings]) => ({
    scenario,
    passed: Number(passed),
    failed: Number(failed),
    warnings: Number(warnings ?? 0),
  }))
}

async function runNode(
  words: readonly string[],
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
  }
  await once(child, 'close')
  // The suite writes colours to a pipe as well.
  const plain = text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '')
  return { exitCode: child.exitCode ?? 1, text: plain }
}
