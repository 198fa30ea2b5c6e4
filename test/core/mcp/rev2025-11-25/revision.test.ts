import { expect, test } from 'vitest'
import { REVISION_2025_11_25 as REVISION } from '../../../../core/mcp/rev2025-11-25/revision.ts'
import { BLOCKS, called, listed, PLAIN, SERVER, WEATHER } from '../tools.ts'

test('initialize answers 2025-11-25', () => {
  expect(REVISION.results.initialize(SERVER, false)).toMatchObject({
    protocolVersion: '2025-11-25',
  })
})

// Holds: LIST-14, LIST-16
test('an entry has icons, made of its emoji; else it is as before', () => {
  const { tools } = listed(REVISION, [WEATHER]) as { tools: object[] }
  expect(Object.keys(tools[0] ?? {})).toEqual([
    'name',
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    'annotations',
    'icons',
    '_meta',
  ])
  expect(tools[0]).toMatchObject({
    icons: [
      {
        src: expect.stringMatching(/^data:image\/svg\+xml,%3Csvg%20.*%3E%F0%9F%8C%A6%3C%2Ftext%3E/),
        mimeType: 'image/svg+xml',
        sizes: ['any'],
      },
    ],
  })
})

test('an entry without an emoji has no icons', () => {
  for (const emoji of [undefined, '']) {
    const { tools } = listed(REVISION, [{ ...PLAIN, emoji }]) as { tools: object[] }
    expect(tools[0]).not.toHaveProperty('icons')
  }
})

test('an emoji becomes text of the picture, never markup', () => {
  const page = listed(REVISION, [{ ...PLAIN, emoji: '<a b="&\'">' }])
  const src = /"src":"data:image\/svg\+xml,([^"]+)"/.exec(JSON.stringify(page))?.[1] ?? ''
  expect(decodeURIComponent(src)).toBe(
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><text y='.9em' font-size='90'>" +
      '&lt;a b=&quot;&amp;&#39;&quot;&gt;</text></svg>',
  )
})

// Holds: CALL-9
test('every block and structured content of objects go out as they are', () => {
  expect(called(REVISION, { content: BLOCKS, structuredContent: { c: 1 } })).toEqual({
    content: BLOCKS,
    structuredContent: { c: 1 },
    isError: false,
  })
})
