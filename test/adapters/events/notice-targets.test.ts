/** Each type of event as mail and in a channel, at stand-ins of SES and Slack. */
import { afterEach, describe, expect, test } from 'vitest'
import { makeSlackTarget, writeSlackBody } from '../../../adapters/events/slack.ts'
import { makeMailTarget } from '../../../adapters/internal-http/mail.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { readCommand } from '../../../cli/command/read-command.ts'
import { COMMANDS } from '../../../cli/commands/commands.ts'
import { Fault } from '../../../core/errors.ts'
import { createEvent } from '../../../core/events/event.ts'
import {
  NOTICE_VALUE_CHARS_MAX,
  SUBJECT_CHARS_MAX,
  writeNotice,
} from '../../../core/events/notice.ts'
import { EVENT_TYPES, type EventType } from '../../../core/settings/event-target.ts'
import type { InternalServer } from '../internal-http/peer-server.ts'
import { startSesServer, startSlackServer } from './notice-servers.ts'

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example', sessionToken: undefined }
const FROM = 'gateway@example.com'
const NOW_MS = Date.UTC(2026, 10, 27, 12)
const servers: InternalServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const DATA = {
  uid: 'ada',
  balance: 4.5,
  threshold: 5,
  month: '2026-11',
  limit: 10,
  spent: 10,
  renewsOn: '2026-12-01',
  day: '2026-11-27',
  calls: 20,
  keyId: 'k1',
  skillId: 'weather',
  failed: 19,
  settled: 1,
  users: 3,
  reason: 'upstream_failed',
  from: '2026-11-27T11:50:00.000Z',
  until: '2026-11-27T12:00:00.000Z',
  message: 'A test.',
}
const eventOf = (type: EventType, more: Partial<typeof DATA> = {}) =>
  createEvent({ eventId: 'e-1', type, data: { ...DATA, ...more }, nowMs: NOW_MS })

async function mail(type: EventType, more: Partial<typeof DATA> = {}, from = FROM) {
  const server = await startSesServer(KEY, { region: 'eu-central-1', verified: [FROM] })
  servers.push(server)
  const target = makeMailTarget({
    from,
    to: 'ops@example.com',
    region: 'eu-central-1',
    credentials: KEY,
    clock: { nowMs: () => NOW_MS },
    endpoint: server.url,
  })
  const sent = await target.deliver(eventOf(type, more))
  return { sent, body: JSON.parse(server.requests[0]?.body.toString('utf8') ?? '{}') }
}

async function post(type: EventType, status = 200, word?: string) {
  const server = await startSlackServer(() => ({ status, word, headers: { 'retry-after': '90' } }))
  servers.push(server)
  const upstream = httpUpstream({ outboundAllow: [server.url.host] })
  const url = `${server.url.href}services/T0/B0/secretpath`
  return makeSlackTarget({ upstream, readUrl: async () => url }).deliver(eventOf(type))
}

const SUBJECTS: { readonly [type in EventType]: string } = {
  low_balance: 'Skillgate: ada has 4.5 credits left',
  budget_reached: 'Skillgate: ada has spent the budget of 2026-11',
  daily_calls_reached: 'Skillgate: a key of ada has made its calls of 2026-11-27',
  tool_failing: 'Skillgate: weather fails for everybody',
  tool_recovered: 'Skillgate: weather works again',
  test: 'Skillgate: a test of its notices',
}

describe('mail', () => {
  test.each(EVENT_TYPES)(
    'SES takes a signed mail of %s with a subject, a text and HTML',
    async (type) => {
      const { body, sent } = await mail(type)
      expect(sent).toEqual({ ok: true, value: 'delivered' })
      expect(body).toMatchObject({
        FromEmailAddress: FROM,
        Destination: { ToAddresses: ['ops@example.com'] },
        Content: { Simple: { Subject: { Data: SUBJECTS[type], Charset: 'UTF-8' } } },
      })
      const { Html, Text } = body.Content.Simple.Body
      expect(Text.Data).toContain('Event e-1 of 2026-11-27T12:00:00.000Z.')
      expect(Text.Data).not.toMatch(/undefined|null|NaN/)
      expect(Html.Data).toMatch(/^<!doctype html>\n<p>/)
    },
  )

  test('a low balance says how to give credits', async () => {
    const { body } = await mail('low_balance')
    expect(body.Content.Simple.Body.Text.Data).toContain('skillgate credits grant ada AMOUNT')
  })

  test('a name with line breaks and markup adds no header, no line and no element', async () => {
    const uid = 'x\r\nBcc: all@example.com\r\n<script>alert("1")</script>'
    const { body, sent } = await mail('low_balance', { uid })
    expect(sent.ok).toBe(true)
    const { Body, Subject } = body.Content.Simple
    expect(Subject.Data).not.toMatch(/[\r\n]/)
    expect(Body.Text.Data.split('\n')).toHaveLength(6)
    expect(Body.Html.Data).not.toMatch(/<script|"1"/)
    expect(Body.Html.Data).toContain('&lt;script&gt;')
  })

  test('a sender that is not verified is told with the remedy', async () => {
    const { sent } = await mail('test', {}, 'other@example.com')
    expect(sent).toEqual({
      ok: false,
      error:
        'SES answered 400 MessageRejected; verify the sender (eventsFrom) in SES, and the address too while the account is in its sandbox',
    })
  })

  test('a request with another key is refused by the stand-in, so it checks signatures', async () => {
    const server = await startSesServer(KEY, { region: 'eu-central-1', verified: [FROM] })
    servers.push(server)
    const target = makeMailTarget({
      from: FROM,
      to: 'ops@example.com',
      region: 'eu-central-1',
      credentials: { ...KEY, secretAccessKey: 'wrong' },
      clock: { nowMs: () => NOW_MS },
      endpoint: server.url,
    })
    expect(await target.deliver(eventOf('test'))).toEqual({
      ok: false,
      error: 'SES answered 403 InvalidSignatureException',
    })
  })
})

