/** `--json`, `--csv`, `--jq` and `--utc`: what programs get on stdout and stderr. */
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine, type ShellOptions } from './test-shell.ts'

const USERS =
  '{"users":[{"uid":"ada","username":"=HYPERLINK(\\"http://x\\")","tier":"-2+3","state":"active","createdAtMs":1795384655856},' +
  '{"uid":"-5","username":"Ada, \\"the\\" first","tier":"free","state":"active","createdAtMs":1795384655856,"extra":1.0}],"nextCursor":"more"}'
const CALLS =
  '{"calls":[{"callId":"c1","uid":"@ada","skillId":"sg_a","outcome":"settled","charged":9007199254740993,"startedAtMs":1795384655856,"durationMs":12}]}'
const EVENT =
  '{"eventId":"e1","type":"test","state":"pending","createdAtMs":1795384655856,"data":{"n":9007199254740993}}'
const ANSWERS: { readonly [path: string]: string } = {
  '/users': USERS,
  '/calls': CALLS,
  '/events': '{"events":[]}',
  [`/events/${'e'.repeat(32)}/resend`]: EVENT,
}
/** A command that prints a record. */
const RESEND = ['events', 'resend', 'e'.repeat(32)]
const REFUSAL =
  '{"code":"not_found","detail":"uid: there is no user bob","callId":"c9","errors":[]}'

let server: Server
let origin = ''
let requests = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1
    request.resume()
    const path = (request.url ?? '').replace(/^\/v1\/admin|\?.*$/g, '')
    const answer = ANSWERS[path]
    response.statusCode = answer === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(answer ?? REFUSAL)
  })
  origin = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
})
afterAll(() => closePort(server))

function run(words: readonly string[], options: ShellOptions = {}) {
  const env = { SKILLGATE_URL: origin, SKILLGATE_ADMIN_KEY: 'admin', NO_COLOR: '1' }
  return runLine(words, { env, nowMs: 1795388255856, ...options })
}

describe('--csv', () => {
  test('a list has stable names of fields, times with seconds, and no formula', async () => {
    const { code, err, out } = await run(['users', 'ls', '--limit', '2', '--csv'])
    expect([code, err]).toEqual([0, 'There are more rows than 2: --limit N or --all shows them.\n'])
    expect(`\n${out}`).toBe(`
uid,username,credits,creditsOnHold,budget,tier,state,createdAt
ada,"'=HYPERLINK(""http://x"")",,,,"'-2+3",active,2026-11-22T21:57:35Z
-5,"Ada, ""the"" first",,,,free,active,2026-11-22T21:57:35Z
`)
  })

  test('numbers stay as they were written', async () => {
    const { out } = await run(['calls', 'ls', '--csv'])
    expect(`\n${out}`).toBe(`
startedAt,uid,skillId,outcome,charged,durationMs,upstreamStatus,callId
2026-11-22T21:57:35Z,"'@ada",sg_a,settled,9007199254740993,12,,c1
`)
  })

  test('a terminal that is too narrow for a table gets all columns', async () => {
    expect((await run(['calls', 'ls', '--csv'], { columns: 20 })).out).toBe(
      (await run(['calls', 'ls', '--csv'])).out,
    )
  })

  test('a record is one row', async () => {
    const { out } = await run([...RESEND, '--csv'])
    expect(out).toBe('event,type,state,at\ne1,test,pending,2026-11-22T21:57:35Z\n')
  })

  test('a list without rows is its header', async () => {
    const { err, out } = await run(['events', 'ls', '--csv'])
    expect([out.split('\n').length, out.startsWith('eventId,type,'), err]).toEqual([2, true, ''])
  })

  test.each(['--json', '--jq=.'])('a command refuses it together with %s', async (other) => {
    const { code, err, out } = await run(['users', 'ls', '--csv', other])
    const line = err.startsWith('{') ? JSON.parse(err).error.message : err
    expect([code, out]).toEqual([2, ''])
    expect(line).toContain('--csv and --')
  })
})

