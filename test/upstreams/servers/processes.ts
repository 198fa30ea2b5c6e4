/** Servers that run as processes of their own, in whatever language. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pythonOfClients } from '../../clients/python.ts'
import { untilTrue } from '../../e2e/wait.ts'
import { makePython } from '../../python/environment.ts'
import { OWN_PLAN, type RunningServer, type TestedServer } from '../tested-server.ts'

const HERE = join(import.meta.dirname, '..')
const REPO = join(HERE, '..', '..')
const START_MS_MAX = 60_000
const BUILD_MS_MAX = 180_000

export function pythonServers(): readonly TestedServer[] {
  const old = pythonOf(makePython())
  const now = pythonOf(pythonOfClients())
  const server = (
    python: string,
    flavour: string,
    about: Pick<TestedServer, 'name' | 'revision'>,
  ) => ({
    ...about,
    prefix: flavour,
    plan: OWN_PLAN,
    start: () => startSpoken(python, [join(HERE, 'python', 'server.py'), flavour]),
  })
  return [
    {
      ...server(old, 'mcp1', { name: 'python mcp 1.22.0', revision: '2025-06-18' }),
      plan: { ...OWN_PLAN, progress: { why: 'sends it on a stream of its own' } },
    },
    server(now, 'mcp', { name: 'python mcp 2.3.0', revision: '2026-07-28' }),
    server(now, 'fastmcp', { name: 'python fastmcp 4.1.0', revision: '2026-07-28' }),
  ]
}

function pythonOf(made: ReturnType<typeof makePython>): string {
  if ('missing' in made) throw new Error(made.missing)
  return made.python
}

/** It speaks 2026-07-28 only where it keeps no sessions. */
export function goServers(): readonly TestedServer[] {
  const binary = buildGo()
  return [
    {
      name: 'go sdk 1.8.0 sessions',
      revision: '2025-11-25',
      prefix: 'go',
      plan: OWN_PLAN,
      start: () => startSpoken(binary, []),
    },
    {
      name: 'go sdk 1.8.0 stateless',
      revision: '2026-07-28',
      prefix: 'gostateless',
      plan: OWN_PLAN,
      start: () => startSpoken(binary, ['-stateless']),
    },
  ]
}

function buildGo(): string {
  const binary = join(REPO, '.cache', 'upstreams-go')
  const built = spawnSync('go', ['build', '-o', binary, '.'], {
    cwd: join(HERE, 'go'),
    encoding: 'utf8',
    timeout: BUILD_MS_MAX,
  })
  if (built.status === 0) return binary
  const why = `${built.stderr ?? ''} ${built.error?.message ?? ''}`.trim().slice(-600)
  throw new Error(`go build failed: ${why} · Debian, Ubuntu: apt-get install -y golang-go`)
}

const NONE = { why: 'has no such tool' }

export function everythingServer(packages: string): TestedServer {
  const entry = join(packages, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
  return {
    name: 'server-everything 2026.8.31',
    revision: '2025-11-25',
    prefix: 'everything',
    plan: {
      call: { tool: 'echo', args: { message: 'héllo' }, says: 'Echo: héllo' },
      isIdempotent: true,
      structured: {
        tool: 'get-structured-content',
        args: { location: 'Chicago' },
        says: 'Light rain',
        is: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
      },
      error: {
        tool: 'get-resource-reference',
        args: { resourceType: 'Text', resourceId: -1 },
        says: 'resourceId',
      },
      progress: {
        tool: 'trigger-long-running-operation',
        args: { duration: 1, steps: 4 },
        says: 'completed',
        total: 4,
      },
      // The server knows this tool only where somebody can be asked.
      question: {
        tool: 'trigger-elicitation-request',
        args: {},
        asks: 'Please provide inputs for the following fields:',
        refuses: /not found/,
      },
      wait: { tool: 'trigger-long-running-operation', args: { duration: 10, steps: 1 } },
    },
    start: async () => {
      const port = await freePort()
      return startAt(port, process.execPath, [entry, 'streamableHttp'], { PORT: `${port}` })
    },
  }
}

/** It speaks stdio, so a bridge stands before it. */
export function filesystemServer(packages: string): TestedServer {
  const modules = join(packages, 'node_modules')
  const entry = join(modules, '@modelcontextprotocol/server-filesystem/dist/index.js')
  const bridge = join(modules, 'mcp-proxy/dist/bin/mcp-proxy.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-upstreams-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'note.txt')
  writeFileSync(path, 'a note\n')
  return {
    name: 'server-filesystem 2026.8.31, mcp-proxy 6.7.19',
    revision: '2026-07-28',
    prefix: 'files',
    plan: {
      call: { tool: 'read_text_file', args: { path }, says: 'a note' },
      isIdempotent: true,
      structured: {
        tool: 'read_text_file',
        args: { path },
        says: 'a note',
        is: { content: 'a note\n' },
      },
      error: { tool: 'read_text_file', args: { path: join(folder, 'none') }, says: 'ENOENT' },
      progress: NONE,
      question: NONE,
      wait: NONE,
    },
    start: async () => {
      const port = await freePort()
      const command = [process.execPath, entry, folder]
      const args = ['--port', `${port}`, '--host', '127.0.0.1', '--server', 'stream', '--']
      return startAt(port, process.execPath, [bridge, ...args, ...command])
    },
  }
}

/** A process that prints its URL on its first line. */
async function startSpoken(command: string, args: readonly string[]): Promise<RunningServer> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const stop = stopper(child)
  const ended = once(child, 'exit').then(() => undefined)
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  if (line === undefined) throw new Error(`${command} ${args.join(' ')} ended by itself`)
  return { url: String(line[0]), stop }
}

/** A process that is told its port. */
async function startAt(
  port: number,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningServer> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const stop = stopper(child)
  await untilTrue(() => accepts(port), START_MS_MAX)
  return { url: `http://127.0.0.1:${port}/mcp`, stop }
}

function stopper(child: ChildProcess): () => Promise<void> {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    kill()
    await exited
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
