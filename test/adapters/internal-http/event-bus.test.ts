/** An event on its way to an EventBridge bus: one signed PutEvents, judged by its entry and not by its status. */
import { afterEach, expect, test } from 'vitest'
import { makeEventBusTarget } from '../../../adapters/internal-http/event-bus.ts'
import { createEvent } from '../../../core/events/event.ts'
import { type InternalServer, internalServer, optionsFor } from './peer-server.ts'

let server: InternalServer | undefined
afterEach(() => server?.close())

const EVENT = createEvent({
  eventId: 'e-1',
  type: 'budget_reached',
  data: { uid: 'ada', month: '2026-11' },
  nowMs: 1_795_219_200_000,
})

async function delivered(status: number, body: string) {
  server = await internalServer((response) => response.writeHead(status).end(body))
  const { url, ...options } = optionsFor(server)
  return makeEventBusTarget({ ...options, bus: 'alerts', endpoint: url }).deliver(EVENT)
}

test('an event is one entry of PutEvents with its id, signed for the service events', async () => {
  const answer = await delivered(200, '{"FailedEntryCount":0,"Entries":[{"EventId":"x"}]}')
  expect(answer).toEqual({ ok: true, value: 'delivered' })
  const [request] = server?.requests ?? []
  expect(request?.headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AWSEvents.PutEvents',
    authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 .*\/events\/aws4_request/),
  })
  const { Entries } = JSON.parse(String(request?.body))
  expect(Entries).toMatchObject([
    {
      EventBusName: 'alerts',
      Source: 'skillgate',
      DetailType: 'budget_reached',
      Time: 1_795_219_200,
    },
  ])
  expect(JSON.parse(Entries[0].Detail)).toEqual({
    id: 'e-1',
    type: 'budget_reached',
    createdAt: '2026-11-21T00:00:00.000Z',
    data: { uid: 'ada', month: '2026-11' },
  })
})

test.each([
  [
    200,
    '{"FailedEntryCount":1,"Entries":[{"ErrorCode":"ThrottlingException"}]}',
    '200 ThrottlingException',
  ],
  [400, '{"__type":"AccessDeniedException"}', '400 AccessDeniedException'],
  [200, 'not JSON', '200'],
  [503, '', '503'],
])('an answer with %i and %s is a failure that names its code', async (status, body, error) => {
  expect(await delivered(status, body)).toEqual({
    ok: false,
    error: `the event bus answered ${error}`,
  })
})

test('a bus that does not answer is a failure', async () => {
  server = await internalServer((response) => response.destroy())
  const { url, ...options } = optionsFor(server)
  const answer = await makeEventBusTarget({ ...options, bus: 'b', endpoint: url }).deliver(EVENT)
  expect(answer).toEqual({ ok: false, error: 'the event bus did not answer' })
})
