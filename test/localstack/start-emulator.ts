/**
 * Starts the emulator of one run and answers a function that stops it: by compose.yaml, or by a
 * start script on a free port. A script's cache lies outside the repository and serves one run at a
 * time: an emulator left over from an earlier, killed run is stopped first; a run in progress is
 * not disturbed.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closePort, openPort } from '../../local/http/listen.ts'
import { nodeBinary, repositoryDir } from '../lambda/paths.ts'
import { findPython } from './find-python.ts'
import { isAlive, type RunChild } from './processes.ts'

export type StartedEmulator = {
  readonly endpoint: string
  /** The emulator's own address as its functions see it */
  readonly endpointInside: string
  /** Where its DynamoDB can be reached without the emulator before it */
  readonly dynamoDb?: string
  readonly stop: () => Promise<void>
}

/** LocalStack takes about 8 s to end; a process that still runs then is killed. */
const STOP_MS_MAX = 20_000
const LOOK_EVERY_MS = 100
/** One compose project: `docker compose down` finds it again after a crash. */
const COMPOSE = ['compose', '--project-name', 'skillgate-test', '--file', 'compose.yaml']

export async function startCompose(run: RunChild): Promise<StartedEmulator> {
  const port = await freePort()
  const options = { cwd: repositoryDir, env: { ...process.env, LOCALSTACK_PORT: String(port) } }
  const stop = async () => {
    await run('docker', [...COMPOSE, 'down', '--volumes'], { ...options, always: true })
  }
  await orStop(stop, async () => {
    const { code } = await run('docker', [...COMPOSE, 'up', '--detach', '--wait'], options)
    if (code !== 0) throw new Error('docker compose up failed; what it said stands above')
  })
  const endpoint = `http://127.0.0.1:${port}`
  return { endpoint, endpointInside: 'http://localhost.localstack.cloud:4566', stop }
}

export async function startScript(run: RunChild, script: string): Promise<StartedEmulator> {
  const cache = cacheFolder(script)
  await takeCache(cache)
  const port = await freePort()
  const dynamoPort = await freePort()
  const python = findPython(process.env)
  const env = {
    ...process.env,
    PORT: String(port),
    DYNAMODB_PORT: String(dynamoPort),
    LAMBDA_LOCAL_NODE: nodeBinary(),
    ...(python === undefined ? {} : { PYTHON: python }),
  }
  const stop = () => stopLeftIn(cache)
  await orStop(stop, async () => {
    const { code } = await run(script, [cache], { cwd: repositoryDir, env })
    if (code !== 0) throw new Error(`${script} failed; what it said stands above`)
  })
  const endpoint = `http://127.0.0.1:${port}`
  const dynamoDb = `http://127.0.0.1:${dynamoPort}`
  return { endpoint, endpointInside: endpoint, dynamoDb, stop }
}

/** Part of it may be running already when a start fails or is interrupted. */
async function orStop(stop: () => Promise<void>, start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (cause) {
    await stop()
    throw cause
  }
}

/** Kept between runs, since the first start installs for a minute. */
function cacheFolder(script: string): string {
  const own = process.env['LOCALSTACK_CACHE']
  if (own) return own
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(caches, 'skillgate', basename(script, '.sh'))
}

async function takeCache(cache: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const mine = join(cache, 'suite.pid')
  const other = readPid(mine)
  if (other !== undefined && isAlive(other, 'test/localstack/run.ts')) {
    const remedy = 'wait for it, or give this one LOCALSTACK_CACHE=…'
    throw new Error(`another run (pid ${other}) uses ${cache}: ${remedy}`)
  }
  await stopLeftIn(cache)
  writeFileSync(mine, String(process.pid))
}

/** Ends the emulator whose pid is in the cache, and releases the cache. */
async function stopLeftIn(cache: string): Promise<void> {
  const pidFile = join(cache, 'localstack.pid')
  const pid = readPid(pidFile)
  // The pid may belong to another process by now: the emulator's own command line names the cache.
  if (pid !== undefined && isAlive(pid, cache)) await end(pid, cache)
  rmSync(pidFile, { force: true })
  rmSync(join(cache, 'suite.pid'), { force: true })
}

async function end(pid: number, cache: string): Promise<void> {
  process.kill(pid, 'SIGTERM')
  const lastMs = Date.now() + STOP_MS_MAX
  while (isAlive(pid, cache) && Date.now() < lastMs) await sleep(LOOK_EVERY_MS)
  // Start scripts use setsid: the emulator leads a group with all that it started.
  if (isAlive(pid, cache)) process.kill(-pid, 'SIGKILL')
}

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').trim())
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  await closePort(server)
  return port
}
