/** What a receiver gets: one signed POST, through the same guard as upstreams of skills. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { makeWebhookTarget } from '../../../adapters/events/webhook.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { Fault } from '../../../core/errors.ts'
import { createEvent } from '../../../core/events/event.ts'

const NOW_MS = 1_795_219_200_500
const EVENT = createEvent({
  eventId: '1q7hsm400-abc',
  type: 'low_balance',
  data: { uid: 'ada', balance: 4.5, threshold: 5 },
  nowMs: 1_795_219_200_000,
})
const BODY =
  '{"id":"1q7hsm400-abc","type":"low_balance","createdAt":"2026-11-21T00:00:00.000Z","data":{"uid":"ada","balance":4.5,"threshold":5}}'

type Got = { method: string; url: string; headers: IncomingHttpHeaders; body: string }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function receiver(status: number, headers: Record<string, string> = {}) {
  const got: Got[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const { method = '', url = '' } = request
      got.push({ method, url, headers: request.headers, body })
      response.writeHead(status, { connection: 'close', ...headers }).end('thanks')
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return { got, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hooks?tenant=1` }
}

function target(
  url: string,
  { allow = [], secrets = ['secret'] }: { allow?: string[]; secrets?: string[] } = {},
) {
  const upstream = httpUpstream({ outboundAllow: allow })
  return makeWebhookTarget({
    url,
    upstream,
    secrets: async () => secrets,
    clock: { nowMs: () => NOW_MS },
  })
}

const macOf = (secret: string) =>
  createHmac('sha256', secret).update(`1795219200.${BODY}`).digest('hex')

test('a delivery is one POST of JSON with its signature over time and body', async () => {
  const { got, host, url } = await receiver(204)
  expect(await target(url, { allow: [host] }).deliver(EVENT)).toEqual({
    ok: true,
    value: 'delivered',
  })
  expect(got).toMatchObject([{ method: 'POST', url: '/hooks?tenant=1', body: BODY }])
  expect(got[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'skillgate-signature': `t=1795219200,v1=${macOf('secret')}`,
    'user-agent': 'skillgate-events',
  })
})

test('while the secret is rotated a delivery has a signature by each value', async () => {
  const { got, host, url } = await receiver(200)
  await target(url, { allow: [host], secrets: ['new', 'old'] }).deliver(EVENT)
  const header = `t=1795219200,v1=${macOf('new')},v1=${macOf('old')}`
  expect(got[0]?.headers['skillgate-signature']).toBe(header)
})

describe('a delivery fails', () => {
  test.each([199 + 101, 400, 500])('when the receiver answers %i', async (status) => {
    const { host, url } = await receiver(status)
    const error = `the webhook answered ${status}; it must answer with 2xx`
    expect(await target(url, { allow: [host] }).deliver(EVENT)).toEqual({ ok: false, error })
  })

  test('an event is not sent at all to http, a private address, or a name of one', async () => {
    const { got, url } = await receiver(200)
    for (const place of [url, 'https://127.0.0.1/', 'https://10.0.0.1/', 'https://localhost/']) {
      const answer = await target(place).deliver(EVENT)
      expect(answer).toMatchObject({
        ok: false,
        error: expect.stringMatching(/not called|not reached/),
      })
    }
    expect(got).toEqual([])
  })

  test('a redirect to another host gets neither body nor signature, and the delivery fails', async () => {
    const other = await receiver(200)
    const first = await receiver(307, { location: other.url })
    const answer = await target(first.url, { allow: [first.host, other.host] }).deliver(EVENT)
    expect(answer.ok).toBe(false)
    expect(other.got).toEqual([])
  })

  test('when nobody listens, and when the secret cannot be read', async () => {
    const { host, url } = await receiver(200)
    for (const server of servers.splice(0)) server.close()
    expect(await target(url, { allow: [host] }).deliver(EVENT)).toMatchObject({ ok: false })
    const secrets = () => Promise.reject(new Fault('store_unavailable', 'secret s: no answer'))
    const upstream = httpUpstream({ outboundAllow: [host] })
    const broken = makeWebhookTarget({ url, upstream, secrets, clock: { nowMs: () => NOW_MS } })
    expect(await broken.deliver(EVENT)).toEqual({
      ok: false,
      error: 'the signing secret could not be read: secret s: no answer',
    })
  })
})
