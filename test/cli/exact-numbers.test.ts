/** Numbers that no double holds, from the gateway to stdout and from the command line to the gateway. */
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine } from './test-shell.ts'

const ANSWER = '{"big":9007199254740993,"n":[1.0,-0,1e400,0.1000000000000000055511151231257827]}'
const TOOL =
  '{"name":"sg_big","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"any":{}}}}'

let server: Server
let origin = ''
let bodies: string[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    const isMcp = request.url === '/mcp'
    const isList = body.includes('"method":"tools/list"')
    const result = isList
      ? `{"tools":[${TOOL}]}`
      : `{"content":[],"structuredContent":${ANSWER},"isError":false}`
    response.setHeader('content-type', 'application/json')
    response.end(isMcp ? `{"jsonrpc":"2.0","id":1,"result":${result}}` : ANSWER)
  })
  origin = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
})
afterAll(() => closePort(server))
beforeEach(() => {
  bodies = []
})

function run(words: readonly string[], stdin = '', columns?: number) {
  const env = { SKILLGATE_URL: origin, SKILLGATE_ADMIN_KEY: 'admin', SKILLGATE_KEY: 'key' }
  return runLine(words, { env, stdin, ...(columns === undefined ? {} : { columns }) })
}

describe('numbers of the gateway', () => {
  test('call --json prints numbers as the gateway wrote them', async () => {
    const { code, out } = await run(['call', 'sg_big', '--json'])
    expect([code, out]).toEqual([
      0,
      `{"content":[],"structuredContent":${ANSWER},"isError":false}\n`,
    ])
  })

  test('api prints numbers as the gateway wrote them, on a terminal too', async () => {
    expect((await run(['api', 'GET', 'users/ada'])).out).toBe(`${ANSWER}\n`)
    const { out } = await run(['api', 'GET', 'users/ada'], '', 80)
    expect(out.replaceAll(/\s/g, '')).toBe(ANSWER)
  })
})

describe('numbers of a person', () => {
  test('an argument with more digits than a double keeps is sent as it was typed', async () => {
    await run(['call', 'sg_big', 'id=9007199254740993', 'any:={"n":[12345678901234567890,2]}'])
    expect(bodies.at(-1)).toContain(
      '"arguments":{"id":9007199254740993,"any":{"n":[12345678901234567890,2]}}',
    )
    await run(['call', 'sg_big', '--input', '-'], '{"id":9007199254740993}')
    expect(bodies.at(-1)).toContain('"arguments":{"id":9007199254740993}')
  })

  test('a field of api is sent as it was typed', async () => {
    await run(['api', 'POST', 'users/ada/credits', '-f', 'amount=9007199254740993'])
    expect(bodies).toEqual(['{"amount":9007199254740993}'])
  })

  test('credits with more digits than are kept are refused before anything is sent', async () => {
    const { code, err } = await run(['credits', 'grant', 'ada', '9007199254740993'])
    expect([code, err, bodies]).toEqual([
      2,
      'AMOUNT: 9007199254740993 has more digits than are kept.\nWrite it with 15 digits.\n',
      [],
    ])
  })

  test('--input that is a number is refused', async () => {
    const { code, err } = await run(['call', 'sg_big', '--input', '-'], '9007199254740993')
    expect([code, err]).toEqual([2, expect.stringContaining('is not a JSON object')])
  })
})
