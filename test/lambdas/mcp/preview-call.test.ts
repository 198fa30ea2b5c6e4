/** sg_preview_call in each revision over Streamable HTTP: listed and called like other tools, and charged nothing. */
import { beforeEach, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { BEARER, setFor } from '../../core/flow/execute/calls-with-secrets.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from './agent.ts'

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
/** The revision, and whether its results have `structuredContent`. */
const REVISIONS = [
  ['2024-11-05', false],
  ['2025-03-26', false],
  ['2025-06-18', true],
  ['2025-11-25', true],
  ['2026-07-28', true],
] as const
const SECRET = 'a-secret-of-ada'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld({ ...SETTINGS, previewCalls: true })
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_weather', { config: BEARER, parameters: PARAMETERS, price: 2 })
  await setFor(world, 'ada', { API_KEY: SECRET })
})

function send(version: string, method: string, params: JsonObject, at: StreamingHandler = door) {
  const sent =
    version === '2026-07-28' ? modern(method, params) : legacy(method, params, { version })
  return post(at, withKey(ada, sent))
}

const preview = (args: JsonObject) => ({
  name: 'sg_preview_call',
  arguments: { tool: 'sg_weather', arguments: args },
})

type Result = {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: JsonObject
}

test.each(REVISIONS)('in %s the tool is listed with its schema', async (version) => {
  const { tools } = (await send(version, 'tools/list', {})).json()['result'] as {
    tools: JsonObject[]
  }
  expect(tools.find(({ name }) => name === 'sg_preview_call')).toMatchObject({
    inputSchema: { type: 'object', required: ['tool'], additionalProperties: false },
  })
})

test.each(REVISIONS)(
  'in %s the tool tells price and masked request, and sends nothing',
  async (version, isStructured) => {
    for (const at of [door, doorByEvent(world)]) {
      const out = await send(version, 'tools/call', preview({ city: 'Oslo' }), at)
      const result = out.json()['result'] as Result
      const shown = { tool: 'sg_weather', price: 2, credits: 100, wouldRun: true }
      expect(result.isError ?? false).toBe(false)
      expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject(shown)
      if (isStructured) expect(result.structuredContent).toMatchObject(shown)
      else expect(result).not.toHaveProperty('structuredContent')
      expect(out.text).toContain('[secret API_KEY]')
      expect(out.text).not.toContain(SECRET)
    }
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  },
)

test.each(REVISIONS)(
  'in %s faulty arguments of the other tool are its reason, not an error',
  async (version) => {
    const result = (await send(version, 'tools/call', preview({}))).json()['result'] as Result
    expect(result.isError ?? false).toBe(false)
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      wouldRun: false,
      problems: [{ code: 'invalid_arguments' }],
    })
  },
)

test.each(REVISIONS)(
  'in %s the tool is neither listed nor called where the operator has not let it',
  async (version) => {
    world = makeWorld()
    door = doorOf(world)
    ada = await world.user('ada')
    expect((await send(version, 'tools/list', {})).text).not.toContain('preview_call')
    expect((await send(version, 'tools/call', preview({}))).json()).toMatchObject({
      error: { code: -32602 },
    })
  },
)

test.each(REVISIONS)(
  'in %s a tool that the caller does not have is an error that names it',
  async (version) => {
    const params = { name: 'sg_preview_call', arguments: { tool: 'sg_nobody' } }
    const result = (await send(version, 'tools/call', params)).json()['result'] as Result
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0]?.text).toContain('there is no skill named "sg_nobody"')
  },
)
