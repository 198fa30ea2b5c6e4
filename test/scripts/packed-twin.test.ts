/**
 * `npx skillgate dev` for somebody without a clone: the published form in an empty folder, with an empty home and cache
 * of npm. What it prints is run as it stands. The Node is that of the tests; npm has no network.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packCli } from '../../scripts/pack-cli.ts'
import { untilTrue } from '../e2e/wait.ts'

/** On a quiet machine a person waits 3 s once the package is there; other suites may run beside this one. */
const READY_MS_MAX = 60_000

let folder = ''
let work = ''
let twin: ChildProcess
let printed = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-npx-'))
  work = join(folder, 'work')
  for (const name of ['home', 'work']) mkdirSync(join(folder, name))
  await packCli(join(folder, 'package'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', '.', './package'], {
    cwd: folder,
    env: environment(),
  })
  // A group of its own, because npx passes no signal on to what it starts.
  twin = spawn('npx', [...words(), 'dev', '--', '--port', '0'], {
    cwd: work,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  twin.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  await untilTrue(() => printed.includes('Ctrl-C stops'), READY_MS_MAX)
})
afterAll(async () => {
  const ended = once(twin, 'exit')
  if (twin.pid !== undefined) process.kill(-twin.pid, 'SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
})

function environment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin']
  return {
    PATH: path.join(delimiter),
    HOME: join(folder, 'home'),
    SHELL: '/bin/bash',
    npm_config_update_notifier: 'false',
  }
}

function words(): readonly string[] {
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  return ['--offline', '--yes', `../${file}`]
}

function run(...args: readonly string[]) {
  const options = { cwd: work, env: environment(), encoding: 'utf8' } as const
  return spawnSync('npx', [...words(), ...args], options)
}

/** Runs a line that was printed, in the shell of the person. */
function paste(line: string) {
  // Without a network npx has to be told so; nothing else of the line changes.
  const script = line.replaceAll('npx ', 'npx --offline --yes ')
  return spawnSync('sh', ['-c', script], { cwd: work, env: environment(), encoding: 'utf8' })
}

function findLine(part: string): string {
  const line = printed.split('\n').find((one) => one.includes(part))
  if (line === undefined) throw new Error(`no line has ${part}: ${printed}`)
  return line.trim().replace(/ {3}names the other clients$/, '')
}

test('the twin keeps its data in a folder of its own, which git does not see', () => {
  expect(printed.split('\n')[0]).toMatch(/ · data \.skillgate \(kept\)$/)
  expect(readdirSync(work)).toEqual(['.skillgate'])
  expect(readFileSync(join(work, '.skillgate/.gitignore'), 'utf8')).toBe('*\n')
  expect(printed).toContain('Keys: .skillgate/credentials.json, readable by you alone.')
})

test('the lines that the twin prints work as they are', () => {
  const called = paste(findLine(' call '))
  expect([called.status, called.stdout]).toEqual([
    0,
    '{"city":"Oslo","temperatureC":2,"sky":"light rain","windKmh":50}\n',
  ])
  const connected = paste(findLine(' connect claude-code'))
  expect([connected.status, connected.stderr]).toEqual([
    0,
    expect.stringContaining('which is not set here. Set it where you start Claude Code:'),
  ])
  expect(paste(findLine(' connect --list')).stdout).toMatch(/claude-code +user +connected/)
  const [, exported = ''] = /\n\n {2}(export .*)\n\n/.exec(connected.stderr) ?? []
  const key = JSON.parse(readFileSync(join(work, '.skillgate/credentials.json'), 'utf8')).key
  expect(paste(`${exported}; printf %s "$SKILLGATE_KEY"`).stdout).toBe(key)
  expect(connected.stderr + connected.stdout).not.toContain(key)
})

test('a second twin in the folder, and a taken port, are one line each', () => {
  const [, port = ''] = /127\.0\.0\.1:(\d+)\/mcp/.exec(printed) ?? []
  expect(run('dev', '--', '--port', '0')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Data folder \.skillgate is in use by another Skillgate \(process \d+\): .*\n$/,
    ),
  })
  expect(run('dev', '--', '--data', 'other', '--port', port)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use: .*\\n$`)),
  })
})

test('options of the twin are named as this person starts it', () => {
  const { stdout } = run('dev', '--', '--help')
  expect(stdout).toMatch(/\nnpx \S+\.tgz dev -- \[options\]/)
  expect(stdout).toContain('(.skillgate)')
  expect(stdout).not.toContain('npm start')
  expect(run('dev', '--port', '9000').stderr).toMatch(
    /After -- it may be: npx \S+\.tgz dev -- --port\./,
  )
})
