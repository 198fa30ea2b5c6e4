/**
 * A secret that an upstream echoes, spelled as any encoder spells it, is in no answer, log, ledger entry, excerpt or record of
 * the audit trail: after calls and after test calls, whether they succeed or fail.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/json/json.ts'
import { ENCODERS } from '../core/call/encoders.ts'
import { run } from '../core/flow/caller.ts'
import { BEARER, setFor } from '../core/flow/execute/calls-with-secrets.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { askAdmin } from '../lambdas/admin/admin-client.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
/** Each makes a world, a call and a test call, so they are a quarter of what one encoder and status would get. */
const RUNS_OF_ONE = Math.ceil(RUNS / (8 * ENCODERS.length))

/** What a header may carry, between characters that show where it begins and ends. */
const SECRETS = fc
  .string({ minLength: 4, maxLength: 30, unit: fc.constantFrom(...'a1B_+/=&%\\"\'<>.-~#;x') })
  .map((inner) => `Z9${inner}9Z`)

/** The texts of a value, at any depth, and of JSON in them. */
function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)])
}

async function adminTexts(world: World, path: string, query = ''): Promise<readonly string[]> {
  const { json, status } = await askAdmin(world, 'GET', path, { query })
  expect(status).toBe(200)
  return textsIn(json)
}

describe.each([200, 500])('a secret in an answer with status %i', (status) => {
  test.each(ENCODERS)(
    `a secret that %s spells in an answer with status ${status} is nowhere`,
    async (_name, encode) => {
      const property = fc.asyncProperty(SECRETS, async (secret) => {
        const world = makeWorld()
        const ada = await world.user('ada')
        await world.skill('sg_weather', {
          config: { ...BEARER, response: { headers: ['x-echo'] }, retries: 0 },
        })
        await setFor(world, 'ada', { API_KEY: secret })
        const echoed = encode(secret)
        const answer = {
          kind: 'answer',
          status,
          headers: { 'content-type': 'text/plain', 'x-echo': echoed },
          body: `<<${echoed}>>`,
        } as const

        world.upstream.next(answer)
        const called = await run(world, ada, 'sg_weather')
        world.upstream.next(answer)
        const body = { uid: 'ada' }
        const path = '/skills/official/sg_weather/dry-run'
        const tried = await askAdmin(world, 'POST', path, { query: 'send=true', body })
        expect(tried.status).toBe(200)
        expect(world.upstream.requests).toHaveLength(2)

        const ledger = await world.ports.ledger.list({ uid: 'ada', limit: 9 })
        const callId = ledger.outcomes[0]?.callId
        const seen = {
          called: textsIn(JSON.parse(JSON.stringify(called))),
          tried: textsIn(tried.json),
          log: textsIn(JSON.parse(JSON.stringify(world.log.notes))),
          ledger: textsIn(JSON.parse(JSON.stringify(ledger))),
          call: await adminTexts(world, `/calls/${callId}`, 'user=ada'),
          audit: await adminTexts(world, '/audit'),
        }
        if (status === 500) expect(seen.call.join()).toContain('<<')
        // The control: both answers show the rest of what the upstream said.
        expect(seen.called.join()).toContain('<<')
        expect(seen.tried.join()).toContain('[secret API_KEY]')
        for (const [place, texts] of Object.entries(seen)) {
          const leaks = texts.filter((text) => text.includes(echoed) || text.includes(secret))
          expect([place, leaks]).toEqual([place, []])
        }
      })
      await fc.assert(property, { seed: 94, numRuns: RUNS_OF_ONE })
    },
  )
})
