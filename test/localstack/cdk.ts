/**
 * Runs the pinned CDK CLI on this repository's app against the emulator of the environment. Each
 * run gets a HOME and an output folder of its own, since the CLI remembers the account of an access
 * key there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { nodeBinary, repositoryDir } from '../lambda/paths.ts'
import { CONFIG } from './config.ts'
import { ACCOUNT, REGION } from './credentials.ts'
import type { EmulatorName } from './emulator.ts'
import { lacks, stacksOf } from './gaps.ts'
import type { ProcessEnd, RunChild } from './processes.ts'

const STAGE_ARGS = toContext('stage=emulated')
const EXPORTS = toContext('@aws-cdk/core:defaultCrossStackReferences=strong')
const CLI = join(repositoryDir, 'node_modules/aws-cdk/bin/cdk')
/** For a failed run: its error is at the end, below hundreds of events. */
const LINES_SHOWN_MAX = 150

/** Runs on an emulator, at whose endpoint `env` points. */
export type Cli = {
  readonly run: RunChild
  readonly env: NodeJS.ProcessEnv
  readonly emulator: EmulatorName
}

export function bootstrap(cli: Cli): Promise<ProcessEnd> {
  return cdk(cli, ['bootstrap', `aws://${ACCOUNT}/${REGION}`])
}

export function deploy(
  cli: Cli,
  outputsFile: string,
  more: readonly string[] = [],
): Promise<ProcessEnd> {
  const unasked = ['--require-approval', 'never', '--outputs-file', outputsFile]
  return onStacks(cli, 'deploy', [...unasked, ...more])
}

/** Rejects when there is a difference. */
export function diff(cli: Cli): Promise<ProcessEnd> {
  return onStacks(cli, 'diff', ['--fail'])
}

export function destroy(cli: Cli): Promise<ProcessEnd> {
  return onStacks(cli, 'destroy', ['--force'])
}

/** Runs the words of another program, on templates for the emulator. */
export function runCdk(cli: Cli, words: readonly string[]): Promise<ProcessEnd> {
  return cdk(cli, [...words, ...contextFor(cli)])
}

function onStacks(cli: Cli, command: string, more: readonly string[]): Promise<ProcessEnd> {
  const stacks = stacksOf(cli.emulator)
  return cdk(cli, [command, ...stacks, ...STAGE_ARGS, ...contextFor(cli), ...more])
}

function contextFor({ emulator }: Cli): readonly string[] {
  const references = lacks(emulator, 'reads the outputs of another stack') ? EXPORTS : []
  return [...toContext(`config=${CONFIG}`), ...references]
}

/** Of two words with one name, the later counts. */
export function toContext(word: string): string[] {
  return ['--context', word]
}

/** Rejects with the CLI's last words when it failed. */
async function cdk({ run, env }: Cli, args: readonly string[]): Promise<ProcessEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-cdk-'))
  const path = `${dirname(nodeBinary())}${delimiter}${env['PATH'] ?? ''}`
  const own = { PATH: path, HOME: folder, CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true' }
  const output = args.includes('--output') ? [] : ['--output', join(folder, 'cdk.out')]
  const always = ['--no-notices', '--no-color', ...output]
  try {
    const options = { cwd: repositoryDir, env: { ...env, ...own }, capture: true }
    const ended = await run(nodeBinary(), [CLI, ...args, ...always], options)
    if (ended.code === 0) return ended
    const last = ended.output.trimEnd().split('\n').slice(-LINES_SHOWN_MAX).join('\n')
    throw new Error(`cdk ${args[0]} ended with ${ended.code}:\n${last}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
