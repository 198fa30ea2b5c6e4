import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import {
  callResult,
  initializeResult,
  listResult,
} from '../../../core/mcp/rev2024-11-05/results.ts'
import { textResult } from '../../../core/mcp/text-result.ts'
import type { Tool } from '../../../core/skills/skill.ts'

function tool(inputSchema: JsonObject): Tool {
  return {
    name: 'sg_weather',
    title: 'Weather',
    description: 'Weather of a city.',
    inputSchema,
    skillId: 'sg_weather',
    priceMicroCredits: 500_000,
  }
}

test('initialize answers 2024-11-05, tools that can change, who we are and how to use it', () => {
  expect(
    initializeResult({ name: 'skillgate', version: '0.1.0', instructions: 'Call tools.' }),
  ).toEqual({
    protocolVersion: '2024-11-05',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'skillgate', version: '0.1.0' },
    instructions: 'Call tools.',
  })
})

describe('tools/list', () => {
  test('an entry has name, description and inputSchema and nothing else', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    expect(JSON.stringify(listResult([tool(schema)]))).toBe(
      '{"tools":[{"name":"sg_weather","description":"Weather of a city.","inputSchema":' +
        '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}',
    )
  })

  test('a next cursor stands there only when there is a next page', () => {
    expect(listResult([], 'abc')).toEqual({ tools: [], nextCursor: 'abc' })
    expect(Object.keys(listResult([]))).toEqual(['tools'])
  })

  test('the rest of a schema survives verbatim', () => {
    const schema: JsonObject = JSON.parse(
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",' +
        '"$defs":{"a":true},"allOf":[{"if":{},"then":false}],"additionalProperties":false}',
    )
    expect(listResult([tool(schema)])).toMatchObject({ tools: [{ inputSchema: schema }] })
  })

  test('boolean schemas of properties become objects, which the official client accepts', () => {
    const schema = {
      type: 'object',
      properties: { any: true, none: false, some: { items: true } },
    }
    const result = listResult([tool(schema)])
    expect(result).toMatchObject({
      tools: [
        { inputSchema: { properties: { any: {}, none: { not: {} }, some: { items: true } } } },
      ],
    })
    expect(
      ListToolsResultSchema.safeParse({ tools: [{ name: 'a', inputSchema: schema }] }).success,
    ).toBe(false)
    expect(ListToolsResultSchema.safeParse(result).success).toBe(true)
  })
})

describe('tools/call', () => {
  test('a text result is one block', () => {
    expect(textResult('cut after 15 s', true)).toEqual({
      content: [{ type: 'text', text: 'cut after 15 s' }],
      isError: true,
    })
  })

  test('what the call cost stands in _meta, beside content that stays the tool’s own', () => {
    const credits = { charged: 0.5, refunded: 0, remaining: 99.5 }
    expect(callResult({ ...textResult('21 °C', false), credits })).toEqual({
      content: [{ type: 'text', text: '21 °C' }],
      isError: false,
      _meta: { 'skillgate/credits': { charged: 0.5, refunded: 0, remaining: 99.5 } },
    })
  })

  test('structured content is left out, isError never', () => {
    expect(callResult({ ...textResult('21 °C', false), structuredContent: { c: 21 } })).toEqual({
      content: [{ type: 'text', text: '21 °C' }],
      isError: false,
    })
  })
})
