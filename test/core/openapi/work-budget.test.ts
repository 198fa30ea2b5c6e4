/** What one document may take: places of overlays, bytes that they add, patterns of selections, and parts that are shared. */
import { describe, expect, test } from 'vitest'
import { makeOpenApiDocuments } from '../../../adapters/formats/openapi-text.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { importTools } from '../../../core/openapi/import-tools.ts'
import {
  DOCUMENT_STEPS_MAX,
  OVERLAY_BYTES_MAX,
  PARAMETERS_MAX,
} from '../../../core/openapi/limits.ts'
import { applyOverlay } from '../../../core/openapi/overlay.ts'
import { matchesGlob } from '../../../core/openapi/selection.ts'
import {
  makeBudget,
  spend,
  type WorkBudget,
  withinBudget,
} from '../../../core/openapi/work-budget.ts'
import { okOf, refusalOf } from '../flow/world.ts'

const overlay = (...actions: JsonObject[]): JsonObject => ({ overlay: '1.0.0', actions })

describe('overlays', () => {
  test('an overlay changes a place once that its target names in several ways', () => {
    const document = { a: { a: { a: { list: [1] } } } }
    const applied = okOf(applyOverlay(document, overlay({ target: '$..a..list', update: [2] })))
    expect(applied).toEqual({ a: { a: { a: { list: [1, 2] } } } })
  })

  test('an overlay changes what lies deeper first, and removes several items of a list', () => {
    const document = { a: [{ x: 1 }, { x: 2 }, { x: 1 }], b: { b: {} } }
    const actions = overlay(
      { target: '$.a[?@.x == 1]', remove: true },
      { target: '$..b', update: { y: 1 } },
    )
    expect(okOf(applyOverlay(document, actions))).toEqual({
      a: [{ x: 2 }],
      b: { b: { y: 1 }, y: 1 },
    })
  })

  test('the updates may add 4,000,000 bytes, counted at every place, and not one more', () => {
    const places: JsonObject = { l0: {}, l1: {} }
    const text = (bytes: number) => 'x'.repeat(bytes - '{"a":""}'.length)
    const added = (bytes: number) =>
      applyOverlay(places, overlay({ target: '$.*', update: { a: text(bytes) } }))
    expect(added(OVERLAY_BYTES_MAX / 2).ok).toBe(true)
    const refusal = refusalOf(added(OVERLAY_BYTES_MAX / 2 + 1))
    expect(refusal.code).toBe('invalid_arguments')
    expect(refusal.detail).toContain('makes the updates over 4000000 bytes')
  })

  test('an overlay that visits too many places is refused, and says what to send instead', () => {
    const wide: JsonObject = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, n) => [`n${n}`, {}]),
    )
    const actions = Array.from({ length: 200 }, () => ({ target: '$..none', update: {} }))
    const refusal = refusalOf(applyOverlay(wide, overlay(...actions)))
    expect(refusal.code).toBe('too_large')
    expect(refusal.detail).toContain('overlay: takes over 12000000 steps')
    expect(refusal.detail).toContain('name places directly')
  })
})

describe('budgets', () => {
  test('the budget is 12,000,000 steps, and not one more', () => {
    const all = withinBudget(() => {
      spend(makeBudget(), 'document', 12_000_000)
      return { ok: true, value: 'done' }
    })
    expect(all.ok).toBe(true)
    const more = withinBudget(() => {
      spend(makeBudget(), 'document', DOCUMENT_STEPS_MAX + 1)
      return { ok: true, value: 'done' }
    })
    expect(refusalOf(more).code).toBe('too_large')
  })

  test('the budget lets other errors pass', () => {
    const bug = () => {
      throw new TypeError('a bug')
    }
    expect(() => withinBudget(bug)).toThrow('a bug')
  })
})

