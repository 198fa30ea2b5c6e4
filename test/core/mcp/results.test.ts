import { CallToolResultSchema, ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import type { ContentBlock } from '../../../core/mcp/content.ts'
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

  test('text, images and embedded resources go out as they are', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: '21 °C' },
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'x' } },
      { type: 'resource', resource: { uri: 'note://2', blob: 'AAEC' } },
    ]
    const result = callResult({ content, isError: false })
    expect(result).toEqual({ content, isError: false })
    expect(CallToolResultSchema.safeParse(result).success).toBe(true)
  })

  test.each<[string, ContentBlock, string]>([
    [
      'audio',
      { type: 'audio', data: 'AAECAw==', mimeType: 'audio/wav' },
      '[audio/wav, 4 bytes, left out: MCP 2024-11-05 carries no audio. POST /v1/execute answers it whole.]',
    ],
    [
      'a link with a title',
      { type: 'resource_link', uri: 'https://a.example/1', name: 'one', title: 'The one' },
      'The one: https://a.example/1',
    ],
    [
      'a link',
      { type: 'resource_link', uri: 'https://a.example/1', name: 'one' },
      'one: https://a.example/1',
    ],
  ])('%s, which 2024-11-05 does not know, is told in words', (_, block, text) => {
    expect(callResult({ content: [block], isError: false })).toEqual({
      content: [{ type: 'text', text }],
      isError: false,
    })
  })
})
