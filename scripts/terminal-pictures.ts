/**
 * `npm run docs:terminal`: makes the pictures of docs/terminal. Starts a twin, types commands into a terminal of
 * tmux, and draws what the terminal shows. Needs tmux.
 */
import './help.ts'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { terminalSvg } from './terminal/svg.ts'

const REPO = join(import.meta.dirname, '..')
const FOLDER = join(REPO, 'docs/terminal')
/** Rows of the terminal; a picture has those that are used. */
const ROWS = 60
const WAIT_MS_MAX = 30_000
const LOOK_MS = 200
const PROMPT = '$ '

type Picture = {
  readonly name: string
  readonly columns: number
  readonly lines: readonly string[]
}

const PETS = 'examples/openapi/pets.yaml --prefix pets --credits 0.5'
const PICTURES: readonly Picture[] = [
  {
    name: 'users',
    columns: 80,
    lines: ['skillgate users create ada --credits 25', 'skillgate users ls'],
  },
  { name: 'call', columns: 80, lines: ['skillgate tools', 'skillgate call sg_weather city=Oslo'] },
  {
    name: 'calls',
    columns: 120,
    lines: ['skillgate calls ls --user demo', 'skillgate usage --by skill'],
  },
  {
    name: 'import',
    columns: 120,
    lines: [`skillgate import openapi plan ${PETS}`, `skillgate import openapi apply ${PETS}`],
  },
  { name: 'connect', columns: 80, lines: ['skillgate connect cursor'] },
  { name: 'doctor', columns: 120, lines: ['skillgate doctor'] },
]

const home = mkdtempSync(join(tmpdir(), 'skillgate-pictures-'))
const socket = join(home, 'tmux')

function tmux(...args: readonly string[]): string {
  return execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' })
}

async function draw({ columns, lines, name }: Picture): Promise<void> {
  const size = ['-x', String(columns), '-y', String(ROWS)]
  const bin = join(home, 'bin')
  const env = [
    `PATH=${bin}:${process.env['PATH']}`,
    `HOME=${home}`,
    `XDG_CONFIG_HOME=${home}/.config`,
  ]
  const shell = `cd ${REPO} && exec env -i TERM=xterm-256color ${env.join(' ')} PS1='${PROMPT}' bash --norc --noprofile`
  tmux('new-session', '-d', '-s', name, ...size, shell)
  for (const [index, line] of lines.entries()) {
    await prompted(name, index + 1)
    tmux('send-keys', '-t', name, '-l', line)
    tmux('send-keys', '-t', name, 'Enter')
  }
  await prompted(name, lines.length + 1)
  const screen = tmux('capture-pane', '-e', '-p', '-t', name).replace(/\n\$\s*$/, '')
  writeFileSync(
    join(FOLDER, `${name}.svg`),
    terminalSvg(screen.replaceAll(home, '~'), columns, lines.join(', then ')),
  )
}

/** Until the terminal shows so many prompts: the command before the last one has ended. */
async function prompted(name: string, count: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += LOOK_MS) {
    const prompts = tmux('capture-pane', '-p', '-t', name).match(/^\$(?: |$)/gm) ?? []
    if (prompts.length >= count) return
    await sleep(LOOK_MS)
  }
  throw new Error(`${name}: the command does not end`)
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  mkdirSync(join(home, 'bin'))
  const start = `#!/bin/sh\nexec "${process.execPath}" "${join(REPO, 'cli/main.ts')}" "$@"\n`
  writeFileSync(join(home, 'bin/skillgate'), start, { mode: 0o755 })
  const env = { ...process.env, XDG_CONFIG_HOME: join(home, '.config') }
  const args = [join(REPO, 'local/main.ts'), '--port', '0', '--data', join(home, 'data')]
  const twin = spawn(process.execPath, args, { env, stdio: 'ignore' })
  try {
    for (let tries = 0; !existsSync(join(home, '.config/skillgate/config.json')); tries += 1) {
      if (tries > WAIT_MS_MAX / LOOK_MS) throw new Error('the twin does not start')
      await sleep(LOOK_MS)
    }
    for (const picture of PICTURES) await draw(picture)
  } finally {
    // The server of this socket alone.
    if (existsSync(socket)) tmux('kill-server')
    twin.kill('SIGTERM')
    await once(twin, 'exit')
  }
}

try {
  await main()
  console.log(`${PICTURES.length} pictures in docs/terminal`)
} catch (cause) {
  console.error(`docs:terminal: ${cause instanceof Error ? cause.message : cause}`)
  process.exitCode = 1
} finally {
  rmSync(home, { recursive: true, force: true })
}