describe('--jq', () => {
  test('texts are printed without quotes, and numbers as they were written', async () => {
    const line = ['calls', 'ls', '--jq', '.[] | .callId, .charged, [.uid]']
    expect(await run(line)).toEqual({ code: 0, out: 'c1\n9007199254740993\n["@ada"]\n', err: '' })
  })

  test('a record is filtered, and indented on a terminal', async () => {
    const { out } = await run([...RESEND, '--jq', '.data'], { columns: 80 })
    expect(out).toBe('{\n  "n": 9007199254740993\n}\n')
    expect((await run([...RESEND, '--jq', '.data'])).out).toBe('{"n":9007199254740993}\n')
  })

  test('a filter that drops everything prints nothing', async () => {
    expect(await run(['calls', 'ls', '--jq', '.[] | select(.uid == "bob")'])).toEqual({
      code: 0,
      out: '',
      err: '',
    })
  })

  test('a filter that does not compile is refused before anything is sent', async () => {
    const before = requests
    const { code, err, out } = await run([...RESEND, '--jq', '.['])
    expect([code, out, requests]).toEqual([2, '', before])
    const { error } = JSON.parse(err)
    expect(error.message).toMatch(/^--jq: syntax error, unexpected end of file/)
    expect(error.details).toEqual(['    .[', '     ^'])
  })

  test('a filter that does not fit the data is a wrong usage with the words of jq', async () => {
    const { code, err, out } = await run(['calls', 'ls', '--jq', '.uid'])
    expect([code, out]).toEqual([2, ''])
    expect(JSON.parse(err).error.message).toBe('--jq: Cannot index array with string ("uid")')
  })

  test('a filter that begins with a dash is no option of jq', async () => {
    const { code, err } = await run(['calls', 'ls', '--jq=--help'])
    expect([code, JSON.parse(err).error.message]).toEqual([2, expect.stringContaining('--jq: ')])
  })

  test('an escape sequence in a text does not reach a terminal', async () => {
    const { out } = await run(['calls', 'ls', '--jq', '"\\u001b[2J"'], { columns: 80 })
    expect(out).toBe('\\u{1b}[2J\n')
  })
})

describe('--json on stderr', () => {
  test('a refusal is one document with its code, status and call id', async () => {
    const { code, err, out } = await run(['users', 'show', 'bob', '--json'])
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(err)).toEqual({
      error: {
        message: expect.stringContaining('uid: there is no user bob'),
        exitCode: 1,
        status: 404,
        code: 'not_found',
        callId: 'c9',
        details: [],
      },
    })
  })

  test.each([
    [['users', 'show', '--json'], 'UID is missing: the id of the user.'],
    [['userz', 'ls', '--json'], 'userz is not a command.'],
    [
      ['users', 'ls', '--nonsense', '--jq', '.'],
      '--nonsense is not an option of skillgate users ls.',
    ],
  ])('a wrong usage is a document too: %j', async (words, message) => {
    const { code, err } = await run(words)
    expect(code).toBe(2)
    expect(JSON.parse(err).error).toMatchObject({
      message,
      exitCode: 2,
      remedy: expect.any(String),
    })
  })

  test('a note is a document of its own line, and --verbose adds such lines', async () => {
    const { err, out } = await run(['users', 'ls', '--limit', '2', '--json', '--verbose'])
    expect(JSON.parse(out)).toHaveLength(2)
    const lines = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ note }) => note.replace(/^GET .*/, 'GET'))).toEqual([
      'GET',
      'There are more rows than 2: --limit N or --all shows them.',
    ])
  })

  test('without --json a failure is text', async () => {
    const { err } = await run(['users', 'show', 'bob'])
    expect(err).toMatch(/^uid: there is no user bob/)
  })
})

describe('the options of a command', () => {
  test('a command that prints no data refuses --csv, --jq and --utc, and its help has none of them', async () => {
    for (const option of ['--csv', '--jq=.', '--utc']) {
      const { code, err } = await run(['users', 'rm', 'ada', option])
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('skillgate users rm prints no data for --'),
      ])
    }
    expect((await run(['users', 'rm', '--help'])).out).not.toMatch(/--(csv|jq|utc)/)
  })

  test('each command that prints data has --json and --jq in its help, and rows and records have --csv', async () => {
    for (const { data, hidden, name, options } of COMMANDS) {
      if (hidden === true || data === 'none') continue
      const { out } = await run([...name.split(' '), '--help'])
      expect([name, /--json/.test(out), /--jq/.test(out)]).toEqual([name, true, true])
      const hasOwnCsv = options.some(({ flag }) => flag === 'csv')
      expect([name, /--csv/.test(out)]).toEqual([name, data !== 'document' || hasOwnCsv])
    }
  })
})

test('--utc prints stamps in tables and records of a terminal', async () => {
  const columns = { columns: 120 }
  expect((await run(['calls', 'ls', '--utc'], columns)).out).toContain('2026-11-22 21:57Z')
  expect((await run(['calls', 'ls'], columns)).out).toContain('1 h ago')
  expect((await run([...RESEND, '--utc'], columns)).out).toContain('at     2026-11-22 21:57Z')
  expect((await run([...RESEND], columns)).out).toContain('at     1 h ago')
})
