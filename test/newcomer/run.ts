/**
 * `npm run test:newcomer`: the way of somebody who has never seen the repository, from a clone to the answer
 * of a tool that was made from an OpenAPI document, in a home of its own and with the Node of the host. Counts
 * the commands and prints their seconds; exits with 1 when one fails or there are too many. Clones what is
 * committed, and needs npm's registry.
 */
import '../../bench/lib/help.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { untilTrue } from '../e2e/wait.ts'
import { startPetStore } from './pet-store.ts'

const COMMANDS_MAX = 6
const REPO = join(import.meta.dirname, '../..')
const READY_MS_MAX = 60_000

type Step = { readonly line: string; readonly sec: number }

async function walk(folder: string): Promise<readonly Step[]> {
  const store = await startPetStore()
  const clone = join(folder, 'skillgate')
  const env = environment(folder)
  const steps: Step[] = []
  let twin: ChildProcess | undefined
  const timed = async (line: string, work: Promise<unknown>) => {
    const startedMs = performance.now()
    await work
    const step = { line, sec: (performance.now() - startedMs) / 1_000 }
    steps.push(step)
    print(`${step.sec.toFixed(1).padStart(6)} s  ${line}`)
  }
  const run = (line: string, cwd: string) => timed(line, ran(line, { cwd, env }))
  try {
    await run(`git clone --quiet ${REPO} skillgate`, folder)
    await run('npm ci', clone)
    const start = `npm start -- --port 0 --outbound-allow ${store.host}`
    twin = started(start, { cwd: clone, env })
    const profile = join(folder, '.config/skillgate/config.json')
    await timed(
      start,
      untilTrue(() => existsSync(profile), READY_MS_MAX),
    )
    await run('npx skillgate connect cursor', clone)
    const document = `http://${store.host}/openapi.json`
    const choice = '--prefix pets --credits 0.5 --operation *Order*'
    await run(`npx skillgate import openapi apply ${document} ${choice}`, clone)
    await run('npx skillgate call sg_pets_getOrderById orderId=7', clone)
    if (store.asked.join() !== '7') throw new Error('the pet store was not asked for order 7')
    const cursor = readFileSync(join(folder, '.cursor/mcp.json'), 'utf8')
    if (!cursor.includes('/mcp')) throw new Error('Cursor is not connected')
    return steps
  } finally {
    await stop(twin)
    store.stop()
  }
}

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv }

function started(line: string, place: Place): ChildProcess {
  const [program = '', ...args] = line.split(' ')
  // A group of its own, so that what npm starts ends with it.
  return spawn(program, args, { ...place, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
}

async function ran(line: string, place: Place): Promise<void> {
  const [program = '', ...args] = line.split(' ')
  const child = spawn(program, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${output.slice(-1_000)}`)
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await ended
}

/** Without this repository's programs: a newcomer has the Node of the host alone. */
function environment(home: string): NodeJS.ProcessEnv {
  const { PATH = '', ...others } = process.env
  const path = PATH.split(delimiter).filter((one) => !one.startsWith(REPO))
  const kept = Object.entries(others).filter(([name]) => !/^(npm_|SKILLGATE|XDG|NODE)/.test(name))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: home,
    npm_config_cache: process.env['npm_config_cache'] ?? join(home, '.npm'),
    ...registryOf(process.env),
  }
}

/** Where packages come from, if npm was told so by its configuration. */
function registryOf({ npm_config_registry: registry }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return registry === undefined ? {} : { npm_config_registry: registry }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'skillgate-newcomer-'))
try {
  const steps = await walk(folder)
  const sec = steps.reduce((sum, step) => sum + step.sec, 0)
  print(`${sec.toFixed(1).padStart(6)} s  in ${steps.length} commands, of ${COMMANDS_MAX} at most`)
  process.exitCode = steps.length > COMMANDS_MAX ? 1 : 0
} catch (cause) {
  print(`test:newcomer: ${cause instanceof Error ? cause.message : cause}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
