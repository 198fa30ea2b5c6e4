import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../../adapters/formats/json-schema.ts'
import { checkResult } from '../../../../core/flow/execute/check-result.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeMask, NO_MASK } from '../../../../core/response/mask.ts'
import { readSkill } from '../../../../core/skills/definition/read-skill.ts'
import { response } from '../../response/responses.ts'
import { okOf, skillJson } from '../world.ts'

const PORTS = { schemas: makeSchemasWithPatterns() }
const NUMBERS = { type: 'array', items: { type: 'integer' } }
const MCP = { response: { as: 'mcp' } }
const CITY = { type: 'object', properties: { t: { type: 'number' } }, required: ['t'] }

function judged(
  outputSchema: JsonObject | undefined,
  body: string,
  config: JsonObject = {},
  status = 200,
) {
  const { skill } = okOf(readSkill(skillJson('sg_x', { config }), { prefix: 'sg' }))
  const how = {
    args: {},
    callId: 'call',
    capabilities: {},
    mask: NO_MASK,
    nowMs: 0,
    sentSecrets: false,
  }
  return checkResult(PORTS, response(body, { status }), { ...skill, outputSchema }, how)
}

/** The answer as text behind a note, without structured content. */
function shown(note: string, body: string) {
  const texts = [`${note} The whole answer follows as text. Do not call again to repeat the work.`]
  const content = [...texts, body].map((text) => ({ type: 'text', text }))
  return { ok: true, value: { content, isError: true, outside: true } }
}

describe('a skill with an output schema', () => {
  // Holds: CALL-5
  test('passes on a result that fits it', () => {
    expect(judged(CITY, '{"t":1.5}')).toMatchObject({
      ok: true,
      value: { structuredContent: { t: 1.5 }, content: [{ type: 'text', text: '{"t":1.5}' }] },
    })
  })

  test('may describe a value that is not an object', () => {
    expect(judged(NUMBERS, '[1,2]')).toEqual({
      ok: true,
      value: {
        structuredContent: [1, 2],
        content: [{ type: 'text', text: '[1,2]' }],
        isError: false,
      },
    })
    expect(judged({ type: 'null' }, 'null')).toMatchObject({ value: { structuredContent: null } })
  })

  // Holds: CALL-5
  test('shows an answer that does not fit as text, behind the place of its first fault', () => {
    expect(judged(CITY, '{"t":"warm"}')).toEqual(
      shown(
        'The service did the work and answered 200, but its answer does not fit the output schema of this tool: at /t must be of type number.',
        '{"t":"warm"}',
      ),
    )
  })

  // Holds: CALL-5
  test.each([
    ['text', 'warm', { response: { as: 'text' } }, 'warm'],
    ['an MCP result without it', '{"content":[{"type":"text","text":"x"}]}', MCP, 'x'],
    ['no body', '', {}, 'The upstream answered 200 with an empty body.'],
  ])('shows the answer as text when the upstream answers %s', (_, body, config, text) => {
    expect(judged(CITY, body, config)).toEqual(
      shown(
        'The service did the work and answered 200, but its answer has no structured content, which the output schema of this tool promises.',
        text,
      ),
    )
  })

  test('does not claim that work was done for a status that is an answer', () => {
    const config = { response: { ok_statuses: [404] } }
    const checked = judged(CITY, '{"error":"none"}', config, 404)
    const text = expect.stringMatching(
      /^The service answered 404, but its answer does not fit .+ The whole answer follows as text\.$/,
    )
    expect(checked).toMatchObject({
      ok: true,
      value: { isError: true, content: [{ text }, {}, {}] },
    })
  })

  test('shows an answer whose numbers clients would change as text', () => {
    const note =
      'The service did the work and answered 200, but its answer has numbers with more digits than clients keep in structured content; copy them from the text.'
    const body = '{"t":9007199254740993}'
    expect(judged(CITY, body)).toEqual(shown(note, body))
    const inside = '{"content":[],"structuredContent":{"t":1.00000000000000000001}}'
    expect(judged(CITY, inside, MCP)).toEqual(shown(note, '{"t":1.00000000000000000001}'))
  })

  test('judges the structured content of an MCP upstream', () => {
    expect(judged(NUMBERS, '{"content":[],"structuredContent":[1]}', MCP).ok).toBe(true)
    expect(judged(NUMBERS, '{"content":[],"structuredContent":["1"]}', MCP)).toMatchObject({
      value: { isError: true, content: [{}, { text: '["1"]' }] },
    })
  })

  test('reports the failure of its upstream, not that the error does not fit', () => {
    const body = '{"content":[{"type":"text","text":"no such city"}],"isError":true}'
    expect(judged(CITY, body, MCP)).toEqual({
      ok: false,
      error: {
        code: 'upstream_failed',
        detail: 'The tool reported an error: no such city',
        upstreamFault: 'reported',
        excerpt: '{"content":[{"type":"text","text":"no such city"}],"isError":true}',
      },
    })
  })
})

test('a skill without an output schema gives only objects as structured content', () => {
  expect(judged(undefined, '[1,2]')).toEqual({
    ok: true,
    value: { content: [{ type: 'text', text: '[1,2]' }], isError: false },
  })
})

describe('an answer that cannot be read', () => {
  const created = (method: string, body: string | Uint8Array, mediaType = 'application/json') => {
    const config = { method, response: { as: 'json' } }
    const { skill } = okOf(readSkill(skillJson('sg_x', { config }), { prefix: 'sg' }))
    const mask = makeMask([['KEY', 'abcd1234']])
    const how = { args: {}, callId: 'call', capabilities: {}, mask, nowMs: 0, sentSecrets: true }
    return checkResult(PORTS, response(body, { status: 201, mediaType }), skill, how)
  }
  const WARNED = 'The service may have done the work anyway: check that before you call again.'

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'warns that a %s may have done its work, and quotes it without secrets',
    (method) => {
      expect(created(method, 'created order 4711 for abcd1234')).toMatchObject({
        ok: false,
        error: {
          upstreamFault: 'unreadable',
          detail: expect.stringMatching(
            new RegExp(`${WARNED} It said: created order 4711 for \\[secret KEY\\]$`),
          ),
        },
      })
    },
  )

  test('is not quoted where it is binary, and a GET warns of nothing', () => {
    const binary = created('POST', new Uint8Array([0, 1, 2]), 'application/octet-stream')
    expect(binary).toMatchObject({ error: { detail: expect.stringMatching(/call again\.$/) } })
    const read = created('GET', 'order 4711')
    expect(read).not.toMatchObject({ error: { detail: expect.stringContaining('work') } })
  })
})
