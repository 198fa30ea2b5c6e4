/**
 * `skillgate logs` against a twin: every kind of refused call is found with its reason and the id that the
 * caller was told, with the profile that a twin writes.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTwinLogFiles, TWIN_LOG_BYTES_MAX } from '../../adapters/profiles/twin-log.ts'
import { writeProfile } from '../../local/settings/cli-profile.ts'
import { runLine } from '../cli/test-shell.ts'
import { startFreshTwin } from './fresh-twin.ts'
import { postJson } from './http.ts'
import { startTwin, type Twin } from './twin.ts'
import { until, untilTrue } from './wait.ts'

type Options = { readonly signal?: AbortSignal; readonly onOut?: (text: string) => void }

let home = ''
let twin: Twin & { readonly folder: string }
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-logs-'))
  twin = await startFreshTwin(['--calls-per-minute', '1'])
  keepProfile(twin, twin.folder)
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function keepProfile({ adminKey, key, url }: Twin, data: string | undefined): void {
  const credentials = { adminKey, key, internalApiSecret: '', secondKey: '', eventsSecret: '' }
  const place = { env: { XDG_CONFIG_HOME: home }, home, platform: process.platform }
  expect(writeProfile({ origin: url, credentials, data }, place).kind).toBe('written')
}

function run(line: string, options: Options = {}) {
  return runLine(line.split(' '), { home, env: { XDG_CONFIG_HOME: home }, ...options })
}

/** The key of a user who has made no call in this minute. */
async function keyOf(uid: string, credits = 10): Promise<string> {
  const admin = { 'x-admin-key': twin.adminKey }
  await postJson(`${twin.admin}/users`, { uid, username: uid, credits }, admin)
  const { text } = await postJson(`${twin.admin}/users/${uid}/keys`, {}, admin)
  return JSON.parse(text).key
}

type Attempt = {
  readonly authorization?: string
  readonly tool: string
  readonly args: string
}

function headersOf({ authorization }: Attempt): { readonly [name: string]: string } {
  return authorization === undefined ? {} : { authorization }
}

