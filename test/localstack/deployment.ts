/**
 * The deployed stage by its outputs, and its addresses on this machine: the file that `cdk deploy
 * --outputs-file` wrote, and the administrators' secrets, read from where the operator would.
 */
import { readFileSync } from 'node:fs'
import { fieldsOf, readJsonObject, stringOf } from '../e2e/fields.ts'
import { type Emulator, emulatorOfProcess } from './emulator.ts'
import { restApiUrl } from './emulator-http.ts'
import { readSecrets } from './secrets.ts'

export type Outputs = {
  readonly sseUrl: string
  /** Including its path. */
  readonly mcpUrl: string
  readonly executeUrl: string
  readonly executeInternalUrl: string
  readonly adminUrl: string
  readonly adminSecretId: string
  readonly internalSecretId: string
  readonly gatewayTable: string
  readonly sessionsTable: string
}

export type Deployment = {
  readonly emulator: Emulator
  readonly outputs: Outputs
  /** `…/v1/…/admin` as reached on this machine, without a slash at its end */
  readonly admin: string
  readonly internalApiSecret: string
  readonly adminKey: string
  /** The emulator's own address as its functions see it: the upstream of their skills */
  readonly url: string
}

export async function deploymentOfProcess(): Promise<Deployment> {
  const emulator = await emulatorOfProcess()
  const outputs = readOutputs(process.env['DEPLOYMENT_OUTPUTS'] ?? '')
  const secrets = await readSecrets(emulator.endpoint, outputs)
  const admin = restApiUrl(emulator.endpoint, outputs.adminUrl)
  const url = process.env['EMULATOR_URL_INSIDE'] ?? emulator.endpoint
  return { emulator, outputs, admin, ...secrets, url }
}

export function readOutputs(file: string): Outputs {
  const stacks = readJsonObject(readFileSync(file, 'utf8'))
  const named = fieldsOf(stacks, 'Skillgate-emulated-Gateway')
  return {
    sseUrl: stringOf(named, 'SseUrl'),
    mcpUrl: stringOf(named, 'McpUrl'),
    executeUrl: stringOf(named, 'ExecuteUrl'),
    executeInternalUrl: stringOf(named, 'ExecuteInternalUrl'),
    adminUrl: stringOf(named, 'AdminUrl'),
    adminSecretId: stringOf(named, 'AdminSecretId'),
    internalSecretId: stringOf(named, 'InternalSecretId'),
    gatewayTable: stringOf(named, 'GatewayTableName'),
    sessionsTable: stringOf(named, 'SessionsTableName'),
  }
}
