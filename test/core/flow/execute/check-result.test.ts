import { describe, expect, test } from 'vitest'
import { schemas } from '../../../../adapters/formats/json-schema.ts'
import { NO_MASK } from '../../../../core/call/mask.ts'
import { checkResult } from '../../../../core/flow/execute/check-result.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { readSkill } from '../../../../core/skills/read-skill.ts'
import { response } from '../../call/responses.ts'
import { okOf, skillJson } from '../world.ts'

const PORTS = { schemas: schemas() }
const NUMBERS = { type: 'array', items: { type: 'integer' } }
const MCP = { response: { as: 'mcp' } }
const CITY = { type: 'object', properties: { t: { type: 'number' } }, required: ['t'] }

function judged(outputSchema: JsonObject | undefined, body: string, config: JsonObject = {}) {
  const { skill } = okOf(readSkill(skillJson('sg_x', { config }), { prefix: 'sg' }))
  const how = { args: {}, capabilities: {}, mask: NO_MASK, nowMs: 0, sentSecrets: false }
  return checkResult(PORTS, response(body), { ...skill, outputSchema }, how)
}

function failure(detail: string, excerpt: string) {
  return {
    ok: false,
    error: { code: 'upstream_failed', upstreamFault: 'unreadable', detail, excerpt },
  }
}

describe('a skill with an output schema', () => {
  // Holds: CALL-5
  test('a skill with an output schema passes on a result that fits it', () => {
    expect(judged(CITY, '{"t":1.5}')).toMatchObject({
      ok: true,
      value: { structuredContent: { t: 1.5 }, content: [{ type: 'text', text: '{"t":1.5}' }] },
    })
  })

  test('a skill with an output schema may describe a value that is not an object', () => {
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
  test('a skill with an output schema fails with the place of the first fault when the result does not fit', () => {
    expect(judged(CITY, '{"t":"warm"}')).toMatchObject({
      ok: false,
      error: {
        code: 'upstream_failed',
        detail: expect.stringMatching(
          /^The upstream's answer does not fit meta.output_schema of the skill: at \/t .+\.$/,
        ),
      },
    })
    expect(judged(CITY, '{"t":"warm"}')).not.toMatchObject({
      error: { detail: expect.stringContaining('warm') },
    })
  })

  // Holds: CALL-5
  test.each([
    ['text', 'warm', { response: { as: 'text' } }],
    ['an MCP result without it', '{"content":[{"type":"text","text":"x"}]}', MCP],
  ])('a skill with an output schema fails when the upstream answers %s', (_, body, config) => {
    expect(judged(CITY, body, config)).toEqual(
      failure(
        "The upstream's answer has no structured content, which meta.output_schema of the skill promises.",
        body,
      ),
    )
  })

  test('a skill with an output schema judges the structured content of an MCP upstream', () => {
    expect(judged(NUMBERS, '{"content":[],"structuredContent":[1]}', MCP).ok).toBe(true)
    expect(judged(NUMBERS, '{"content":[],"structuredContent":["1"]}', MCP).ok).toBe(false)
  })

  test('a skill with an output schema reports the failure of its upstream, not that the error does not fit', () => {
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
