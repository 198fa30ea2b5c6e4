import { CallToolResultSchema, InitializeResultSchema } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import type { ContentBlock, ToolResult } from '../../../core/mcp/content.ts'
import { STREAMABLE_REVISIONS } from '../../../core/mcp/revisions.ts'
import { called, SERVER } from './tools.ts'

const BASE64 = ['AAEC', 'AAECAw==', '']
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const mimeType = fc.constantFrom('image/png', 'audio/wav', 'text/plain')
const data = fc.constantFrom(...BASE64)
const uri = fc.constantFrom('https://a.example/1', 'note://2')
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constantFrom('image' as const, 'audio' as const), data, mimeType }),
  fc.record({
    type: fc.constant('resource' as const),
    resource: fc.oneof(fc.record({ uri, text, mimeType }), fc.record({ uri, blob: data })),
  }),
  fc.record({ type: fc.constant('resource_link' as const), uri, name: text }),
  fc.record({
    type: fc.constant('resource_link' as const),
    uri,
    name: text,
    title: text,
    description: text,
    mimeType,
  }),
)
const result: fc.Arbitrary<ToolResult> = fc.record(
  {
    content: fc.array(block, { maxLength: 4 }),
    isError: fc.boolean(),
    structuredContent: fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value))),
    credits: fc.constant({ charged: 0.5, refunded: 0, remaining: 1 }),
  },
  { requiredKeys: ['content', 'isError'] },
)
const LEGACY = STREAMABLE_REVISIONS.filter(({ era }) => era === 'legacy')

/** Blocks that each revision has, from its schema. */
const BLOCKS_OF: { readonly [version: string]: readonly string[] } = {
  '2024-11-05': ['text', 'image', 'resource'],
  '2025-03-26': ['text', 'image', 'resource', 'audio'],
  '2025-06-18': ['text', 'image', 'resource', 'audio', 'resource_link'],
  '2025-11-25': ['text', 'image', 'resource', 'audio', 'resource_link'],
}

describe.each(LEGACY)('the answers of $version', (revision) => {
  test('the official client accepts the answer to any call', () => {
    fc.assert(
      fc.property(result, (made) => {
        const parsed = CallToolResultSchema.safeParse(called(revision, made))
        expect(parsed.error).toBeUndefined()
        const types = new Set(parsed.data?.content.map(({ type }) => type))
        const known = new Set(BLOCKS_OF[revision.version])
        expect([...types].filter((type) => !known.has(type))).toEqual([])
      }),
      { seed: 20_241_105, numRuns: 300 },
    )
  })

  test('the official client accepts the answer to initialize', () => {
    const made = revision.results.initialize(SERVER, false)
    expect(InitializeResultSchema.safeParse(made).success).toBe(true)
  })
})
