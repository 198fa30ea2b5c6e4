/**
 * `npm run deploy [-- -c stage=prod …]`: `cdk deploy --all`, which prints every value that the stacks share, and
 * then the few that a person needs. Arguments go to the CDK CLI, whose exit code it has.
 */
import './help.ts'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { summaryOf } from './deploy/summary.ts'

const CDK = join(import.meta.dirname, '../node_modules/aws-cdk/bin/cdk')

function deploy(args: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-outputs-'))
  const outputs = join(folder, 'outputs.json')
  try {
    const own = args.includes('--outputs-file') ? [] : ['--outputs-file', outputs]
    const cli = [CDK, 'deploy', '--all', ...own, ...args]
    const { status } = spawnSync(process.execPath, cli, { stdio: 'inherit' })
    // Another file was named among the arguments, or nothing was deployed.
    if (status !== 0 || !existsSync(outputs)) return status ?? 1
    console.log(['', ...summaryOf(readFileSync(outputs, 'utf8'))].join('\n'))
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = deploy(process.argv.slice(2))
