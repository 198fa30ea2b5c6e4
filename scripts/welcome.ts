/**
 * `node scripts/welcome.ts --outputs FILE`: the end of a deploy. Prints the addresses of the stage, makes the first user and key
 * where there is none, prints the lines that connect, and runs the smoke test with that key. `FILE` is what
 * `cdk deploy --outputs-file` wrote; credentials for Secrets Manager are those of the deploy.
 */
import './help.ts'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { firstUser } from './deploy/first-user.ts'
import { connectLines, readOutputs } from './deploy/outputs.ts'
import { summaryOf } from './deploy/summary.ts'

async function welcome(file: string): Promise<number> {
  const text = readFileSync(file, 'utf8')
  print(['', ...summaryOf(text)])
  const outputs = readOutputs(text)
  if (outputs === undefined) return 0
  const first = await firstUser(outputs.adminUrl, await adminKeyOf(outputs.adminSecretId))
  print(['', ...connectLines(outputs, first)])
  if (first.key === undefined) return 0
  print(['', 'Checking the stage as an agent uses it:'])
  const args = [
    '--url',
    outputs.sseUrl,
    '--mcp-url',
    outputs.mcpUrl,
    '--admin-url',
    outputs.adminUrl,
  ]
  const smoke = [join(import.meta.dirname, 'smoke.ts'), ...args]
  const env = { ...process.env, SKILLGATE_KEY: first.key }
  return spawnSync(process.execPath, smoke, { stdio: 'inherit', env }).status ?? 1
}

async function adminKeyOf(secretId: string): Promise<string> {
  const client = new SecretsManagerClient({})
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
  const { current } = JSON.parse(SecretString ?? '{}')
  if (typeof current === 'string') return current
  throw new Error(`${secretId} has no admin key`)
}

function print(lines: readonly string[]): void {
  console.log(lines.join('\n'))
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({ options: { outputs: { type: 'string' } } })
    process.exitCode = await welcome(values.outputs ?? '')
  } catch (cause) {
    console.error(
      `The stage is deployed. After it: ${cause instanceof Error ? cause.message : cause}`,
    )
    process.exitCode = 1
  }
}
