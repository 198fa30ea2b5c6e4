// A Web Function's environment as the reference of AWS describes it: the bundle as a process of its
// own, told where to listen, sent SIGTERM at its end. No emulator has one.

import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { WEB_SIZES } from '../../../lib/web-sizes.ts'
import { roleOf, testRegion } from '../credentials.ts'
import { TABLES, type World } from '../doors/world.ts'
import { nodeBinary, repositoryDir } from '../paths.ts'

export type WebProcess = {
  readonly url: string
  readonly pid: number
  readonly log: () => string
  /** Sends SIGTERM. Resolves with `exit status 0` or `signal: SIGKILL`. */
  readonly terminate: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** The platform gives a server this long to listen. */
const READY_MS_MAX = 100_000
/** And a process this long to end after SIGTERM (AWS, Execution environment lifecycle). */
export const STOP_MS_MAX = 1_000

export async function startWeb(world: World, more: Record<string, string> = {}) {
  const port = await freePort()
  const bundle = join(repositoryDir, 'dist/web/index.mjs')
  const child = spawn(nodeBinary(), [bundle], {
    cwd: dirname(bundle),
    env: { ...variables(world), AWS_LAMBDA_HTTP_ENDPOINT: `127.0.0.1:${port}`, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killChild = () => void child.kill('SIGKILL')
  process.once('exit', killChild)
  let log = ''
  const take = (chunk: string) => {
    log += chunk
  }
  child.stdout.setEncoding('utf8').on('data', take)
  child.stderr.setEncoding('utf8').on('data', take)
  const exited = exitOf(child).finally(() => process.off('exit', killChild))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, () => log)
  const web: WebProcess = {
    url,
    pid: child.pid ?? 0,
    log: () => log,
    terminate: () => {
      child.kill('SIGTERM')
      return exited
    },
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
  return web
}

function variables(world: World): Record<string, string> {
  const role = roleOf('sse')
  return {
    GATEWAY_TABLE: TABLES.gateway,
    SESSIONS_TABLE: TABLES.sessions,
    NODE_OPTIONS: WEB_SIZES.nodeOptions,
    OUTBOUND_ALLOW: world.upstream.host,
    AWS_ENDPOINT_URL_DYNAMODB: world.storeEndpoint,
    EXECUTE_IAM_URL: world.executeIamUrl.url,
    MESSAGES_URL: world.messagesUrl.url,
    MCP_URL: `${world.mcpUrl.url}/mcp`,
    AWS_REGION: testRegion,
    AWS_ACCESS_KEY_ID: role.accessKeyId,
    AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
    AWS_SESSION_TOKEN: role.sessionToken,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    TZ: ':UTC',
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      resolve(code === null ? `signal: ${signal}` : `exit status ${code}`)
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      server.close(() => resolve(port))
    })
  })
}

async function untilReady(url: string, log: () => string): Promise<void> {
  const endsAt = Date.now() + READY_MS_MAX
  for (;;) {
    try {
      await (await fetch(`${url}/v1/mcp/messages`)).text()
      return
    } catch (cause) {
      if (Date.now() > endsAt) throw new Error(`web does not listen: ${log()}`, { cause })
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
