/**
 * The command line killed with SIGKILL while it puts 400 skills: the same command again completes them, and
 * nothing is there twice.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLine } from '../cli/test-shell.ts'
import { startFreshTwin } from '../e2e/fresh-twin.ts'
import type { Twin } from '../e2e/twin.ts'
import { untilTrue } from '../e2e/wait.ts'

const COUNT = 400

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

/** Kills the process once the skill of this number is stored; answers how many were when it had died. */
async function killedAt(line: string, start: string, due: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ['cli/main.ts', ...line.split(' ')], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const number = String(due - 1).padStart(3, '0')
  await untilTrue(async () => child.exitCode !== null || (await isStored(`${start}${number}`)))
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  return (await stored(start)).length
}

/** All are there in one version, agents see each one once, and a further run changes nothing. */
async function expectComplete(line: string, start: string): Promise<void> {
  const again = await runLine(line.split(' '), { home, env })
  expect(again.code, again.err).toBe(0)
  const skills = await stored(start)
  expect(new Set(skills.map(({ skillId }) => skillId)).size).toBe(COUNT)
  expect(skills.map(({ version }) => version)).toEqual(skills.map(() => 1))
  const [first, last] = [skills[0], skills.at(-1)]
  for (const one of [first, last]) {
    expect(await rows(`skills versions ${one?.skillId}`)).toHaveLength(1)
  }
  const tools = (await rows('tools')) as unknown as readonly { readonly name: string }[]
  const named = tools.map(({ name }) => name).filter((name) => name.startsWith(start))
  expect(named).toHaveLength(COUNT)
  expect(new Set(named).size).toBe(COUNT)
  await runLine(line.split(' '), { home, env })
  expect(await stored(start)).toEqual(skills)
}

describe.each([1, 150, 300])('killed when %s of 400 skills are stored', (due) => {
  const numbers = Array.from({ length: COUNT }, (_, index) => String(index).padStart(3, '0'))

  test('a push of a folder is completed by the same command', async () => {
    const start = `sg_pushed${due}_`
    const folder = join(home, `skills${due}`)
    mkdirSync(folder)
    for (const number of numbers) {
      const skill = {
        id: `${start}${number}`,
        meta: { name: number, description: 'Of a test.' },
        config: { endpoint: `https://api.example.com/${number}`, method: 'GET' },
        credits_per_call: 1,
      }
      writeFileSync(join(folder, `${number}.json`), JSON.stringify(skill))
    }
    const line = `skills push ${folder} --source official`
    expect(await killedAt(line, start, due)).toBeLessThan(COUNT)
    await expectComplete(line, start)
  })

  test('an import is completed by the same command', async () => {
    const paths = numbers.map((number) => [
      `/${number}`,
      { get: { operationId: number, responses: {} } },
    ])
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example.com' }],
      paths: Object.fromEntries(paths),
    }
    const file = join(home, `document${due}.json`)
    writeFileSync(file, JSON.stringify(document))
    const line = `import openapi apply ${file} --prefix api${due} --credits 1 --all`
    const start = `sg_api${due}_`
    await killedAt(line, start, due)
    await expectComplete(line, start)
  })
})
