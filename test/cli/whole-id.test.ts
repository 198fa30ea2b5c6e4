/** The beginning of an id names the thing, if no other thing has it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findWholeId } from '../../cli/gateway/whole-id.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine, type ShellOptions } from './test-shell.ts'

const WORDS = { noun: 'key', list: 'skillgate keys ls ada' }

describe('a beginning', () => {
  const choices = [{ id: 'abcdefgh', aliases: ['sgk_1234'] }, { id: 'abcxyz' }, { id: 'abcdefghi' }]

  test('of four characters is enough, of three it is not', () => {
    expect(findWholeId('abcx', choices, WORDS)).toBe('abcxyz')
    expect(() => findWholeId('abc', [{ id: 'abcxyz' }], WORDS)).toThrow('There is no key abc.')
  })

  test('that is a whole id means that one, also if another id goes on after it', () => {
    expect(findWholeId('abcdefgh', choices, WORDS)).toBe('abcdefgh')
    expect(findWholeId('x', [{ id: 'x' }, { id: 'xyz' }], WORDS)).toBe('x')
  })

  test('of another name of the thing is taken too', () => {
    expect(findWholeId('sgk_1', choices, WORDS)).toBe('abcdefgh')
  })

  test('that several ids have is a wrong usage that names them', () => {
    expect(catchFault('abcdef', choices)).toMatchObject({
      message: '2 of the keys begin with abcdef.',
      exitCode: 2,
      details: ['abcdefgh', 'abcdefghi'],
      remedy: 'Type more of it; skillgate keys ls ada --json shows ids whole.',
    })
  })

  test.each([
    [5, ['same-0', 'same-1', 'same-2', 'same-3', 'same-4']],
    [6, ['same-0', 'same-1', 'same-2', 'same-3', 'same-4', 'and 1 more']],
  ])('that %i ids have names five at most', (count, details) => {
    const many = Array.from({ length: count }, (_, at) => ({ id: `same-${at}` }))
    expect(catchFault('same', many)).toMatchObject({ details })
  })

  test('that may be a secret is not printed beyond its eighth character', () => {
    expect(catchFault('sgk_abcdefghijk', choices)).toMatchObject({
      message: 'There is no key sgk_abcd.',
      exitCode: 1,
    })
  })

  function catchFault(typed: string, from: Parameters<typeof findWholeId>[1]): unknown {
    try {
      return findWholeId(typed, from, WORDS)
    } catch (cause) {
      return cause
    }
  }
})

describe('commands on a twin', () => {
  let twin: Twin
  beforeAll(async () => {
    const options = { ...DEFAULT_OPTIONS, port: 0, memory: true }
    twin = await startTwin(options, { call: () => {}, note: () => {} })
  })
  afterAll(() => twin.stop())

  function run(line: string, options: ShellOptions = {}) {
    const env = {
      SKILLGATE_URL: twin.origin,
      SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
      SKILLGATE_KEY: twin.credentials.key,
    }
    return runLine(line.split(' '), { env, ...options })
  }

  test('a call is shown by the beginning of its id', async () => {
    await run('call sg_weather city=Oslo')
    const [entry] = JSON.parse((await run('credits ledger demo --json')).out)
    const id: string = entry.callId
    for (const length of [9, 16, 32]) {
      const { code, out } = await run(`calls show ${id.slice(0, length)} --user demo --jq .callId`)
      expect([length, code, out]).toEqual([length, 0, `${id}\n`])
    }
    const { code, err } = await run('calls show 1zzzz-nothing --user demo')
    expect([code, err]).toEqual([1, expect.stringContaining('1zzzz-nothing')])
  })

  test('a key is revoked by the beginning of its id, and the question has all of it', async () => {
    await run('users create ada')
    const { keyId } = JSON.parse((await run('keys issue ada --json')).out)
    const typed = keyId.slice(0, 6)
    const refused = await run(`keys revoke ada ${typed}`, { answers: ['n'] })
    expect([refused.code, refused.err]).toEqual([
      1,
      `Revoke key ${keyId} of ada? [y/N] n\nNothing was changed.\n`,
    ])
    expect((await run(`keys revoke ada ${typed} --yes`)).code).toBe(0)
    expect((await run('keys ls ada --jq length')).out).toBe('0\n')
  })

  test('an administrator key is revoked by its name, and by the beginning of its id', async () => {
    for (const typed of ['name', 'keyId'] as const) {
      const made = JSON.parse((await run('admin-keys create ci --role viewer --json')).out)
      const word = typed === 'name' ? made.name : made.keyId.slice(0, 5)
      expect((await run(`admin-keys revoke ${word} --yes`)).code).toBe(0)
    }
  })

  test('a login and an upstream that nobody has are refused with the list to look at', async () => {
    for (const [line, list] of [
      ['logins end demo abcdef --yes', 'skillgate logins ls demo'],
      ['upstreams rm abcdef --yes', 'skillgate upstreams ls'],
    ] as const) {
      const { code, err } = await run(line)
      expect([code, err.split('\n')[1]]).toEqual([1, `See ${list}.`])
    }
  })
})
