/**
 * Implements `skillgate deploy`, `diff` and `destroy`. A deploy first checks the account's limits
 * and prints the price, so a stage that does not fit is not deployed. The CDK publishes new
 * versions; then the deploy moves the requests to them, prints the addresses, and ends with a smoke
 * test.
 */
import type { Stage } from '../../../lib/stage.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { PREFLIGHT } from '../preflight/preflight.ts'
import { describeCause } from '../program.ts'
import { readLiveWords, releaseStage } from '../release/release-stage.ts'
import { findConfigWord, loadStageOf, toStageEnv } from '../stage.ts'
import { bundleFunctions, runCdk, type StageWords, withOutputsFile } from './cdk.ts'
import { printEstimate } from './estimate.ts'
import { finishDeploy } from './welcome.ts'

/**
 * Runs the steps of a deploy in order. Stops at the first step that fails and returns the exit code
 * of that step.
 */
export function deployStage({ rest, stage }: StageWords, shell: Shell): Promise<ExitCode> {
  return withOutputsFile(async (outputs) => {
    const words = [...toCdkWords({ rest, stage }), '--outputs-file', outputs]
    const config = findConfigWord(rest)
    const file = config === undefined ? [] : ['--config', config]
    const loadStage = () => loadStageOf({ stage, config }, shell)
    const toStageShell = () => ({ ...shell, env: toStageEnv(loadStage(), shell.env) })
    const steps = [
      () => PREFLIGHT.run(['--stage', stage, ...file], shell),
      () => printEstimate({ rest, stage }, shell),
      () => bundleFunctions(shell),
      () => deployStacks(loadStage(), words, toStageShell()),
      () => releaseStage(loadStage(), toStageShell()),
      () => finishDeploy(outputs, shell),
    ]
    for (const step of steps) {
      const code = await step()
      if (code !== EXIT.ok) return code
    }
    return EXIT.ok
  })
}

/** Deploys with the live versions as they are now, after all that takes time. */
async function deployStacks(
  stage: Stage,
  words: readonly string[],
  shell: Shell,
): Promise<ExitCode> {
  let live: readonly string[]
  try {
    live = await readLiveWords(stage, shell)
  } catch (cause) {
    shell.err.write(`deploy: the live versions cannot be read: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
  // A stack whose own template is the same may refer to a changed output of another (ADR 0129).
  return runCdk(['deploy', '--all', '--force', ...words, ...live], shell)
}

export async function diffStage(words: StageWords, shell: Shell): Promise<ExitCode> {
  const bundled = await bundleFunctions(shell)
  return bundled === EXIT.ok ? runCdk(['diff', ...toCdkWords(words)], shell) : bundled
}

export function destroyStage(words: StageWords, shell: Shell): Promise<ExitCode> {
  return runCdk(['destroy', '--all', '--force', ...toCdkWords(words)], shell)
}

function toCdkWords({ rest, stage }: StageWords): readonly string[] {
  return ['-c', `stage=${stage}`, ...rest]
}
