/**
 * `skillgate deploy`, `diff` and `destroy`. A deploy checks the account's limits and prints the price first, so that
 * nothing is deployed that does not fit, and ends with a key that works.
 */
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { PREFLIGHT } from '../preflight/preflight.ts'
import { bundle, cdk, withOutputsFile } from './cdk.ts'
import { printEstimate } from './estimate.ts'
import type { StageWords } from './stage-words.ts'
import { welcome } from './welcome.ts'

/** Stops at the first step that fails, with its code. */
export function deployStage({ rest, stage }: StageWords, shell: Shell): Promise<ExitCode> {
  return withOutputsFile(async (outputs) => {
    const words = [...ofStage({ rest, stage }), '--outputs-file', outputs]
    const steps = [
      () => PREFLIGHT.run(['--stage', stage], shell),
      () => printEstimate({ rest, stage }, shell),
      () => bundle(shell),
      () => cdk(['deploy', '--all', ...words], shell),
      () => welcome(outputs, shell),
    ]
    for (const step of steps) {
      const code = await step()
      if (code !== EXIT.ok) return code
    }
    return EXIT.ok
  })
}

export async function diffStage(words: StageWords, shell: Shell): Promise<ExitCode> {
  const bundled = await bundle(shell)
  return bundled === EXIT.ok ? cdk(['diff', ...ofStage(words)], shell) : bundled
}

export function destroyStage(words: StageWords, shell: Shell): Promise<ExitCode> {
  return cdk(['destroy', '--all', '--force', ...ofStage(words)], shell)
}

function ofStage({ rest, stage }: StageWords): readonly string[] {
  return ['-c', `stage=${stage}`, ...rest]
}
