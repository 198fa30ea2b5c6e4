/**
 * Runs the CDK's command line on this clone, and the script that bundles the functions. Each
 * function returns the exit code of the program.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import type { Program } from '../program.ts'
import { formatDeploySummary } from './outputs.ts'

export type StageWords = {
  readonly stage: string
  /** For the CDK. */
  readonly rest: readonly string[]
}

const CLONE = resolve(import.meta.dirname, '../../..')

const USAGE = `npm run deploy [-- -c stage=prod …]: bundles the functions, and cdk deploy
--all, which prints every value that the stacks share, and then the few that a
person needs. It publishes new versions and moves no requests to them:
skillgate deploy does that. Arguments go to the CDK CLI, whose exit code it has.`

export const DEPLOY: Program = { usage: USAGE, run: deployStacks }

/** Deploys the bundles and prints the summary of the outputs at the end. */
async function deployStacks(words: readonly string[], shell: Shell): Promise<ExitCode> {
  return withOutputsFile(async (outputs) => {
    const own = words.includes('--outputs-file') ? [] : ['--outputs-file', outputs]
    const code = await runCdk(['deploy', '--all', ...own, ...words], shell)
    // There is no file if the arguments named another one, or if nothing was deployed.
    if (code !== EXIT.ok || !existsSync(outputs)) return code
    shell.out.write(`${['', ...formatDeploySummary(readFileSync(outputs, 'utf8'))].join('\n')}\n`)
    return EXIT.ok
  })
}

/**
 * Passes `work` the path of a temporary file for the stack outputs, and removes the file
 * afterwards.
 */
export async function withOutputsFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-outputs-'))
  try {
    return await work(join(folder, 'outputs.json'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function bundleFunctions(shell: Shell): Promise<ExitCode> {
  return runNode('scripts/bundle.ts', [], shell)
}

export function runCdk(words: readonly string[], shell: Shell): Promise<ExitCode> {
  return runNode('node_modules/aws-cdk/bin/cdk', words, shell)
}

async function runNode(
  file: string,
  words: readonly string[],
  { programs }: Shell,
): Promise<ExitCode> {
  return (await programs.show(process.execPath, [join(CLONE, file), ...words])) ?? EXIT.failed
}
