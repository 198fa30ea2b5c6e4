/**
 * Ends a deploy: prints the addresses of the stage, creates the first user and key if there are no
 * users, prints the lines that connect an agent, and runs the smoke test with that key. Reads the
 * admin key from Secrets Manager with the credentials of the deploy.
 */
import { readFileSync } from 'node:fs'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { SMOKE } from '../smoke/smoke.ts'
import { createFirstUser } from './first-user.ts'
import { formatConnectLines, formatDeploySummary, readOutputs } from './outputs.ts'

/**
 * Runs the steps after a deploy. `outputsFile` is the file that `cdk deploy --outputs-file` wrote.
 */
export async function finishDeploy(outputsFile: string, shell: Shell): Promise<ExitCode> {
  try {
    return await introduceStage(readFileSync(outputsFile, 'utf8'), shell)
  } catch (cause) {
    shell.err.write(`The stage is deployed. After it: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

async function introduceStage(outputsJson: string, shell: Shell): Promise<ExitCode> {
  const print = (lines: readonly string[]) => shell.out.write(`${lines.join('\n')}\n`)
  print(['', ...formatDeploySummary(outputsJson)])
  const outputs = readOutputs(outputsJson)
  if (outputs === undefined) return EXIT.ok
  const { adminSecretId, adminUrl, mcpUrl, sseUrl } = outputs
  const first = await createFirstUser(adminUrl, await readAdminKey(adminSecretId))
  print(['', ...formatConnectLines(outputs, first)])
  if (first.key === undefined) return EXIT.ok
  print(['', 'Checking the stage as an agent uses it:'])
  const words = ['--url', sseUrl, '--mcp-url', mcpUrl, '--admin-url', adminUrl]
  return SMOKE.run(words, { ...shell, env: { ...shell.env, SKILLGATE_KEY: first.key } })
}

async function readAdminKey(secretId: string): Promise<string> {
  // The region of the stage, which need not be that of the credentials.
  const region = secretId.split(':')[3]
  const client = new SecretsManagerClient(region === undefined ? {} : { region })
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
  const { current } = JSON.parse(SecretString ?? '{}')
  if (typeof current === 'string') return current
  throw new Error(`${secretId} has no admin key`)
}
