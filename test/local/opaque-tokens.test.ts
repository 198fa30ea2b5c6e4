/** A whole twin whose issuer is asked about opaque tokens, and unknown ones past the limit. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answerJson, startTestIssuer, type TestIssuer } from '../issuers/test-issuer.ts'
import { type LoginTwin, startLoginTwin } from './login-twin.ts'

let issuer: TestIssuer
let twin: LoginTwin

beforeEach(async () => {
  issuer = await startTestIssuer()
  const setting = { ...issuer.introspecting, provision: 'auto', initialCredits: 5 } as const
  twin = await startLoginTwin({ login: false, issuers: [setting], outboundAllow: ['127.0.0.1'] })
  // The minute must not end within a test: it begins with the next one of a later day.
  twin.advance(60_000 - (Date.now() % 60_000))
})
afterEach(async () => {
  await twin.stop()
  await issuer.stop()
})

const countAsked = () => issuer.requests.filter((one) => one === 'POST /introspect').length

async function statusOf(token: string): Promise<number> {
  return (await twin.call(token)).status
}

describe('an opaque text that the issuer does not know', () => {
  test.each([
    ['in one part', (at: number) => `unknown-text-${at}`],
    ['in three parts that are no JWT', (at: number) => `eyJ.unknown.text${at}`],
  ])('%s costs it 20 questions a minute, and the next one is 429', async (_what, textOf) => {
    for (let at = 0; at < 20; at += 1) expect(await statusOf(textOf(at))).toBe(401)
    expect(countAsked()).toBe(20)
    const refused = await twin.call(textOf(20))
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
    expect(countAsked()).toBe(20)
    twin.advance(60_000)
    expect(await statusOf(textOf(21))).toBe(401)
    expect(countAsked()).toBe(21)
  })

  test('leaves alone JWTs, own keys and opaque tokens that were good before', async () => {
    const good = issuer.issueOpaque()
    expect(await statusOf(good)).toBe(200)
    for (let at = 0; at < 21; at += 1) await statusOf(`unknown-text-${at}`)
    expect(await statusOf('one-more-text')).toBe(429)
    expect(await statusOf(await issuer.sign())).toBe(200)
    expect(await statusOf(twin.credentials.key)).toBe(200)
    twin.advance(31_000)
    const asked = countAsked()
    expect(await statusOf(good)).toBe(200)
    expect(countAsked()).toBe(asked + 1)
  })

  test('counts too while the issuer fails, and a key of the gateway works', async () => {
    issuer.answers.set('/introspect', (_request, response) => void response.writeHead(500).end())
    for (let at = 0; at < 20; at += 1) expect(await statusOf(`unknown-text-${at}`)).toBe(503)
    expect(await statusOf('one-more-text')).toBe(429)
    expect(countAsked()).toBe(20)
    issuer.answers.set('/introspect', (_request, response) => answerJson(response, {}))
    expect(await statusOf(twin.credentials.key)).toBe(200)
  })
})
