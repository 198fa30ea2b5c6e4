/**
 * What an author of skills sees of a refused text: every fault with its place, on lines that are
 * wrapped and never cut.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../../local/start-twin.ts'
import { runLine, type ShellOptions } from '../test-shell.ts'

const FAULTY = `{
  "id": "sg_forecast",
  "meta": {
    "name": "Forecast",
    "description": "Tells the weather of tomorrow.",
    "parameters": { "type": "object", "properties": { "city": { "type": "strng" } } }
  },
  "config": {
    "endpont": "https://api.example.com/forecast",
    "methd": "GET",
    "timeout_ms": 99999,
    "auth": { "type": "bearerr", "secret": "weather key" }
  },
  "credit_per_call": 1
}
`
const SOUND = {
  id: 'sg_sound',
  meta: { name: 'Sound', description: 'Is sound.', parameters: { type: 'object' } },
  config: { endpoint: 'https://api.example.com/sound', methd: 'GET' },
  credits_per_call: 1,
}

let home = ''
let twin: Twin
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-refused-'))
  twin = await startTwin(
    { ...DEFAULT_OPTIONS, port: 0, data: home, memory: true },
    { call: () => {}, note: () => {} },
  )
  mkdirSync(join(home, 'set'))
  writeFileSync(join(home, 'faulty.json'), FAULTY)
  writeFileSync(join(home, 'set', 'faulty.json'), FAULTY)
  writeFileSync(join(home, 'set', 'sound.json'), JSON.stringify(SOUND))
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(line: string, options: ShellOptions = {}) {
  return runLine(line.split(' '), {
    home,
    cwd: home,
    env: {
      SKILLGATE_URL: twin.origin,
      SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
      NO_COLOR: '1',
    },
    ...options,
  })
}

describe('a refused skill', () => {
  test.each([80, 120])('has every fault with its place at %i columns', async (columns) => {
    await run('skills push set/sound.json --source official')
    const { code, out } = await run('skills push set --source official', { columns })
    expect(code).toBe(1)
    await expect(out).toMatchFileSnapshot(`refused-push-${columns}.txt`)
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns)
  })

  test('has its faults as data for programs', async () => {
    const { out } = await run('skills push set --source official --json')
    const [faulty, sound] = JSON.parse(out)
    expect(faulty).toMatchObject({
      file: 'set/faulty.json',
      outcome: 'refused',
      code: 'invalid_skill',
    })
    expect(faulty.errors).toContainEqual({
      pointer: '/config/auth/type',
      message: expect.stringContaining('must be one of bearer'),
      line: 12,
      column: 23,
    })
    expect(sound).toMatchObject({ tool: 'sg_sound', warnings: [expect.stringContaining('method')] })
  })
})

describe('a refused set', () => {
  test.each([80, 120])('has the faults of each file at %i columns', async (columns) => {
    const { code, err, out } = await run('skills plan set --set own', { columns })
    expect(code).toBe(1)
    const said = err.split('\u001b[K').at(-1)
    await expect(`${out}--- stderr\n${said}`).toMatchFileSnapshot(`refused-plan-${columns}.txt`)
  })

  test('of one file has its faults too', async () => {
    const { code, out } = await run('skills apply faulty.json --set own --yes')
    expect([code, out]).toEqual([1, expect.stringContaining('(faulty.json:12:23)')])
  })
})
