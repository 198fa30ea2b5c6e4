/**
 * The twin calls execute without its door. Whatever an agent calls, it gets the same bytes, and the
 * same money moves, as with the execute door between, where the deployed functions have it.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from './agent.ts'

type Step = {
  readonly name: string
  readonly args: JsonObject
  readonly isModern: boolean
  readonly key: 'ada' | 'unknown' | 'none'
  readonly upstream: { readonly status: number; readonly body: string }
}

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const RUNS = 200

async function makeWorldWithSkills() {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: 40, username: 'Ada Ë.' })
  await world.skill('sg_sunny', { price: 2 })
  await world.skill('sg_city', { price: 3, parameters: CITY })
  await world.skill('sg_mine', { price: 1, source: 'private', uid: 'ada' })
  await world.skill('sg_post', { price: 0.25, config: { method: 'POST' } })
  await world.skill('sg_passes', { price: 1, config: { response: { as: 'mcp' } } })
  return { world, ada }
}

const UPSTREAM = fc.record({
  status: fc.constantFrom(200, 200, 201, 204, 302, 400, 404, 429, 500, 503),
  body: fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      '{"content":[{"type":"text","text":"\\ud83d"}]}',
      '{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"n":-0}}',
      '[1e400]',
      '{"__proto__":{"a":1}}',
    ),
  ),
})

const STEP: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(
    'sg_sunny',
    'sg_city',
    'sg_mine',
    'Ada__._sg_mine',
    'sg_post',
    'sg_passes',
    'sunny',
    'sg_account',
    'sg_usage',
    'sg_search_skills',
    'sg_nobody',
    'account',
    '',
    'ünknown',
  ),
  args: fc.oneof(
    fc.constantFrom<JsonObject>({ city: 'Oslo' }, { query: 'sunny' }, { city: '\ud83d' }, {}),
    fc.dictionary(
      fc.string({ maxLength: 8 }),
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
      {
        maxKeys: 4,
      },
    ),
  ),
  isModern: fc.boolean(),
  key: fc.constantFrom('ada', 'ada', 'ada', 'ada', 'unknown', 'none'),
  upstream: UPSTREAM,
})

/** Everything that can be seen of one step, without the random ids. */
async function seen(door: StreamingHandler, world: World, step: Step, ada: string) {
  const { args, isModern, name, upstream } = step
  // Calls of one millisecond are listed in the order of their ids, which are random.
  world.clock.jump(1)
  world.upstream.next({ kind: 'answer', ...upstream })
  const keys = { ada, unknown: `Bearer sgk_${'x'.repeat(43)}`, none: undefined }
  const call = { name, arguments: args }
  const sent = isModern ? modern('tools/call', call) : legacy('tools/call', call)
  const out = await post(door, withKey(keys[step.key], sent))
  await world.clock.settle()
  const { headers, status, text } = out
  const lines = world.log.calls.map(({ callId: _random, ...line }) => line)
  const notes = world.log.notes.map(({ event, fields }) => [event, fields['code']])
  const requests = world.upstream.requests.map(({ body, headers: sentHeaders, method, url }) => {
    return { body, headers: sentHeaders, method, url }
  })
  const credits = await world.credits('ada')
  return { status, headers, text: withoutIds(text), lines, notes, requests, credits }
}

/** Call ids are the only random part of an answer. */
function withoutIds(text: string): string {
  const known = text.startsWith('{') ? JSON.parse(text) : undefined
  if (!isJsonObject(known)) return text
  return text
    .replaceAll(/"call_?[iI]d\\?":\\?"[\w-]{16,64}/g, '"callId":"random')
    .replaceAll(/calls\/[\w-]{16,64}\/answer/g, 'calls/random/answer')
}

test('an agent gets the same answers with execute called directly and through its door', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 6 }), async (steps) => {
      const [first, second] = [await makeWorldWithSkills(), await makeWorldWithSkills()]
      const [direct, byEvent] = [doorOf(first.world), doorByEvent(second.world)]
      for (const step of steps) {
        const [one, other] = [
          await seen(direct, first.world, step, first.ada),
          await seen(byEvent, second.world, step, second.ada),
        ]
        expect(one).toEqual(other)
      }
    }),
    { numRuns: RUNS },
  )
})