describe('patterns of paths', () => {
  const stepsOf = (glob: string, text: string) => {
    let steps = 0
    const isMatch = matchesGlob(glob, text, (more) => {
      steps += more
    })
    return { steps, isMatch }
  }

  test('a pattern matches what the regular expression of its stars matches, for all short texts', () => {
    const texts = wordsOf(['a', 'b', '/'], 4)
    for (const glob of wordsOf(['a', '/', '*'], 4)) {
      const source = glob.replace(/\*\*+/g, '#').replace(/\*/g, '[^/]*').replace(/#/g, '.*')
      const expected = new RegExp(`^${source}$`, 's')
      for (const text of texts)
        expect([glob, text, matchesGlob(glob, text)]).toEqual([glob, text, expected.test(text)])
    }
  })

  test('a pattern takes no more steps than the product of both lengths', () => {
    const { isMatch, steps } = stepsOf('**a*b', 'a/a'.repeat(10_000))
    expect(isMatch).toBe(false)
    expect(steps).toBeLessThanOrEqual(6 * 30_000)
  })
})

describe('tools', () => {
  test('that all have one wide schema take few steps each', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
    )
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Wide' } } }
    const operation = { post: { requestBody: { content }, responses: { 200: { content } } } }
    const document = documentOf(500, operation, {
      components: { schemas: { Wide: { type: 'object', properties } } },
    })
    const budget = makeBudget()
    expect(made(document, budget).tools).toHaveLength(500)
    expect(DOCUMENT_STEPS_MAX - budget.stepsLeft).toBeLessThan(120_000)
  })

  test('that refer to lists of references again and again read each list once', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [
        `S${n}`,
        { allOf: Array.from({ length: 30 }, () => ({ $ref: `#/components/schemas/S${n + 1}` })) },
      ]),
    )
    const last = { type: 'object', properties: { a: { type: 'string' } } }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } }
    const document = documentOf(
      1,
      { post: { requestBody: { content } } },
      {
        components: { schemas: { ...schemas, S8: last } },
      },
    )
    const budget = makeBudget()
    expect(made(document, budget).tools).toHaveLength(1)
    expect(DOCUMENT_STEPS_MAX - budget.stepsLeft).toBeLessThan(10_000)
  })

  test('an operation may have 1,000 parameters to read, and not one more', () => {
    const reasons = (count: number) => {
      const parameters = Array.from({ length: count }, (_, n) => ({ name: `c${n}`, in: 'cookie' }))
      const document = documentOf(1, { get: { operationId: 'one', parameters } })
      return made(document, makeBudget()).notImported.map(({ reason }) => reason)
    }
    expect(reasons(PARAMETERS_MAX)).toEqual([])
    expect(reasons(1_001)).toEqual(['It has 1001 parameters; 1000 are read.'])
  })

  test('operations that share one long text are refused once it is too much', () => {
    const get = { summary: 'x'.repeat(2_000_000) }
    const document = documentOf(
      2_000,
      { $ref: '#/components/pathItems/Item' },
      {
        components: { pathItems: { Item: { get } } },
      },
    )
    const refusal = refusalOf(importTools(document, optionsOf(makeBudget())))
    expect(refusal.code).toBe('too_large')
    expect(refusal.detail).toContain('Select fewer operations')
  })
})

describe('YAML', () => {
  const read = (text: string, bytesMax?: number) => makeOpenApiDocuments(bytesMax).read(text)
  const SHORT = 'a: &a 12345\nb: *a\nc: *a\n'

  test('aliases are counted before they are written out, at the limit and one past it', async () => {
    // 24 characters, and the 5 of the value for each alias.
    expect((await read(SHORT, 34)).ok).toBe(true)
    const refusal = refusalOf(await read(SHORT, 33))
    expect(refusal.code).toBe('too_large')
    expect(refusal.detail).toContain('with its aliases written out')
  })

  test('aliases of aliases are refused for what they would become', async () => {
    const levels = Array.from({ length: 20 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`)
    const refusal = refusalOf(await read(`l0: &l0 [a, a]\n${levels.join('\n')}\n`))
    expect(refusal.code).toBe('too_large')
  })

  test.each(['a: &a [*a]', 'a: &a {b: {c: *a}}'])(
    'aliases that name what they stand in are refused: %s',
    async (text) => {
      const refusal = refusalOf(await read(text))
      expect(refusal.detail).toContain('an alias names what it stands in')
    },
  )
})

function documentOf(count: number, item: JsonObject | object, more: object = {}): JsonObject {
  const paths = Object.fromEntries(Array.from({ length: count }, (_, n) => [`/t/${n}`, item]))
  return { openapi: '3.1.0', servers: [{ url: 'https://t.example' }], paths, ...more } as JsonObject
}

function optionsOf(budget: WorkBudget): Parameters<typeof importTools>[1] {
  const judge = { input: () => [], config: () => undefined, output: () => [], notices: () => [] }
  return {
    gatewayPrefix: 'sg',
    prefix: 'p',
    source: 'official',
    defaults: { credits: 1 },
    outputSchemas: true,
    selection: { all: true },
    hash: (text) => text,
    judge,
    secretOwners: new Map(),
    budget,
  }
}

function made(document: JsonObject, budget: WorkBudget) {
  return okOf(importTools(document, optionsOf(budget)))
}

/** All texts of these letters with up to so many of them. */
function wordsOf(letters: readonly string[], most: number): readonly string[] {
  const all = ['']
  for (const word of all) {
    if (word.length < most) all.push(...letters.map((letter) => word + letter))
  }
  return all
}
