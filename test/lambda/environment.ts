// One execution environment: AWS's runtime client on Node 24 in a process of its own, with the
// variables that Lambda sets and none of ours. It ends when it is stopped, or with this process.

import { type ChildProcess, spawn } from 'node:child_process'
import { basename, dirname, extname } from 'node:path'
import { roleOf, type TestRole, testRegion } from './credentials.ts'
import { nodeBinary, ricEntry } from './paths.ts'

export type EnvironmentSettings = {
  readonly functionName: string
  /** Absolute path of an ESM bundle, `….mjs` */
  readonly bundle: string
  /** Name of the exported handler; `handler` unless told */
  readonly handler?: string
  readonly env?: Readonly<Record<string, string>>
  readonly memoryMb?: number
  readonly role?: TestRole
  /** The program that polls the Runtime API; AWS's own unless told */
  readonly runtimeClient?: string
  readonly nodeArgs?: readonly string[]
  /** A command that becomes the process, such as one that enters a control group first */
  readonly launcher?: readonly string[]
}

export type Environment = {
  readonly pid: number
  /** stdout and stderr as they came, at most `logCharsMax` from the end. */
  readonly log: () => string
  /** Resolves with `exit status 1` or `signal: SIGKILL` once the process is gone. */
  readonly exited: Promise<string>
  /** Stops the clock of an idle environment, as Lambda does between invocations. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly kill: () => Promise<void>
}

const logCharsMax = 1_000_000

/** One listener for all of them: a test may run more environments than node allows listeners. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export function startEnvironment(settings: EnvironmentSettings, runtimeApi: string): Environment {
  const command = [
    ...(settings.launcher ?? []),
    nodeBinary(),
    ...(settings.nodeArgs ?? []),
    runtimeClientOf(settings),
  ]
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: dirname(settings.bundle),
    env: lambdaVariables(settings, runtimeApi),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  alive.add(child)
  const exited = exitOf(child).finally(() => alive.delete(child))
  return {
    pid: child.pid ?? 0,
    log: collectLog(child),
    exited,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(`could not start: ${cause.message}`))
    child.once('close', (code, signal) => {
      resolve(code === null ? `signal: ${signal}` : `exit status ${code}`)
    })
  })
}

function collectLog(child: ChildProcess): () => string {
  let text = ''
  const take = (chunk: string) => {
    text = (text + chunk).slice(-logCharsMax)
  }
  child.stdout?.setEncoding('utf8').on('data', take)
  child.stderr?.setEncoding('utf8').on('data', take)
  return () => text
}

function lambdaVariables(settings: EnvironmentSettings, runtimeApi: string): NodeJS.ProcessEnv {
  const { functionName, bundle } = settings
  const role = settings.role ?? roleOf(functionName)
  return {
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    _HANDLER: handlerName(settings),
    LAMBDA_TASK_ROOT: dirname(bundle),
    LAMBDA_RUNTIME_DIR: dirname(runtimeClientOf(settings)),
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb ?? 256),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0123456789abcdef',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_REGION: testRegion,
    AWS_DEFAULT_REGION: testRegion,
    AWS_ACCESS_KEY_ID: role.accessKeyId,
    AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
    AWS_SESSION_TOKEN: role.sessionToken,
    // Lambda has no such files; without these two variables the SDK would read the developer's own.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...settings.env,
  }
}

function runtimeClientOf({ runtimeClient }: EnvironmentSettings): string {
  return runtimeClient ?? ricEntry()
}

/** The runtime client cuts the handler string at its first dot and tries `.js` before `.mjs`. */
function handlerName({ bundle, handler = 'handler' }: EnvironmentSettings): string {
  const module = basename(bundle, extname(bundle))
  if (module.includes('.')) throw new Error(`a dot in the bundle's name: ${bundle}`)
  return `${module}.${handler}`
}
