/**
 * The signatures come from GitHub's and Slack's own pages, the others from openssl dgst -sha256
 * -hmac.
 */

import { describe, expect, test } from 'vitest'
import { makeHmacSha256Hook } from '../../../adapters/hooks/hmac-sha256-signature.ts'
import { createSleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { describeHook } from '../../contracts/hook-contract.ts'
import { contextOf, type HookCase, REQUEST } from '../../contracts/hook-rounds.ts'

const SECRET = 'It is a Secret to Everybody'

const CASE: HookCase = {
  make: makeHmacSha256Hook,
  options: {
    secret: 'SIGNING_KEY',
    secret_encoding: 'utf8',
    header: 'X-Acme-Signature',
    encoding: 'hex',
    prefix: 'sha256=',
    timestamp_header: 'X-Acme-Time',
    payload: 'timestamp.body',
  },
  badOptions: [
    ['nothing', {}, '/secret'],
    ['a secret’s value', { secret: 'my key' }, '/secret'],
    ['a header of the connection', { secret: 'K', header: 'Host' }, '/header'],
    ['a header of two lines', { secret: 'K', header: 'x-a\r\nx-b' }, '/header'],
    ['a header that is no text', { secret: 'K', header: 7 }, '/header'],
    ['an encoding nobody has', { secret: 'K', encoding: 'base32' }, '/encoding'],
    ['a prefix of two lines', { secret: 'K', prefix: 'a\nb' }, '/prefix'],
    ['a prefix of 129 characters', { secret: 'K', prefix: 'a'.repeat(129) }, '/prefix'],
    ['a prefix with another place', { secret: 'K', prefix: '{body}' }, '/prefix'],
    ['a payload of its own', { secret: 'K', payload: 'body.timestamp' }, '/payload'],
    [
      'a timestamp that nobody is told',
      { secret: 'K', payload: 'timestamp.body' },
      '/timestamp_header',
    ],
    [
      'one header for both',
      { secret: 'K', header: 'x-a', timestamp_header: 'X-A' },
      '/timestamp_header',
    ],
  ],
  secrets: { SIGNING_KEY: SECRET },
  sets: ['x-acme-signature', 'x-acme-time'],
}

describeHook('hmac_sha256_signature', CASE)

async function sign(
  options: JsonObject,
  more: { request?: UpstreamRequest; key?: string; nowMs?: number } = {},
) {
  const { key = SECRET, nowMs = 2_000_000_000_999, request = REQUEST } = more
  const hook = makeHmacSha256Hook({
    clock: createSleepingClock({ nowMs: () => nowMs, sleep: async () => {} }),
  })
  const all = { ...CASE, options: { secret: 'K', ...options }, secrets: { K: key } }
  expect(hook.optionFaults(all.options)).toEqual([])
  return hook.before?.(request, contextOf(all))
}

async function headersOf(...args: Parameters<typeof sign>) {
  const signed = await sign(...args)
  return signed?.ok === true ? signed.value.headers : signed
}

describe('the signature', () => {
  test('is the one in GitHub’s documentation', async () => {
    const request = { ...REQUEST, body: 'Hello, World!' }
    const options = { header: 'X-Hub-Signature-256', prefix: 'sha256=' }
    expect(await headersOf(options, { request, key: "It's a Secret to Everybody" })).toMatchObject({
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    })
  })

  test('is the one in Slack’s documentation', async () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&' +
      'channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&' +
      'command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands' +
      '%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&' +
      'trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const options = {
      header: 'X-Slack-Signature',
      timestamp_header: 'X-Slack-Request-Timestamp',
      prefix: 'v0=',
      payload: 'v0:timestamp:body',
    }
    const more = { nowMs: 1_531_420_618_000, key: '8f742231b10e8888abcd99yyyzzz85a5' }
    expect(await headersOf(options, { request: { ...REQUEST, body }, ...more })).toMatchObject({
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    })
  })

  test('stands with its timestamp in one header, as Stripe does it', async () => {
    const options = {
      header: 'Stripe-Signature',
      prefix: 't={timestamp},v1=',
      payload: 'timestamp.body',
    }
    expect(await headersOf(options)).toMatchObject({
      'stripe-signature':
        't=2000000000,v1=1d4eaf5f187687572e857aff7388cd7b2949f0a766dbff27061b2df926f91d4a',
    })
  })

  test.each([
    ['body', '6286ddf40f2ba15403a2fbddd956d67960086669368490108b8f6ec6da299620'],
    ['timestamp.body', '1d4eaf5f187687572e857aff7388cd7b2949f0a766dbff27061b2df926f91d4a'],
    ['v0:timestamp:body', 'd705a16cfd801bec917b99ba409ea8f6b872992c674b9a934e837b3d3870f58e'],
    ['method\npath\nbody', '6167c87946f4c31730fbb7c56097aab1a28e97b0d1e25ee3f3020f72decad154'],
    [
      'timestamp\nmethod\npath\nbody',
      '5e36e8ae7bd0b123a334b7dff0e734e6f15cfe1eaad5442aa335f9145df95a0b',
    ],
  ])('covers %j', async (payload, signature) => {
    const headers = await headersOf({ payload, timestamp_header: 'x-time' })
    expect(headers).toMatchObject({ 'x-signature': signature, 'x-time': '2000000000' })
  })

  test('covers the fields that exchanges check, under a key of bytes, in base64', async () => {
    const options = {
      payload: 'timestampmethodpathbody',
      timestamp_header: 'x-time',
      encoding: 'base64',
      secret_encoding: 'base64',
    }
    const key = 'YSAyNCBieXRlIGxvbmcgcmF3IGtleSEh'
    expect(await headersOf(options, { key })).toMatchObject({
      'x-signature': 'FCwgQYUXJGRJZAew86S9IIiCeTaZGrWUVP2m59LTyr0=',
    })
  })

  test.each([
    '612032342062797465206c6f6e6720726177206b65792121',
    '612032342062797465206C6F6E6720726177206B65792121',
  ])('is made with a key in hex: %s', async (key) => {
    expect(await headersOf({ secret_encoding: 'hex' }, { key })).toMatchObject({
      'x-signature': 'aefcdc25e232065d16a2a4d57c5b2a0874d120a8f8a774aa9b9a396bacdc6ca7',
    })
  })

  test('of a request without a body covers no bytes', async () => {
    const request = { ...REQUEST, method: 'GET', body: undefined } as const
    expect(await headersOf({}, { request })).toMatchObject({
      'x-signature': 'eff82feb8544bf2ddcbb164b2e824c87575573931cd2227e88e817d070d2e06e',
    })
  })

  test('goes to no other host with a redirect', async () => {
    const signed = await sign({ header: 'X-Acme-Signature' })
    expect(signed?.ok === true && signed.value.sensitive).toEqual({
      headers: ['x-acme-signature'],
      query: false,
      body: false,
    })
  })
})

describe('a secret in another encoding than declared', () => {
  test.each([
    ['base64', 'not base64!'],
    ['base64', 'YQ-_YQ-_'],
    ['hex', 'abc'],
    ['hex', 'xyzw'],
  ])('fails the call, and its value is not shown: %s', async (encoding, key) => {
    const signed = await sign({ secret_encoding: encoding }, { key })
    expect(signed).toEqual({
      ok: false,
      error: {
        detail: `secret K: is not ${encoding}, as plugin_options/secret_encoding says; set it again.`,
        upstreamFault: 'secret_rejected',
      },
    })
  })
})

test('a prefix of the signature has at most 128 characters', async () => {
  const prefix = 'a'.repeat(128)
  expect(makeHmacSha256Hook(CLOCK).optionFaults({ secret: 'K', prefix })).toEqual([])
})

const CLOCK = { clock: createSleepingClock({ nowMs: () => 0, sleep: async () => {} }) }
