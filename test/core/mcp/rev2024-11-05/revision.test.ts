import { describe, expect, test } from 'vitest'
import { REVISION_2024_11_05 as REVISION } from '../../../../core/mcp/rev2024-11-05/revision.ts'
import { BLOCKS, called, listed, PLAIN, SERVER, WEATHER } from '../tools.ts'

// Holds: LIFE-1, LIST-1
test('initialize answers 2024-11-05, whether tools can change, the server’s name and how to use it', () => {
  expect(REVISION.results.initialize(SERVER, true)).toEqual({
    protocolVersion: '2024-11-05',
    capabilities: {
      tools: { listChanged: true },
      resources: {},
      prompts: {},
      extensions: {
        'io.modelcontextprotocol/skills': { directoryRead: true },
        'io.modelcontextprotocol/ui': {},
      },
      experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
    },
    serverInfo: { name: 'skillgate', version: '1.2.3' },
    instructions: 'Call tools.',
  })
  expect(REVISION.results.initialize(SERVER, false)).toMatchObject({
    capabilities: {
      tools: { listChanged: false },
      experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
    },
  })
})

test('ping is answered by an empty result', () => {
  expect(REVISION.results.empty(SERVER)).toEqual({})
})

test('the revision throws for results of requests that it does not have', () => {
  expect(() =>
    REVISION.results.discover(SERVER, [], { listChanged: false, extensions: [] }),
  ).toThrow('no such request')
})

describe('tools/list', () => {
  // Holds: LIST-13, LIST-18
  test('an entry has name, description and inputSchema and nothing else', () => {
    expect(listed(REVISION, [WEATHER])).toEqual({
      tools: [
        {
          name: 'sg_weather',
          description: 'Weather of a city.',
          inputSchema: { type: 'object', properties: { city: { type: 'string' }, any: {} } },
        },
      ],
    })
  })

  // Holds: LIST-5
  test('a next cursor is present only when there is a next page', () => {
    expect(listed(REVISION, [], 'abc')).toEqual({ tools: [], nextCursor: 'abc' })
    expect(listed(REVISION, [])).toEqual({ tools: [] })
  })

  test('the rest of a schema survives verbatim, and an entry is written as it always was', () => {
    const inputSchema = JSON.parse(
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",' +
        '"properties":{"a":{"$anchor":"a","items":true}},"$defs":{"a":true},' +
        '"allOf":[{"if":{},"then":false}],"additionalProperties":false}',
    )
    expect(JSON.stringify(listed(REVISION, [{ ...PLAIN, inputSchema }]))).toBe(
      '{"tools":[{"name":"sg_plain","description":"Does it.","inputSchema":{"$schema":' +
        '"https://json-schema.org/draft/2020-12/schema","type":"object","properties":' +
        '{"a":{"$anchor":"a","items":true}},"$defs":{"a":true},' +
        '"allOf":[{"if":{},"then":false}],"additionalProperties":false}}]}',
    )
  })
})

describe('tools/call', () => {
  // Holds: CALL-10
  test('structured content is left out, isError never', () => {
    expect(called(REVISION, { content: [], structuredContent: { c: 21 } })).toEqual({
      content: [],
      isError: false,
    })
  })

  test('the cost of a call is in _meta, beside content that stays the tool’s own', () => {
    const credits = { charged: 0.5, refunded: 0, remaining: 99.5 }
    expect(called(REVISION, { credits, isError: true })).toEqual({
      content: [],
      isError: true,
      _meta: { 'skillgate/credits': { charged: 0.5, refunded: 0, remaining: 99.5 } },
    })
  })

  // Holds: CALL-7
  test('audio becomes a resource and links become text, since it has no such blocks', () => {
    expect(called(REVISION, { content: BLOCKS })).toEqual({
      content: [
        { type: 'text', text: '21 °C' },
        { type: 'image', data: 'AAEC', mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'skillgate://calls/-/answer/2',
            mimeType: 'audio/wav',
            blob: 'AAECAw==',
          },
        },
        { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'x' } },
        { type: 'resource', resource: { uri: 'note://2', blob: 'AAEC' } },
        { type: 'text', text: 'The one: https://a.example/1' },
        { type: 'text', text: 'two: https://a.example/2' },
      ],
      isError: false,
    })
  })
})

test('progress has no message; list_changed has no params', () => {
  const { progress, toolsListChanged } = REVISION.notifications
  expect(progress({ token: '0', progress: 1, total: 15, message: 'm' })).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1,"total":15}}',
  )
  expect(toolsListChanged(undefined)).toBe(
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  )
})
