/**
 * Ends a deploy: prints the addresses of the stage, creates the first user and key if there are no
 * users, prints the lines that connect an agent, and runs the smoke test with the key of the
 * canary, paid calls included. Reads the keys from Secrets Manager with the credentials of the
 * deploy.
 */
import { readFileSync } from 'node:fs'
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { SMOKE } from '../smoke/smoke.ts'
import { openAdmin } from './admin-requests.ts'
import { type KeySecret, prepareCanary } from './canary-user.ts'
import { createFirstUser } from './first-user.ts'
import {
  formatConnectLines,
  formatDeploySummary,
  readOutputs,
  type StageOutputs,
} from './outputs.ts'

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
  const adminKey = await readAdminKey(outputs.adminSecretId)
  const first = await createFirstUser(outputs.adminUrl, adminKey)
  print(['', ...formatConnectLines(outputs, first)])
  print(['', 'Checking the stage as an agent uses it:'])
  const code = await checkAsCanary(outputs, adminKey, shell)
  if (code !== EXIT.ok) {
    shell.err.write(
      `The stage is deployed, and the smoke test failed. To go back:\n  skillgate rollback --stage ${outputs.stage}\n`,
    )
  }
  return code
}

/** Checks a stage as an agent uses it, with paid calls. Returns the exit code of the smoke test. */
export async function checkStage(outputs: StageOutputs, shell: Shell): Promise<ExitCode> {
  return checkAsCanary(outputs, await readAdminKey(outputs.adminSecretId), shell)
}

async function checkAsCanary(
  outputs: StageOutputs,
  adminKey: string,
  shell: Shell,
): Promise<ExitCode> {
  const { adminUrl, canarySecretId, executeUrl, mcpUrl, sseUrl } = outputs
  try {
    const { key, tool } = await prepareCanary(openAdmin(adminUrl, adminKey), {
      secret: openSecret(canarySecretId),
      sseUrl,
      nowMs: shell.nowMs(),
    })
    const urls = {
      url: sseUrl,
      'mcp-url': mcpUrl,
      'execute-url': executeUrl,
      'admin-url': adminUrl,
    }
    const words = Object.entries(urls).flatMap(([name, url]) => [`--${name}`, url])
    // The key goes by the environment, which no list of processes shows.
    const env = { ...shell.env, SKILLGATE_KEY: key }
    return await SMOKE.run([...words, '--call', tool], { ...shell, env })
  } catch (cause) {
    shell.err.write(`The canary: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

function openSecret(SecretId: string): KeySecret {
  // The region of the stage, which need not be that of the credentials.
  const region = SecretId.split(':')[3]
  const client = new SecretsManagerClient(region === undefined ? {} : { region })
  return {
    read: async () =>
      (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString ?? '{}',
    write: async (SecretString) => {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString }))
    },
  }
}

async function readAdminKey(secretId: string): Promise<string> {
  const { current } = JSON.parse(await openSecret(secretId).read())
  if (typeof current === 'string') return current
  throw new Error(`${secretId} has no admin key`)
}