describe('a channel', () => {
  test.each(EVENT_TYPES)('Slack takes the blocks of %s', async (type) => {
    expect(await post(type)).toEqual({ ok: true, value: 'delivered' })
  })

  test.each([
    [404, 'no_service', /^the channel answered 404: its webhook was removed; make another/],
    [410, 'channel_is_archived', /^the channel answered 410: its channel is archived; restore it/],
    [403, 'action_prohibited', /^the channel answered 403: an administrator of Slack forbids/],
    [404, 'Not Found', /^the channel answered 404: its webhook was removed/],
  ])('an answer with %i %s is final, and its remedy is told', async (status, word, reason) => {
    expect(await post('test', status, word)).toEqual({
      ok: false,
      error: { reason: expect.stringMatching(reason), isFinal: true },
    })
  })

  test('an answer with 429 is a failure with the pause that the channel asks for', async () => {
    const error = { reason: 'the channel answered 429', retryAfterMs: 90_000 }
    expect(await post('test', 429)).toEqual({ ok: false, error })
  })

  test('a URL that cannot be read, or is none, is a failure without its text', async () => {
    const upstream = httpUpstream({ outboundAllow: [] })
    const failing = async () => {
      throw new Fault('store_unavailable', 'secret x: is not there')
    }
    expect(await makeSlackTarget({ upstream, readUrl: failing }).deliver(eventOf('test'))).toEqual({
      ok: false,
      error: 'the URL of the webhook could not be read: secret x: is not there',
    })
    const none = makeSlackTarget({ upstream, readUrl: async () => 'secretpath' })
    expect(await none.deliver(eventOf('test'))).toEqual({
      ok: false,
      error: 'the secret has no URL of a webhook; write {"current":"https://…"}',
    })
    const closed = makeSlackTarget({
      upstream,
      readUrl: async () => 'http://127.0.0.1:1/secretpath',
    })
    expect(JSON.stringify(await closed.deliver(eventOf('test')))).not.toContain('secretpath')
  })

  test('names call nobody, link nothing and format nothing', () => {
    const uid = '<!channel> @here <https://evil.example|click> *bold* & co'
    const body = writeSlackBody(eventOf('low_balance', { uid }))
    expect(body).not.toMatch(/<!|<https|@here|\*bold\*/)
    expect(body).toContain('&lt;!channel&gt;')
    expect(body).toContain('&amp; co')
  })

  test('a body stays within the limits of Slack with the longest names', () => {
    const { blocks } = JSON.parse(
      writeSlackBody(
        eventOf('budget_reached', { uid: '<'.repeat(9_000), keyId: '&'.repeat(9_000) }),
      ),
    )
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(150)
    expect(blocks[1].text.text.length).toBeLessThanOrEqual(3_000)
  })
})

test('a subject has 76 characters and a value 100 at most', () => {
  const notice = (chars: number) => writeNotice(eventOf('low_balance', { uid: 'u'.repeat(chars) }))
  expect([SUBJECT_CHARS_MAX, NOTICE_VALUE_CHARS_MAX]).toEqual([76, 100])
  expect(notice(200).subject).toHaveLength(76)
  expect(notice(100).lines[0]).toContain('u'.repeat(100))
  expect(notice(101).lines[0]).not.toContain('u'.repeat(101))
})

test.each(EVENT_TYPES)('the commands in a notice of %s are read by the command line', (type) => {
  // Only a budget may be the user's.
  const owners = type === 'budget_reached' ? [{ keyId: 'k1' }, { keyId: '' }] : [{ keyId: 'k1' }]
  for (const owner of owners) {
    for (const line of writeNotice(eventOf(type, owner)).lines) {
      const command = /skillgate (.+)$/.exec(line)?.[1]
      if (command === undefined) continue
      const read = readCommand(command.split(' '), COMMANDS)
      expect([command, read.ok && read.value.kind]).toEqual([command, 'run'])
    }
    expect(writeNotice(eventOf(type, owner)).lines.join('\n')).not.toContain('docs/')
  }
})
