/**
 * The command line where a user or a skill is not as usual: what is shown of its state, what a refused call is
 * told, and how credits are taken back.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startFreshTwin } from './fresh-twin.ts'
import type { Twin } from './twin.ts'

let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-cli-'))
  twin = await startFreshTwin([])
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(line: string, options: ShellOptions = {}) {
  const words = line.match(/'[^']*'|\S+/g) ?? []
  const env = {
    SKILLGATE_URL: twin.url,
    SKILLGATE_ADMIN_KEY: twin.adminKey,
    SKILLGATE_KEY: twin.key,
    ...options.env,
  }
  return runLine(
    words.map((word) => word.replace(/^'(.*)'$/, '$1')),
    { home, cwd: home, ...options, env },
  )
}

describe('credits', () => {
  test('a negative amount with a reason takes credits back, and without one is refused', async () => {
    await run('users create ida --credits 10')
    expect(await run('credits grant ida -2.5')).toMatchObject({
      code: 1,
      err: expect.stringContaining('/reason: is missing'),
    })
    const taken = await run("credits grant ida -2.5 --grant-id oops --reason 'granted twice'")
    expect([taken.code, taken.out]).toEqual([0, expect.stringContaining('credits  7.5\n')])
    const { grants } = JSON.parse((await run('api GET users/ida/credits')).out)
    expect(grants).toContainEqual(
      expect.objectContaining({ grantId: 'oops', amount: -2.5, reason: 'granted twice' }),
    )
  })

  test('a negative value of an option reaches the gateway, which says what it takes', async () => {
    expect(await run('users create neg --credits -5')).toMatchObject({
      code: 1,
      err: expect.stringContaining('/credits: must be a number of credits from 0'),
    })
    expect(await run('users create neg --credits --json')).toMatchObject({
      code: 2,
      err: '--credits has no value.\nWrite --credits N.\n',
    })
    expect(await run('users show demo -5')).toMatchObject({
      code: 2,
      err: expect.stringContaining('-5 is one argument too many.'),
    })
  })
})
