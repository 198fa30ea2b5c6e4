/** From a login to a call: how a user's key gets into the profile, and what is said without one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine, type ShellOptions } from './test-shell.ts'

let folder = ''
let home = ''
let twin: Twin

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-user-keys-'))
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: folder,
    memory: true,
    dynamodbEndpoint: undefined,
  }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
})
afterAll(async () => {
  await twin.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
})

function run(words: readonly string[], options: ShellOptions = {}) {
  return runLine(words, {
    home,
    cwd: home,
    programs: toPrograms({ PATH: '' }),
    ...options,
    env: { XDG_CONFIG_HOME: home, ADMIN_KEY: twin.credentials.adminKey, ...options.env },
  })
}

const login = (...more: readonly string[]) =>
  run(['login', twin.origin, '--from-env', 'ADMIN_KEY', ...more])
const CALL = ['call', 'sg_account']

function readKeys() {
  const config = JSON.parse(readFileSync(join(home, 'skillgate/config.json'), 'utf8'))
  return config.profiles.default.credential
}

describe('a call after a login', () => {
  test('works where the login named a user', async () => {
    const { code, err, out } = await login('--user', 'demo')
    expect([code, err]).toEqual([0, expect.not.stringContaining('keys issue')])
    expect(out).toContain('user key')
    const { key } = readKeys()
    expect(key).toMatch(/^sgk_/)
    expect(out).not.toContain(key)
    expect((await run(CALL)).code).toBe(0)
  })

  test('says which command keeps a key, where the login named nobody', async () => {
    expect((await login()).err).toContain('skillgate keys issue UID --save')
    const { code, err, out } = await run(CALL)
    expect([code, out]).toEqual([4, ''])
    expect(err).toBe(
      'The gateway asks for a key, and none is set (401).\nKeep one in the profile with skillgate keys issue UID --save, or set SKILLGATE_KEY.\n',
    )
    expect((await run(['tools'])).err).toContain('skillgate keys issue UID --save')
  })

  test('works after a key was kept, which is not printed', async () => {
    await login()
    const { code, err, out } = await run(['keys', 'issue', 'demo', '--save'])
    expect([code, err]).toEqual([0, expect.stringContaining('Kept in the profile default')])
    expect(out + err).not.toContain(readKeys().key)
    expect(readKeys()).toMatchObject({ store: 'file', adminKey: twin.credentials.adminKey })
    expect((await run(CALL)).code).toBe(0)
  })

  test('asks on a terminal for whom, and keeps the key', async () => {
    await login()
    const { code, err } = await run(CALL, { answers: ['demo'], columns: 80 })
    expect([code, err]).toEqual([0, expect.stringContaining('has no user key')])
    expect((await run(CALL)).code).toBe(0)
  })

  test('asks no further where the person names nobody', async () => {
    await login()
    expect((await run(CALL, { answers: [''], columns: 80 })).code).toBe(4)
  })
})

describe('a key that no profile can keep', () => {
  test('is not issued where a variable names the gateway', async () => {
    const env = { SKILLGATE_URL: twin.origin, SKILLGATE_ADMIN_KEY: twin.credentials.adminKey }
    const count = async () =>
      JSON.parse((await run(['keys', 'ls', 'demo', '--json', '--all'], { env })).out).length
    const before = await count()
    const { code, err } = await run(['keys', 'issue', 'demo', '--save'], { env })
    expect([code, err]).toEqual([
      2,
      'SKILLGATE_URL chooses the gateway, so there is no profile to keep a key in.\nKeep the key in SKILLGATE_KEY.\n',
    ])
    expect(await count()).toBe(before)
  })
})

describe('a viewer’s key at a command that writes', () => {
  test('is told which role is needed, whose key it is, and whom to ask', async () => {
    await login()
    const made = await run(['admin-keys', 'create', 'vera', '--role', 'viewer', '--json'])
    const env = { SKILLGATE_URL: twin.origin, SKILLGATE_ADMIN_KEY: JSON.parse(made.out).key }
    const { code, err, out } = await run(['users', 'create', 'zoe'], { env })
    expect([code, out, err]).toEqual([
      4,
      '',
      'The gateway refuses the request (403 forbidden): This needs the role operator, and vera has the role viewer.\nAsk an owner for a key: skillgate admin-keys create NAME --role operator\n',
    ])
  })
})

describe('words of call and of api', () => {
  const echo = async (...words: readonly string[]) => {
    const env = { SKILLGATE_URL: twin.origin, SKILLGATE_ADMIN_KEY: twin.credentials.adminKey }
    return run(['api', 'POST', 'users', ...words.flatMap((word) => ['-f', word])], {
      env,
      stdin: 'from-stdin',
    })
  }

  test('agree that := is JSON, and = a text where it is no JSON', async () => {
    const { code, out } = await echo('uid:="007"', 'username=@-', 'credits:=1')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ uid: '007', username: 'from-stdin', credits: 1 })
  })

  test.each([
    [['uid:=x'], 'uid: x is not JSON.'],
    [['=x'], '=x is not name=value.'],
    [['uid=@'], 'uid: @ names no file.'],
    [['uid=@-', 'username=@-'], 'username: stdin is read once.'],
    [['uid=a', 'uid=b'], 'uid is given twice.'],
    [['uid=@missing.txt'], expect.stringMatching(/missing\.txt cannot be read \(ENOENT\)\.$/)],
  ])('%j are refused', async (words, message) => {
    const { code, err } = await echo(...words)
    expect([code, err.split('\n')[0]]).toEqual([2, message])
  })
})
