/**
 * The command line killed with SIGKILL while it puts many skills: the same command again completes them, and
 * nothing is there twice. A proxy holds the answer at which it is killed, so that it cannot end before.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runLine } from '../cli/test-shell.ts'
import { startFreshTwin } from '../e2e/fresh-twin.ts'
import type { Twin } from '../e2e/twin.ts'
import { untilTrue } from '../e2e/wait.ts'
import { startHoldingProxy } from './holding-proxy.ts'

/** A push sends a request for each; the gateway itself writes an import's. */
const PUSHED = 24
const IMPORTED = 100

let twin: Twin
let home = ''
let env: { [name: string]: string } = {}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-killed-'))
  twin = await startFreshTwin([])
  env = {
    SKILLGATE_URL: twin.url,
    SKILLGATE_ADMIN_KEY: twin.adminKey,
    SKILLGATE_KEY: twin.key,
    XDG_CONFIG_HOME: home,
  }
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

type Row = { readonly skillId: string; readonly version: number }

async function rows(line: string): Promise<readonly Row[]> {
  const { code, err, out } = await runLine(`${line} --json`.split(' '), { home, env })
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

async function stored(start: string): Promise<readonly Row[]> {
  const all = await rows('skills ls --source official --all')
  return all.filter(({ skillId }) => skillId.startsWith(start))
}

async function isStored(skillId: string): Promise<boolean> {
  const headers = { 'x-admin-key': twin.adminKey }
  const { status } = await fetch(`${twin.admin}/skills/official/${skillId}`, { headers })
  return status === 200
}

type Kill = {
  readonly line: string
  /** The request whose answer never comes. */
  readonly held: { readonly path: string; readonly at: number }
  /** When it is killed; by default as soon as the answer is held. */
  readonly when?: () => Promise<boolean>
}

async function runUntilKilled({ held, line, when }: Kill): Promise<void> {
  const proxy = await startHoldingProxy(twin.url, held)
  const child: ChildProcess = spawn(process.execPath, ['cli/main.ts', ...line.split(' ')], {
    env: { ...process.env, ...env, SKILLGATE_URL: proxy.url },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const isDue = when ?? (async () => proxy.answers() === held.at)
  try {
    await untilTrue(async () => child.exitCode !== null || (await isDue()))
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
  } finally {
    child.kill('SIGKILL')
    await proxy.stop()
  }
}

/** All are there in one version, agents see each one once, and a further run changes nothing. */
async function expectComplete(line: string, start: string, count: number): Promise<void> {
  const again = await runLine(line.split(' '), { home, env })
  expect(again.code, again.err).toBe(0)
  const skills = await stored(start)
  expect(new Set(skills.map(({ skillId }) => skillId)).size).toBe(count)
  expect(skills.map(({ version }) => version)).toEqual(skills.map(() => 1))
  const [first, last] = [skills[0], skills.at(-1)]
  for (const one of [first, last]) {
    expect(await rows(`skills versions ${one?.skillId}`)).toHaveLength(1)
  }
  const tools = (await rows('tools')) as unknown as readonly { readonly name: string }[]
  const named = tools.map(({ name }) => name).filter((name) => name.startsWith(start))
  expect(named).toHaveLength(count)
  expect(new Set(named).size).toBe(count)
  await runLine(line.split(' '), { home, env })
  expect(await stored(start)).toEqual(skills)
}

const numbersTo = (count: number) =>
  Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'))

test.each([1, 12, PUSHED])(
  `a push of ${PUSHED} skills that was killed at number %s is completed by the same command`,
  async (due) => {
    const start = `sg_pushed${due}_`
    const folder = join(home, `skills${due}`)
    mkdirSync(folder)
    for (const number of numbersTo(PUSHED)) {
      const skill = {
        id: `${start}${number}`,
        meta: { name: number, description: 'Of a test.' },
        config: { endpoint: `https://api.example.com/${number}`, method: 'GET' },
        credits_per_call: 1,
      }
      writeFileSync(join(folder, `${number}.json`), JSON.stringify(skill))
    }
    const line = `skills push ${folder} --source official`
    await runUntilKilled({ line, held: { path: '/sync_skill', at: due } })
    expect(await stored(start)).toHaveLength(due)
    await expectComplete(line, start, PUSHED)
  },
)

test.each([
  { at: 'when the first skill is stored', due: 1 },
  { at: 'when half of the skills are stored', due: IMPORTED / 2 },
  { at: 'before it hears the answer', due: undefined },
])('an import that was killed $at is completed by the same command', async ({ due }) => {
  const start = `sg_api${due ?? 'answer'}_`
  const paths = numbersTo(IMPORTED).map((number) => [
    `/${number}`,
    { get: { operationId: number, responses: {} } },
  ])
  const document = {
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(paths),
  }
  const file = join(home, `document${due ?? 'answer'}.json`)
  writeFileSync(file, JSON.stringify(document))
  const line = `import openapi apply ${file} --prefix api${due ?? 'answer'} --credits 1 --all`
  const held = { path: '/imports/openapi:apply', at: 1 }
  const last = `${start}${String((due ?? 0) - 1).padStart(3, '0')}`
  await runUntilKilled({ line, held, ...(due === undefined ? {} : { when: () => isStored(last) }) })
  await expectComplete(line, start, IMPORTED)
})
