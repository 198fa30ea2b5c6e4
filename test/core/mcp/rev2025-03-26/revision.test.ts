import { expect, test } from 'vitest'
import { REVISION_2025_03_26 as REVISION } from '../../../../core/mcp/rev2025-03-26/revision.ts'
import { BLOCKS, called, listed, PLAIN, SERVER, WEATHER } from '../tools.ts'

test('initialize answers 2025-03-26', () => {
  expect(REVISION.results.initialize(SERVER, false)).toMatchObject({
    protocolVersion: '2025-03-26',
    capabilities: {
      tools: { listChanged: false },
      experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
    },
  })
})

// Holds: LIST-14
test('an entry has hints, the title among them; no output schema, no icons, no _meta', () => {
  expect(listed(REVISION, [WEATHER])).toEqual({
    tools: [
      {
        name: 'sg_weather',
        description: 'Weather of a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' }, any: {} } },
        annotations: {
          title: 'Weather',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
    ],
  })
})

test('an entry without hints and title has no annotations', () => {
  expect(listed(REVISION, [PLAIN])).toEqual({
    tools: [
      {
        name: 'sg_plain',
        description: 'Does it.',
        inputSchema: { type: 'object', properties: {} },
      },
    ],
  })
})

// Holds: CALL-8
test('audio goes out unchanged, links as text, structured content not at all', () => {
  expect(called(REVISION, { content: BLOCKS.slice(2), structuredContent: { a: 1 } })).toEqual({
    content: [
      { type: 'audio', data: 'AAECAw==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'x' } },
      { type: 'resource', resource: { uri: 'note://2', blob: 'AAEC' } },
      { type: 'text', text: 'The one: https://a.example/1' },
      { type: 'text', text: 'two: https://a.example/2' },
    ],
    isError: false,
  })
})

// Holds: PROG-5
test('progress has a message, and its token is as it was posted', () => {
  const token = '12345678901234567890'
  expect(REVISION.notifications.progress({ token, progress: 1, total: 15, message: '"1" s' })).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":12345678901234567890,"progress":1,"total":15,"message":"\\"1\\" s"}}',
  )
})
