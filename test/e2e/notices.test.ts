/** The twin tells of a low balance: a call crosses it, and a webhook, a mailbox and a channel get it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePort, openPort } from '../../local/http/listen.ts'
import { startSesServer, startSlackServer } from '../adapters/events/notice-servers.ts'
import type { InternalServer } from '../adapters/internal-http/peer-server.ts'
import { createUser } from './admin.ts'
import { bearer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'
import { until } from './wait.ts'

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' }
const hooked: string[] = []
const hook = createServer((request, response) => {
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
let slackStatus = 200

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillgate-notices-'))
  mail = await startSesServer(KEY, { region: 'eu-central-1', verified: ['gateway@example.com'] })
  slack = await startSlackServer(() => ({ status: slackStatus }))
  const port = await openPort(hook, { host: '127.0.0.1', port: 0 })
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

test('a call that makes a balance low is told to all three, and a target that fails does not repeat the others', async () => {
  slackStatus = 429
  const { key } = await createUser(twin, { username: 'ada', credits: 50.5 })
  const called = await postJson(
    twin.execute,
    { skill: 'sg_weather', arguments: { city: 'Vienna' } },
    bearer(key),
  )
  expect(called.status).toBe(200)
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
  expect([hooked, mail.requests.length, slack.requests.length]).toEqual([['low_balance'], 1, 1])
  expect(mail.requests[0]?.body.toString('utf8')).toContain('credits grant')
})

test('a test goes to every target and is delivered', async () => {
  slackStatus = 200
  const sent = await postJson(`${twin.admin}/events:test`, {}, admin())
  expect(sent.status).toBe(202)
  const [delivered] = await until(async () => {
    const events = await listIn('delivered')
    return events.length > 0 ? events : undefined
  })
  expect(delivered).toMatchObject({ type: 'test', state: 'delivered' })
  expect(delivered.targets).toHaveLength(3)
})
