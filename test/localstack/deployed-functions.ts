/**
 * The functions that the emulator has after the deploy: their configuration and code, fetched back
 * with GetFunction, and their URLs. Asks Lambda's API by plain HTTP; changes nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Door } from '../../lib/doors.ts'
import { type Fields, fieldsOf, numberOf, readJsonObject, stringOf } from '../e2e/fields.ts'
import { fetchByHost, unsignedFor } from './emulator-http.ts'
import { unzip } from './unzip.ts'

export type DeployedFunction = {
  readonly name: string
  readonly runtime: string
  /** `index.handler` */
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutSec: number
  readonly env: Readonly<Record<string, string>>
  readonly codeSha256: string
  readonly codeUrl: string
}

export type UrlConfig = { readonly url: string; readonly auth: string; readonly mode: string }

/** The function of a door: lib/door-function.ts names the door in the description. */
export async function deployedFunction(endpoint: string, door: Door): Promise<DeployedFunction> {
  const { Functions: listed } = await lambdaGet(endpoint, '/2015-03-31/functions/?MaxItems=50')
  const named = recordsOf(listed).filter(
    (one) => one['Description'] === `Skillgate emulated: the ${door} door`,
  )
  const [only, ...others] = named
  if (only === undefined || others.length > 0) {
    throw new Error(`${named.length} deployed functions are the ${door} door, not one`)
  }
  const name = stringOf(only, 'FunctionName')
  return readFunction(await lambdaGet(endpoint, `/2015-03-31/functions/${name}`))
}

/** The URL that belongs to an alias of a function. */
export async function urlOf(endpoint: string, name: string, alias: string): Promise<UrlConfig> {
  const config = await lambdaGet(endpoint, `/2021-10-31/functions/${name}/url?Qualifier=${alias}`)
  return {
    url: stringOf(config, 'FunctionUrl'),
    auth: stringOf(config, 'AuthType'),
    mode: stringOf(config, 'InvokeMode'),
  }
}

/** The streams and queues that invoke functions. */
export async function mappingSources(endpoint: string): Promise<readonly string[]> {
  const { EventSourceMappings } = await lambdaGet(endpoint, '/2015-03-31/event-source-mappings/')
  return recordsOf(EventSourceMappings).map((one) => stringOf(one, 'EventSourceArn'))
}

/** The version that an alias stands for. */
export async function versionOf(endpoint: string, name: string, alias: string): Promise<string> {
  const answer = await lambdaGet(endpoint, `/2015-03-31/functions/${name}/aliases/${alias}`)
  return stringOf(answer, 'FunctionVersion')
}

/** Writes the deployed code below `folder`; answers the file that the handler's name begins with. */
export async function fetchCode(
  endpoint: string,
  deployed: DeployedFunction,
  folder: string,
): Promise<string> {
  const files = unzip(await fetchByHost(endpoint, deployed.codeUrl))
  for (const [name, content] of files) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const [module = ''] = deployed.handler.split('.')
  return join(folder, `${module}.mjs`)
}

function readFunction(answer: Fields): DeployedFunction {
  const config = fieldsOf(answer, 'Configuration')
  const variables = fieldsOf(fieldsOf(config, 'Environment'), 'Variables')
  return {
    name: stringOf(config, 'FunctionName'),
    runtime: stringOf(config, 'Runtime'),
    handler: stringOf(config, 'Handler'),
    memoryMb: numberOf(config, 'MemorySize'),
    timeoutSec: numberOf(config, 'Timeout'),
    env: Object.fromEntries(
      Object.keys(variables).map((name) => [name, stringOf(variables, name)]),
    ),
    codeSha256: stringOf(config, 'CodeSha256'),
    codeUrl: stringOf(fieldsOf(answer, 'Code'), 'Location'),
  }
}

async function lambdaGet(endpoint: string, path: string): Promise<Fields> {
  const answer = await fetch(`${endpoint}${path}`, { headers: unsignedFor('lambda') })
  const text = await answer.text()
  if (answer.status === 200) return readJsonObject(text)
  throw new Error(`Lambda answered ${answer.status} to ${path}: ${text.slice(0, 400)}`)
}

function recordsOf(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.map((one) => fieldsOf({ one }, 'one'))
  throw new Error(`no list: ${String(JSON.stringify(value)).slice(0, 200)}`)
}
