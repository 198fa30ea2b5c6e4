/** The CDK's command line on this clone, and the bundles that it deploys. Each answers the program's exit code. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import type { Program } from '../program.ts'
import { summaryOf } from './summary.ts'

const CLONE = resolve(import.meta.dirname, '../../..')

const USAGE = `npm run deploy [-- -c stage=prod …]: bundles the functions, and cdk deploy --all, which prints every value that the
stacks share, and then the few that a person needs. Arguments go to the CDK CLI, whose exit code it has.`

export const DEPLOY: Program = { usage: USAGE, run: deployStacks }

/** Deploys what is bundled, and ends with the lines of summary.ts. */
async function deployStacks(words: readonly string[], shell: Shell): Promise<ExitCode> {
  return withOutputsFile(async (outputs) => {
    const own = words.includes('--outputs-file') ? [] : ['--outputs-file', outputs]
    const code = await cdk(['deploy', '--all', ...own, ...words], shell)
    // Another file was named among the words, or nothing was deployed.
    if (code !== EXIT.ok || !existsSync(outputs)) return code
    shell.out.write(`${['', ...summaryOf(readFileSync(outputs, 'utf8'))].join('\n')}\n`)
    return EXIT.ok
  })
}

export async function withOutputsFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-outputs-'))
  try {
    return await work(join(folder, 'outputs.json'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function bundle(shell: Shell): Promise<ExitCode> {
  return started('scripts/bundle.ts', [], shell)
}

export function cdk(words: readonly string[], shell: Shell): Promise<ExitCode> {
  return started('node_modules/aws-cdk/bin/cdk', words, shell)
}

async function started(
  file: string,
  words: readonly string[],
  { programs }: Shell,
): Promise<ExitCode> {
  return (await programs.show(process.execPath, [join(CLONE, file), ...words])) ?? EXIT.failed
}
