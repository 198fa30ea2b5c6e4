import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'
import { readAnnotations, readTool } from '../../../core/skills/read-tool.ts'
import type { HttpMethod } from '../../../core/skills/skill.ts'
import { deriveAnnotations, toTool } from '../../../core/skills/skill-tool.ts'

/** As letters: reads only, destructive, idempotent. */
function hints(method: HttpMethod, ...tags: readonly string[]): string {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = deriveAnnotations({
    method,
    tags,
  })
  expect(openWorldHint).toBe(true)
  const letters = [readOnlyHint && 'r', destructiveHint && 'd', idempotentHint && 'i']
  return letters.filter((one) => one !== false).join('')
}

describe('the hints of a tool', () => {
  test.each([
    ['GET', 'ri'],
    ['HEAD', 'ri'],
    ['PUT', 'di'],
    ['DELETE', 'di'],
    ['POST', 'd'],
    ['PATCH', 'd'],
  ] as const)('by %s are %j', (method, said) => {
    expect(hints(method)).toBe(said)
  })

  test.each([
    ['POST', ['read-only'], 'ri'],
    ['POST', ['Idempotent'], 'di'],
    ['POST', ['destructive'], 'd'],
    ['GET', ['destructive'], 'di'],
    ['DELETE', ['read-only'], 'ri'],
    ['POST', ['read-only', 'destructive'], 'd'],
    ['POST', ['readonly', 'weather'], 'd'],
  ] as const)('by %s and the tags %j are %j', (method, tags, said) => {
    expect(hints(method, ...tags)).toBe(said)
  })
})

describe('the hints that an author says', () => {
  const said = (method: HttpMethod, annotations: object, tags: readonly string[] = []) =>
    deriveAnnotations({ method, tags, annotations })

  test.each([
    ['POST', { destructiveHint: false }, [false, false, false, true]],
    ['POST', { readOnlyHint: true }, [true, false, true, true]],
    ['GET', { readOnlyHint: false }, [false, true, true, true]],
    ['GET', { destructiveHint: true }, [false, true, true, true]],
    ['POST', { readOnlyHint: true, destructiveHint: true }, [false, true, false, true]],
    ['PUT', { idempotentHint: false, openWorldHint: false }, [false, true, false, false]],
  ] as const)('the hints of a tool by %s whose author says %j', (method, own, expected) => {
    const hint = said(method, own)
    expect([
      hint.readOnlyHint,
      hint.destructiveHint,
      hint.idempotentHint,
      hint.openWorldHint,
    ]).toEqual(expected)
  })

  test('a tag destructive wins over a hint that says otherwise', () => {
    expect(said('POST', { destructiveHint: false }, ['destructive']).destructiveHint).toBe(true)
  })

  test('a skill has the hints of its meta.annotations, and one that is no boolean is a fault', () => {
    const withHints = (annotations: JsonObject) =>
      readSkill({ ...DEFINITION, meta: { ...DEFINITION.meta, annotations } }, { prefix: 'sg' })
    const read = withHints({ destructiveHint: true, title: 'x' })
    if (!read.ok) throw new Error(read.error.detail)
    expect(toTool(read.value.skill, 'sg_x').annotations).toMatchObject({
      destructiveHint: true,
    })
    expect(read.value.warnings).toContainEqual(expect.stringContaining('/meta/annotations/title'))
    const refused = withHints({ readOnlyHint: 'yes' })
    expect(refused.ok ? [] : refused.error.faults).toEqual([
      { pointer: '/meta/annotations/readOnlyHint', message: 'must be true or false' },
    ])
  })
})

const DEFINITION = {
  id: 'sg_x',
  source: 'official',
  meta: {
    name: 'X',
    description: 'does x',
    emoji: '🌦️',
    tags: ['weather'],
    parameters: { type: 'object' },
  },
  config: { endpoint: 'https://a.example/', timeout_ms: 5_000 },
  credits_per_call: 2.5,
}

test('a tool has the fields of its skill, and reads back from JSON unchanged, fields in one order', () => {
  const read = readSkill(DEFINITION, { prefix: 'sg' })
  if (!read.ok) throw new Error(read.error.detail)
  const skill = { ...read.value.skill, outputSchema: { type: 'object' }, typicalMs: 120 }
  const tool = toTool(skill, 'sg_x')
  expect(tool).toMatchObject({
    emoji: '🌦️',
    tags: ['weather'],
    typicalMs: 120,
    timeoutMs: 5_000,
    outputSchema: { type: 'object' },
  })
  const text = JSON.stringify(tool)
  expect(JSON.stringify(readTool(JSON.parse(text)))).toBe(text)
})

describe('a stored entry', () => {
  const entry = { name: 'sg_x', description: 'd', inputSchema: {}, priceMicroCredits: 0 }

  test.each([
    null,
    'x',
    [],
    { ...entry, name: 1 },
    { ...entry, description: null },
    { ...entry, inputSchema: [] },
    { ...entry, priceMicroCredits: '1' },
  ])('the value %j is no stored entry', (value) => {
    expect(readTool(value)).toBeUndefined()
  })

  test('loses fields of the wrong type', () => {
    const odd = {
      tags: ['a', 1],
      annotations: { readOnlyHint: 'yes' },
      outputSchema: [],
      emoji: 1,
      title: null,
    }
    expect(readTool({ ...entry, ...odd })).toEqual({
      ...entry,
      title: undefined,
      skillId: undefined,
    })
  })

  test('has the default hints of MCP where it gives none', () => {
    expect(readAnnotations({})).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(readAnnotations({ openWorldHint: 1 })).toBeUndefined()
    expect(readAnnotations(null)).toBeUndefined()
  })
})
