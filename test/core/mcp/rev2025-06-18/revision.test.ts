import { expect, test } from 'vitest'
import { REVISION_2025_06_18 as REVISION } from '../../../../core/mcp/rev2025-06-18/revision.ts'
import { BLOCKS, called, listed, PLAIN, SERVER, WEATHER } from '../tools.ts'

test('initialize answers 2025-06-18', () => {
  expect(REVISION.results.initialize(SERVER, false)).toMatchObject({
    protocolVersion: '2025-06-18',
  })
})

// Holds: LIST-15
test('an entry has title, output schema, hints, price and latency; no icons', () => {
  expect(listed(REVISION, [WEATHER])).toEqual({
    tools: [
      {
        name: 'sg_weather',
        title: 'Weather',
        description: 'Weather of a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' }, any: {} } },
        outputSchema: { type: 'object', properties: { c: { type: 'number' }, no: { not: {} } } },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
        _meta: {
          'skillgate/price': {
            credits: 0.5,
            refund:
              'A call that fails, is cancelled or is stopped by its time limit is refunded in full.',
          },
          'skillgate/latency': { typicalMs: 20, timeoutMs: 5_000 },
        },
      },
    ],
  })
})

// Holds: LIST-5
test('a plain entry has only required members and a price of 0', () => {
  expect(listed(REVISION, [PLAIN])).toEqual({
    tools: [
      {
        name: 'sg_plain',
        description: 'Does it.',
        inputSchema: { type: 'object', properties: {} },
        _meta: { 'skillgate/price': { credits: 0, refund: 'Calls are free.' } },
      },
    ],
  })
})

// Holds: LIST-17
test('an output schema of anything but objects is left out, and the entry stays', () => {
  for (const outputSchema of [{ type: 'array' }, {}, { type: ['object'] }, { type: 'string' }]) {
    const { tools } = listed(REVISION, [{ ...PLAIN, outputSchema }]) as { tools: object[] }
    expect(tools[0]).not.toHaveProperty('outputSchema')
  }
})

test('every block goes out as it is', () => {
  expect(called(REVISION, { content: BLOCKS })).toEqual({ content: BLOCKS, isError: false })
})

// Holds: CALL-9
test('structured content is an object, or left out', () => {
  expect(called(REVISION, { structuredContent: { c: 21 } })).toEqual({
    content: [],
    structuredContent: { c: 21 },
    isError: false,
  })
  for (const structuredContent of [[1], 'x', 7, true, null]) {
    expect(called(REVISION, { structuredContent })).toEqual({ content: [], isError: false })
  }
})

test('a micro-credit is a price of 0.000001', () => {
  expect(listed(REVISION, [{ ...PLAIN, priceMicroCredits: 1 }])).toMatchObject({
    tools: [{ _meta: { 'skillgate/price': { credits: 0.000001 } } }],
  })
})
