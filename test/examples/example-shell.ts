/**
 * A copy of examples/ with ports that are free, the API of the examples and a twin, and a shell that runs what a reader
 * pastes. `npx` starts the command line and Node of this repository.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startTwin, type Twin } from '../e2e/twin.ts'

const REPO = join(import.meta.dirname, '../..')
const NPX = `npx() { case $1 in
  skillgate) shift; '${process.execPath}' '${join(REPO, 'cli/skillgate.mjs')}' "$@" ;;
  node) shift; '${process.execPath}' "$@" ;;
esac; }`

/** A program of an example that goes on until it is stopped. */
export type Running = { nextLine(): Promise<string>; stop(): Promise<void> }

export type ExampleShell = {
  readonly twin: Twin
  /** What the commands print. Throws if one fails. */
  paste(commands: string): Promise<string>
  /** Starts one command that does not end by itself. */
  start(command: string): Running
  stop(): Promise<void>
}

/** `commands`: what starts the API and the twin, as the page has it. */
export async function startExamples(commands: {
  readonly api: string
  readonly twin: string
}): Promise<ExampleShell> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-examples-'))
  const [api, receiver, mcpServer] = await freePorts()
  const replaced = (text: string) =>
    text
      .replaceAll(/\b3000\b/g, `${api}`)
      .replaceAll(/\b3001\b/g, `${receiver}`)
      .replaceAll(/\b3002\b/g, `${mcpServer}`)
  const running: Running[] = []
  cpSync(join(REPO, 'examples'), join(folder, 'examples'), { recursive: true })
  symlinkSync(join(REPO, 'node_modules'), join(folder, 'node_modules'))
  const start = (command: string, env: NodeJS.ProcessEnv = process.env) => {
    const program = startProgram(join(folder, command.replace(/^npx node /, '').trim()), env)
    running.push(program)
    return program
  }
  edit(folder, replaced)
  await start(commands.api).nextLine()
  const [, args = ''] = /^npm start -- (.*)$/m.exec(commands.twin) ?? []
  const twin = await startTwin([...replaced(args).split(' '), '--data', join(folder, '.local')])
  edit(folder, (text) => text.replaceAll(/\b8787\b/g, `${twin.port}`))
  const env = {
    ...process.env,
    SKILLGATE_URL: twin.url,
    SKILLGATE_ADMIN_KEY: twin.adminKey,
    SKILLGATE_MCP_URL: twin.mcp,
  }
  return {
    twin,
    paste: async (text) => {
      const script = [NPX, replaced(text)].join('\n')
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: folder, env })
      return stdout
    },
    start: (command) => {
      const credentials = JSON.parse(readFileSync(join(folder, '.local/credentials.json'), 'utf8'))
      return start(command, { ...process.env, EVENTS_SECRET: credentials.eventsSecret })
    },
    stop: async () => {
      await Promise.all([twin.stop(), ...running.map((program) => program.stop())])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function edit(folder: string, change: (text: string) => string): void {
  for (const file of globSync('examples/**/*.*', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
}

function startProgram(file: string, env: NodeJS.ProcessEnv): Running {
  const child: ChildProcess = spawn(process.execPath, [file], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('The program has no stdout.')
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    nextLine: async () => String((await lines.next()).value),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Three ports that were free a moment ago; the programs of the examples name theirs. */
async function freePorts(): Promise<readonly number[]> {
  const servers = [1, 2, 3].map(() => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