const DOORS = {
  rest: (attempt: Attempt) => {
    const body = `{"skill":"${attempt.tool}","arguments":${attempt.args}}`
    return sent(twin.execute, body, headersOf(attempt))
  },
  mcp: (attempt: Attempt) => {
    const params = `{"name":"${attempt.tool}","arguments":${attempt.args}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    const accept = 'application/json, text/event-stream'
    return sent(twin.mcp, body, { accept, ...headersOf(attempt) })
  },
}

async function sent(url: string, body: string, headers: { readonly [name: string]: string }) {
  const type = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', body, headers: { ...type, ...headers } })
  return answer.text()
}

/** The call id in an answer, which each form of failure names in its own place. */
function callIdIn(text: string): string {
  return /"call_?[iI]d":"([\w-]{16,64})"/.exec(text)?.[1] ?? `none in ${text}`
}

/** A line is in the file some milliseconds behind the answer. */
async function lineOf(callId: string, line: string) {
  return until(async () => {
    const { code, err, out } = await run(`${line} --json`)
    expect(code, err).toBe(0)
    const lines = out.split('\n').filter((text) => text.includes(callId))
    return lines[0] === undefined ? undefined : JSON.parse(lines[0])
  })
}

const OSLO = '{"city":"Oslo"}'
const UNKNOWN_KEY = `Bearer sgk_${'z'.repeat(43)}`

describe.each(['rest', 'mcp'] as const)('a refused call over %s', (door) => {
  test.each<[string, string, () => Attempt | Promise<Attempt>]>([
    ['without a key', 'unauthenticated', () => ({ tool: 'sg_weather', args: OSLO })],
    [
      'with a wrong key',
      'unauthenticated',
      () => ({ authorization: UNKNOWN_KEY, tool: 'sg_weather', args: OSLO }),
    ],
    [
      'with a text that is no key',
      'unauthenticated',
      () => ({ authorization: 'Basic eDp5', tool: 'sg_weather', args: OSLO }),
    ],
    [
      'of a built-in tool without a key',
      'unauthenticated',
      () => ({ tool: 'sg_usage', args: '{}' }),
    ],
    [
      'of a built-in tool with a wrong key',
      'unauthenticated',
      () => ({ authorization: UNKNOWN_KEY, tool: 'sg_usage', args: '{}' }),
    ],
    [
      'of an unknown tool',
      'unknown_skill',
      async () => ({
        authorization: `Bearer ${await keyOf(`${door}-lost`)}`,
        tool: 'sg_nobody',
        args: '{}',
      }),
    ],
    [
      'without enough credits',
      'insufficient_credits',
      async () => ({
        authorization: `Bearer ${await keyOf(`${door}-poor`, 0)}`,
        tool: 'sg_weather',
        args: OSLO,
      }),
    ],
    [
      'with arguments that do not fit',
      'invalid_arguments',
      async () => ({
        authorization: `Bearer ${await keyOf(`${door}-wrong`)}`,
        tool: 'sg_weather',
        args: '{"town":"Oslo"}',
      }),
    ],
    [
      'of a built-in tool with arguments that do not fit',
      'invalid_arguments',
      async () => ({
        authorization: `Bearer ${await keyOf(`${door}-unfit`)}`,
        tool: 'sg_usage',
        args: '{"limit":0}',
      }),
    ],
  ])(
    'a refused call %s is shown with its reason and the id of its answer',
    async (_, code, attempt) => {
      const callId = callIdIn(await DOORS[door](await attempt()))
      expect(await lineOf(callId, 'logs --outcome refused')).toMatchObject({ callId, code })
      const { out } = await run('logs')
      expect(out).toMatch(new RegExp(` ${code} .* refused +${callId}\n`))
    },
  )

  test('a refused call over the minute is shown for its user, with its reason and the id of its answer', async () => {
    const uid = `${door}-busy`
    const attempt = { authorization: `Bearer ${await keyOf(uid)}`, tool: 'sg_weather', args: OSLO }
    // The first call counts; a minute that turns between two calls lets one more through.
    const refused = await until(async () => {
      const answer = await DOORS[door](attempt)
      return /"isError":true|rate_limited/.test(answer) ? answer : undefined
    })
    const callId = callIdIn(refused)
    const line = await lineOf(callId, `logs --outcome refused --user ${uid} --skill sg_weather`)
    expect(line).toMatchObject({ callId, uid, outcome: 'refused', code: 'rate_limited' })
  })
})

test('a number that JSON would change is shown as a refused call with the id of its answer', async () => {
  const authorization = `Bearer ${await keyOf('precise')}`
  const args = '{"city":9007199254740993}'
  const callId = callIdIn(await DOORS.mcp({ authorization, tool: 'sg_weather', args }))
  const line = await lineOf(callId, 'logs --outcome refused')
  expect(line).toMatchObject({ callId, code: 'invalid_arguments' })
})

test('--follow shows a refused call as it comes, and no line twice', async () => {
  const stop = new AbortController()
  const lines: string[] = []
  const following = run('logs --follow --since 1h', {
    signal: stop.signal,
    onOut: (text) => lines.push(text),
  })
  await untilTrue(() => lines.length > 0)
  const answer = await DOORS.rest({ authorization: UNKNOWN_KEY, tool: 'sg_weather', args: OSLO })
  await untilTrue(() => lines.some((text) => text.includes(callIdIn(answer))))
  stop.abort()
  expect((await following).code).toBe(130)
  expect(lines.filter((text) => text.includes(callIdIn(answer)))).toHaveLength(1)
})

test('a full log is kept as the earlier one, is followed into the new one, and is read after a crash', async () => {
  const data = mkdtempSync(join(tmpdir(), 'skillgate-full-log-'))
  const files = findTwinLogFiles(data)
  const timestamp = new Date().toISOString()
  const line = `${JSON.stringify({ timestamp, level: 'INFO', event: 'before', count: 10 })}\n`
  const whole = line.repeat(Math.floor(TWIN_LOG_BYTES_MAX / line.length) - 1)
  const last = `${JSON.stringify({ timestamp, event: 'last', pad: 'x'.repeat(TWIN_LOG_BYTES_MAX) })}`
  const room = TWIN_LOG_BYTES_MAX - whole.length
  writeFileSync(files.current, `${whole}${last.slice(0, room - 3)}"}\n`)
  expect(statSync(files.current).size).toBe(TWIN_LOG_BYTES_MAX)
  const stop = new AbortController()
  let busy: Twin | undefined
  try {
    busy = await startTwin(['--data', data])
    keepProfile(busy, data)
    const lines: string[] = []
    const following = run('logs --follow --outcome refused', {
      signal: stop.signal,
      onOut: (text) => lines.push(text),
    })
    const body = '{"skill":"sg_weather","arguments":{}}'
    const callId = callIdIn(await sent(busy.execute, body, { authorization: UNKNOWN_KEY }))
    await untilTrue(() => lines.some((text) => text.includes(callId)))
    stop.abort()
    await following
    expect(statSync(files.earlier).size).toBe(TWIN_LOG_BYTES_MAX)
    expect(readFileSync(files.current, 'utf8')).toContain(callId)
    await busy.stop('SIGKILL')
    writeFileSync(files.current, '{"timestamp":"2026-', { flag: 'a' })
    expect(await lineOf(callId, 'logs --outcome refused')).toMatchObject({ callId })
  } finally {
    stop.abort()
    await busy?.stop('SIGKILL')
    keepProfile(twin, twin.folder)
    rmSync(data, { recursive: true, force: true })
  }
})

test('a twin in memory shows ended calls, and says that it keeps no log of refused ones', async () => {
  const brief = await startTwin(['--memory'])
  try {
    keepProfile(brief, undefined)
    expect(await run('call sg_weather city=Oslo')).toMatchObject({ code: 0 })
    await untilTrue(async () => (await run('logs')).out.includes(' settled '))
    expect(await run('logs --outcome refused')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a twin in memory keeps no log'),
    })
  } finally {
    await brief.stop()
    keepProfile(twin, twin.folder)
  }
})

test('a folder without a log ends with what to do', async () => {
  keepProfile(twin, join(home, 'gone'))
  expect(await run('logs')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/log\.ndjson does not exist.*\nStart the twin with skillgate dev/),
  })
  keepProfile(twin, twin.folder)
})
