/** A name that a person gives twice is refused before anything is sent; numbers beside it keep their digits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine } from './test-shell.ts'

const PROPERTIES =
  '{"id":{"type":"integer"},"any":{},"obj":{"type":"object"},"loose":{"description":"x"},"tags":{"type":"array","items":{"type":"string"}}}'
const TOOL = `{"name":"sg_big","inputSchema":{"type":"object","properties":${PROPERTIES}}}`
const TWICE = 'the name is given twice in one object; send it once'

let server: Server
let origin = ''
let home = ''
/** Without the list of tools, which a call reads first. */
let bodies: string[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-twice-'))
  writeFileSync(join(home, 'd.json'), '{"openapi":"3.1.0","paths":{}}')
  server = createServer(async (request, response) => {
    const body = await text(request)
    const isList = body.includes('"method":"tools/list"')
    if (!isList) bodies.push(body)
    const result = isList ? `{"tools":[${TOOL}]}` : '{"content":[],"isError":false}'
    response.setHeader('content-type', 'application/json')
    response.end(request.url === '/mcp' ? `{"jsonrpc":"2.0","id":1,"result":${result}}` : '{}')
  })
  origin = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await closePort(server)
})
beforeEach(() => {
  bodies = []
})

function run(words: readonly string[], stdin = '') {
  const env = { SKILLGATE_URL: origin, SKILLGATE_ADMIN_KEY: 'admin', SKILLGATE_KEY: 'key' }
  return runLine(words, { env, stdin, cwd: home, home })
}

const SKILL = (price: string) =>
  `{"id":"sg_x","meta":{"name":"X","description":"X."},"config":{"endpoint":"https://a.example"},${price}}`

describe('a name that is given twice', () => {
  test.each<[string, readonly string[], string, string]>([
    ['--input of call', ['call', 'sg_big', '--input', '-'], '{"id":1,"id":2}', '--input at /id'],
    [
      '--input of call, the second one escaped',
      ['call', 'sg_big', '--input', '-'],
      '{"any":{"id":1,"\\u0069d":2}}',
      '--input at /any/id',
    ],
    ['name:=JSON', ['call', 'sg_big', 'any:={"a":{"n":1,"n":1000}}'], '', 'any at /a/n'],
    ['a value of type object', ['call', 'sg_big', 'obj={"n":1,"n":1000}'], '', 'obj at /n'],
    ['a value without a type', ['call', 'sg_big', 'loose={"n":1,"n":1000}'], '', 'loose at /n'],
    ['a field of api', ['api', 'POST', 'x', '-f', 'a={"n":1,"n":2}'], '', 'a at /n'],
    ['the input of api', ['api', 'POST', 'x', '-f', 'a=[{"n":1,"n":2}]'], '', 'a at /0/n'],
  ])('%s is refused with its place', async (_what, words, stdin, place) => {
    const { code, err } = await run(words, stdin)
    expect([code, err, bodies]).toEqual([2, `${place}: ${TWICE}.\n`, []])
  })

  test('in the file of skills test is refused with its place', async () => {
    writeFileSync(join(home, 'x.json'), SKILL('"credits_per_call":5,"credits_per_call":0'))
    const { code, err } = await run(['skills', 'test', 'x.json'])
    expect([code, err, bodies]).toEqual([2, `x.json at /credits_per_call: ${TWICE}.\n`, []])
  })

  test.each([
    [['call', 'sg_big', 'id=1', 'id=1000'], 'id is given twice.'],
    [['call', 'sg_big', 'any=1', 'any:=2'], 'any is given twice.'],
    [['api', 'POST', 'x', '-f', 'amount=1', '-f', 'amount=1000'], 'amount is given twice.'],
    [['api', 'GET', 'calls?user=ada&user=bob'], 'user is given twice.'],
    [
      [
        'import',
        'openapi',
        'plan',
        'd.json',
        '--prefix',
        'p',
        '--variable',
        'r=eu',
        '--variable',
        'r=us',
      ],
      'r is given twice.',
    ],
    [['api', 'GET', 'calls?user=ada', '-f', 'user=bob'], 'user is given twice.'],
  ])('two words of the command %j are refused', async (words, says) => {
    const { code, err } = await run(words)
    expect([code, err.split('\n')[0], bodies]).toEqual([2, says, []])
  })

  test('fills a list where the tool takes one', async () => {
    await run(['call', 'sg_big', 'tags=a', 'tags=b'])
    expect(bodies.at(-1)).toContain('"arguments":{"tags":["a","b"]}')
  })
})

describe('numbers that no double holds', () => {
  const BIG = '9007199254740993'

  test.each<[readonly string[], string, string]>([
    [['call', 'sg_big', '--input', '-'], `{"any":{"n":${BIG}}}`, `{"any":{"n":${BIG}}}`],
    [['call', 'sg_big', `any:={"n":[${BIG},1.0]}`], '', `{"any":{"n":[${BIG},1.0]}}`],
    [['call', 'sg_big', `obj={"n":${BIG}}`], '', `{"obj":{"n":${BIG}}}`],
    [['call', 'sg_big', `loose={"n":${BIG}}`], '', `{"loose":{"n":${BIG}}}`],
    [['api', 'POST', 'x', '-f', `a={"n":${BIG}}`], '', `{"a":{"n":${BIG}}}`],
  ])('the command %j sends them with all their digits', async (words, stdin, sent) => {
    await run(words, stdin)
    expect(bodies.at(-1)).toContain(sent)
  })

  test('skills test sends those of a file with all their digits', async () => {
    writeFileSync(join(home, 'big.json'), SKILL(`"credits_per_call":0,"x":${BIG}`))
    await run(['skills', 'test', 'big.json'])
    expect(bodies.at(-1)).toContain(`"x":${BIG}`)
  })
})
