/** The twin tells of what needs a person: calls cause each event, and a webhook, a mailbox and a channel get it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../core/settings/event-target.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { startSesServer, startSlackServer } from '../adapters/events/notice-servers.ts'
import type { InternalServer } from '../adapters/internal-http/peer-server.ts'
import { createUser, pushSkill } from './admin.ts'
import { bearer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'
import { until, untilTrue } from './wait.ts'

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' }
const hooked: string[] = []
let toolStatus = 200
/** The webhook, and at /tool the API behind a skill. */
const hook = createServer((request, response) => {
  if (request.url?.startsWith('/tool')) {
    response.writeHead(toolStatus, { 'content-type': 'application/json' }).end('{}')
    return
  }
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    hooked.push(JSON.parse(body).type)
    response.writeHead(204, { connection: 'close' }).end()
  })
})

let twin: Twin
let mail: InternalServer
let slack: InternalServer
let folder = ''
let hookOrigin = ''
let slackStatus = 200

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillgate-notices-'))
  mail = await startSesServer(KEY, { region: 'eu-central-1', verified: ['gateway@example.com'] })
  slack = await startSlackServer(() => ({ status: slackStatus }))
  const port = await openPort(hook, { host: '127.0.0.1', port: 0 })
  hookOrigin = `http://127.0.0.1:${port}`
  const urlFile = join(folder, 'slack')
  await writeFile(urlFile, `${slack.url.href}services/T0/B0/secretpath\n`)
  const targets = [`http://127.0.0.1:${port}/`, 'email:ops@example.com', `slack:${urlFile}`]
  twin = await startTwin(
    [
      '--memory',
      '--low-balance',
      '50',
      '--events',
      targets.join(','),
      '--events-from',
      'gateway@example.com',
      '--outbound-allow',
      `127.0.0.1:${port},${slack.url.host}`,
    ],
    {
      clock: 'fast',
      env: {
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: KEY.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
        AWS_ENDPOINT_URL_SESV2: mail.url.origin,
      },
    },
  )
})
afterAll(async () => {
  await twin?.stop()
  await Promise.all([mail?.close(), slack?.close(), closePort(hook)])
  await rm(folder, { recursive: true, force: true })
})

const admin = () => bearer(twin.internalApiSecret)
const listIn = async (state: string) => {
  const answer = await send(`${twin.admin}/events?state=${state}`, { headers: admin() })
  const { events } = answer.json()
  return Array.isArray(events) ? events : []
}

const callTool = (key: string, skill = 'sg_weather') =>
  postJson(twin.execute, { skill, arguments: { city: 'Vienna' } }, bearer(key))
/** What each receiver got, as types of events or as texts. */
const mails = () => mail.requests.map(({ body }) => body.toString('utf8'))
/** Without the signs of no width that keep Slack from reading names as formatting. */
const posts = () => slack.requests.map(({ body }) => body.toString('utf8').replaceAll('\u200b', ''))
const isHooked = (type: string) => untilTrue(() => hooked.includes(type))

test('a call that makes a balance low is told to all three, and a target that fails does not repeat the others', async () => {
  slackStatus = 429
  const { key } = await createUser(twin, { username: 'ada', credits: 50.5 })
  expect((await callTool(key)).status).toBe(200)
  const [waiting] = await until(async () => {
    const events = await listIn('pending')
    return events.some(({ targets }) => targets.length === 3) ? events : undefined
  })
  expect(waiting).toMatchObject({ type: 'low_balance', attempts: 1 })
  expect(JSON.stringify(waiting)).not.toContain('secretpath')
  expect(waiting.targets).toContainEqual({
    target: `slack:${join(folder, 'slack')}`,
    error: 'the channel answered 429',
  })
  expect([hooked, mail.requests.length]).toEqual([['low_balance'], 1])
  expect(mails()[0]).toContain('credits grant')
  slackStatus = 200
  await until(async () => (await listIn('delivered'))[0])
  expect([hooked, mail.requests.length]).toEqual([['low_balance'], 1])
})

