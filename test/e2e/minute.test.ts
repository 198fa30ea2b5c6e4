/** The limit of calls in a minute, from a REST client's view. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberOf } from './fields.ts'
import { bearer, postJson } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

const CALLS_PER_MINUTE = 8

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', String(CALLS_PER_MINUTE)])
})

afterAll(async () => {
  await twin?.stop()
})

function execute() {
  const body = { skill: 'sg_echo', arguments: { text: 'x' } }
  return postJson(twin.execute, body, bearer(twin.key))
}

test('calls past the limit of a minute are 429 until the minute is over, to the second', async () => {
  const { allowed, refused, mostSec, leastSec } = await inOneMinute()
  expect(allowed.map(({ status }) => status)).toEqual(Array(CALLS_PER_MINUTE).fill(200))
  expect(allowed.at(-1)?.headers['ratelimit']).toMatch(/^"minute";r=0;t=\d+$/)
  expect(refused.status).toBe(429)
  const waitSec = Number(refused.headers['retry-after'])
  expect(waitSec).toBeLessThanOrEqual(mostSec)
  expect(waitSec).toBeGreaterThanOrEqual(leastSec)
  const body429 = refused.json()
  expect(body429).toMatchObject({ code: 'rate_limited', retryAfterSec: waitSec })
  expect(refused.headers['ratelimit']).toBe(`"minute";r=0;t=${waitSec}`)
  expect(numberOf(body429, 'retryAfterSec')).toBeLessThanOrEqual(60)
})

/** The same machine, so the same clock. */
function secondsLeft(): number {
  return Math.ceil((60_000 - (Date.now() % 60_000)) / 1000)
}

/** As many calls as a minute allows and one more; all again when the minute changed under them. */
async function inOneMinute() {
  for (;;) {
    const minute = minuteNow()
    const allowed = []
    for (let i = 0; i < CALLS_PER_MINUTE; i += 1) allowed.push(await execute())
    const mostSec = secondsLeft()
    const refused = await execute()
    const leastSec = secondsLeft()
    if (minuteNow() === minute) return { allowed, refused, mostSec, leastSec }
    await sleep(60_050 - (Date.now() % 60_000))
  }
}

function minuteNow(): number {
  return Math.floor(Date.now() / 60_000)
}
