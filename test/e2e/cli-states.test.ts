/**
 * The command line where a user or a skill is not as usual: what is shown of its state, what a refused call is
 * told, and how credits are taken back.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShellOptions } from '../cli/test-shell.ts'
import { startFreshTwin } from './fresh-twin.ts'
import type { Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'

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

const run = (line: string, options?: ShellOptions) => runAtTwin(twin, home, line, options)

describe('users', () => {
  test('a disabled user is shown with the reason, with groups and with the budget', async () => {
    await run('users create bob')
    await run('groups set bob finance ops')
    await run('users set bob --monthly-budget 20')
    const { out } = await run("users disable bob --reason 'not paid'")
    expect(out).toMatch(/\nstate +disabled\nreason +not paid\ngroups +finance, ops\n/)
    expect(out).toMatch(/\nmonthly budget +0 of 20 spent, renews on \d{4}-\d\d-01\n/)
    const shown = (await run('users show bob')).out
    expect(shown).toMatch(/\nstate +disabled\nreason +not paid\ngroups +finance, ops\n/)
    expect(shown).toMatch(/\nkeys +0\n.*\nlast call +none yet\n$/s)
    expect((await run('users enable bob')).out).not.toMatch(/state|reason/)
  })

  test('a call of a disabled user is told why, without the advice to make another key', async () => {
    await run('users create eve')
    const { key } = JSON.parse((await run('keys issue eve --json')).out)
    await run("users disable eve --reason 'not paid'")
    expect(await run('call sg_echo text=hi', { env: { SKILLGATE_KEY: key } })).toMatchObject({
      code: 4,
      err: 'The gateway refuses the call (403): This user is disabled: not paid. Ask your administrator.\n',
    })
  })
})

describe('credits', () => {
  test('a negative amount with a reason takes them back, and without one is refused', async () => {
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
    expect(await run('users create neg --credits --verbose')).toMatchObject({
      code: 2,
      err: '--credits has no value.\nWrite --credits N.\n',
    })
    expect(await run('users show demo -5')).toMatchObject({
      code: 2,
      err: expect.stringContaining('-5 is one argument too many.'),
    })
  })
})

describe('skills', () => {
  test('a disabled skill is shown with its reason, and a call of it is told the same', async () => {
    await run("skills disable sg_echo --reason 'Down until Monday.'")
    expect((await run('skills show sg_echo')).out).toMatch(
      /\nstate +disabled\nreason +Down until Monday\.\n/,
    )
    const { code, out } = await run('call sg_echo text=hi')
    expect([code, out]).toEqual([1, expect.stringContaining('Down until Monday.')])
    await run('skills enable sg_echo')
    expect((await run('skills show sg_echo')).out).not.toMatch(/\n(state|reason) /)
  })

  test('a skill that is not listed is called all the same, and a tool that is none has its nearest name', async () => {
    await run('api PATCH skills/official/sg_echo -f state=unlisted')
    const { code, out } = await run('call sg_echo text=007')
    expect([code, JSON.parse(out).body]).toEqual([0, { text: '007' }])
    await run('skills enable sg_echo')
    expect(await run('call sg_wether city=Oslo')).toMatchObject({
      code: 1,
      err: 'There is no tool sg_wether.\nDid you mean sg_weather? See skillgate tools.\n',
    })
  })

  test('a push without a tier names the option, and says each fault once', async () => {
    mkdirSync(join(home, 'skills'), { recursive: true })
    const skill = {
      id: 'sg_untiered',
      meta: { name: 'Untiered', description: 'Of a test.', parameters: { type: 'object' } },
      config: { endpoint: 'http://10.0.0.1/', method: 'GET' },
      credits_per_call: 1,
    }
    const file = join(home, 'skills/untiered.json')
    writeFileSync(file, JSON.stringify(skill))
    const { code, out } = await run(`skills push ${file} --json`)
    const [{ errors, text }] = JSON.parse(out)
    expect([code, text, errors.length]).toEqual([1, undefined, 2])
    expect(errors[0]).toMatchObject({
      pointer: '/source',
      message: expect.stringMatching(/^is missing; .* or with --source/),
    })
  })

  test('a test of a skill in Markdown says that it has to be pushed first', async () => {
    const file = join(home, 'tide.md')
    writeFileSync(file, '# Tide\n')
    expect(await run(`skills test ${file}`)).toMatchObject({
      code: 2,
      err: `${file} is not a skill in JSON.\nPush Markdown first, then test it by its id.\n`,
    })
  })
})

describe('refusals and plans', () => {
  test('a role that is not enough is told so, without the advice to sign in again', async () => {
    const { key } = JSON.parse((await run('admin-keys create vic --role viewer --json')).out)
    const { code, err } = await run('users create zoe', { env: { SKILLGATE_ADMIN_KEY: key } })
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(
        /^The gateway refuses the request \(403 forbidden\): This needs the role operator, .*\nAsk an owner for a key: skillgate admin-keys create NAME --role operator\n$/,
      ),
    ])
  })

  test('an address without a key names the variable that is missing', async () => {
    expect(await run('users ls', { env: { SKILLGATE_ADMIN_KEY: '' } })).toMatchObject({
      code: 4,
      err: 'SKILLGATE_URL is set without an admin key.\nSet SKILLGATE_ADMIN_KEY, or leave SKILLGATE_URL out and sign in with skillgate login.\n',
    })
  })

  test('an import that breaks a tool names the option that applies it all the same', async () => {
    const operation = (id: string) => ({
      operationId: id,
      responses: { 200: { description: 'x' } },
    })
    const write = (methods: object) =>
      writeFileSync(
        join(home, 'api.json'),
        JSON.stringify({
          openapi: '3.1.0',
          servers: [{ url: 'https://shop.example' }],
          paths: { '/a': methods },
        }),
      )
    write({ get: operation('readA'), delete: operation('dropA') })
    const line = 'import openapi apply api.json --prefix shop --credits 1'
    expect((await run(line)).code).toBe(0)
    write({ get: operation('readA') })
    expect(await run(line)).toMatchObject({
      code: 1,
      err:
        'The document breaks tools that agents use. Nothing was changed.\n' +
        '  sg_shop_dropA: The operation DELETE /a is gone.\n' +
        '--allow-breaking applies it all the same.\n',
    })
  })

  test('an adopted skill without a changed field has no empty list of changes in a plan', async () => {
    const { out } = await run('skills export sg_echo')
    writeFileSync(join(home, 'echo.json'), out)
    expect((await run('skills plan echo.json --set own')).out).toMatch(
      /^~ sg_echo {2}echo\.json\n {2}sg_echo was in no set before\n/,
    )
  })
})

describe('audit', () => {
  test('changes are listed since a time ago, and each word of a target once', async () => {
    await run('skills disable sg_weather')
    await run('skills enable sg_weather')
    const { code, out } = await run('audit --since 2h --operation changeSkill --target sg_weather')
    expect(code).toBe(0)
    expect(out).toMatch(/changeSkill +done +official sg_weather/)
    expect((await run('audit --until 2h')).err).toBe('None.\n')
  })
})