test('a budget and the calls of a day that are reached are told', async () => {
  const { uid } = await createUser(twin, { username: 'bob', credits: 500 })
  const limits = { monthlyBudget: 0, callsPerDay: 9 }
  const poor = await postJson(`${twin.admin}/users/${uid}/keys`, limits, admin())
  await callTool(String(poor.json()['key']))
  await isHooked('budget_reached')
  const often = await postJson(`${twin.admin}/users/${uid}/keys`, { callsPerDay: 1 }, admin())
  await callTool(String(often.json()['key']))
  await isHooked('daily_calls_reached')
})

test('a tool that fails for everybody is told once, and that it works again', async () => {
  toolStatus = 500
  const endpoint = new URL('/tool', hookOrigin).href
  const tool = await pushSkill(twin, { id: 'frail', config: { endpoint, method: 'GET' } })
  const callers = [
    await createUser(twin, { username: 'cyd', credits: 500 }),
    await createUser(twin, { username: 'dan', credits: 500 }),
  ]
  // Twenty, so that ten are in one slot if another slot begins meanwhile.
  for (let calls = 0; calls < 10; calls += 1) {
    for (const { key } of callers) expect((await callTool(key, tool)).status).toBe(502)
  }
  await judgeAfter(async () => isHooked('tool_failing'))
  toolStatus = 200
  for (const { key } of callers) expect((await callTool(key, tool)).status).toBe(200)
  await judgeAfter(async () => isHooked('tool_recovered'))
  expect(hooked.filter((type) => type.startsWith('tool_'))).toEqual([
    'tool_failing',
    'tool_recovered',
  ])
})

/**
 * The twin writes the pages of its calls each second. A slot is judged 13 to 23 minutes after its
 * begin, so a jump of nine leaves at most four minutes of a fast clock.
 */
async function judgeAfter(told: () => Promise<void>): Promise<void> {
  await sleep(1_000)
  process.kill(twin.pid, 'SIGUSR2')
  await told()
}

test('the command line shows which target failed, why, and sends to that one alone again', async () => {
  slackStatus = 404
  const tried = await run('events test --json')
  expect(tried.code).toBe(1)
  const removed =
    'the channel answered 404: its webhook was removed; make another, and put its URL into the secret'
  const deliveries = JSON.parse(tried.out)
  expect(deliveries).toHaveLength(3)
  expect(deliveries).toContainEqual({ target: `slack:${join(folder, 'slack')}`, error: removed })
  expect(deliveries).toContainEqual({
    target: 'email:ops@example.com',
    takenAtMs: expect.any(Number),
  })
  const [failed] = JSON.parse((await run('events ls --json')).out)
  expect(failed).toMatchObject({ type: 'test', state: 'failed', attempts: 1 })
  slackStatus = 200
  expect((await run(`events resend ${failed.eventId}`)).code).toBe(0)
  await until(async () => (await listIn('delivered')).find(({ type }) => type === 'test'))
})

const run = (line: string) => runAtTwin(twin, folder, line)

test('each type of event has reached the webhook, the mailbox and the channel', async () => {
  await untilTrue(async () => (await listIn('pending')).length === 0)
  expect([...hooked].sort()).toEqual([...EVENT_TYPES].sort())
  for (const subject of SUBJECTS) {
    expect(mails().filter((text) => subject.test(text))).toHaveLength(1)
    expect(posts().some((text) => subject.test(text))).toBe(true)
  }
})

const SUBJECTS = [
  /Skillgate: \S+ has \S+ credits left/,
  /Skillgate: \S+ has spent the budget of /,
  /Skillgate: a key of \S+ has made its calls of /,
  /Skillgate: sg_frail fails for everybody/,
  /Skillgate: sg_frail works again/,
  /Skillgate: a test of its notices/,
]
