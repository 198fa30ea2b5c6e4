/**
 * Plans that once held the gateway or ended its process, each as the request of a viewer, and an honest document
 * of the largest usual size. None writes anything.
 */
import { documentOf, HOSTILE_DOCUMENTS, SERVERS } from './hostile-documents.ts'

export type HostilePlan = {
  readonly name: string
  /** Below the admin address. */
  readonly path: 'imports/openapi:plan' | 'skills:plan'
  /** JSON text. */
  readonly body: string
}

function importOf(document: object | string, more: object = {}): string {
  return JSON.stringify({
    prefix: 'p',
    document,
    defaults: { credits: 1 },
    selection: { all: true },
    ...more,
  })
}

const plan = (name: string, body: string): HostilePlan => ({
  name,
  path: 'imports/openapi:plan',
  body,
})

const ONE = documentOf(1, { get: { operationId: 'one' } })

function overlayOf(actions: readonly object[]): object {
  return { overlay: '1.0.0', info: { title: 'o', version: '1' }, actions }
}

/** `{"a":{"a":…}}` */
function nested(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

function descents(): string {
  const deep = Object.fromEntries(Array.from({ length: 61 }, (_, n) => [`d${n}`, nested(80)]))
  const targets = ['$..a..zz', '$..a..zz..a', `$${'..a'.repeat(160)}..zz`]
  const actions = targets.map((target) => ({ target, update: {} }))
  return importOf({ ...ONE, 'x-deep': deep }, { overlay: overlayOf(actions) })
}

function globs(): string {
  const path = `/${'a/a'.repeat(11_000)}`
  const paths = { [path]: { get: { operationId: 'one' } } }
  const pattern = `**${'a*'.repeat(120)}b`
  return importOf({ ...ONE, paths }, { selection: { include: [{ paths: ['**a*b', pattern] }] } })
}

function manyGlobs(): string {
  const path = `/${'a/'.repeat(1_000)}`
  const paths = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, n) => [`${path}${n}`, { get: { operationId: `o${n}` } }]),
  )
  const rule = { paths: Array.from({ length: 500 }, (_, n) => `**a*${'/a*'.repeat(150)}b${n}`) }
  return importOf({ ...ONE, paths }, { selection: { exclude: [rule, rule], all: true } })
}

/** Each operation has a text of its own, so that no two checks are the same. */
function patterns(): string {
  const paths = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, n) => [
      `/things/${n}`,
      {
        get: {
          operationId: `o${n}`,
          parameters: [
            {
              name: 'q',
              in: 'query',
              schema: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!${n}` },
            },
          ],
        },
      },
    ]),
  )
  return importOf({ ...ONE, paths })
}

function aliases(): string {
  const lines = Array.from({ length: 30_000 }, (_, n) => `  k${n}: value-${n}`)
  const uses = Array.from({ length: 95 }, (_, n) => `x-${n}: *big`)
  return importOf(
    `openapi: 3.1.0\npaths: {}\nx-big: &big\n${lines.join('\n')}\n${uses.join('\n')}\n`,
  )
}

/** 20 levels of two aliases each. */
function aliasesOfAliases(): string {
  const levels = Array.from({ length: 20 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`)
  return importOf(`openapi: 3.1.0\npaths: {}\nl0: &l0 [a, a]\n${levels.join('\n')}\n`)
}

function wideSchema(bytes: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: Math.floor(bytes / 65) }, (_, n) => [
      `property_${n}`,
      { type: 'string', description: `The value ${n}` },
    ]),
  )
  return { type: 'object', properties }
}

function sharedSchema(): string {
  const schema = { $ref: '#/components/schemas/Wide' }
  const content = { 'application/json': { schema } }
  const operation = {
    post: { requestBody: { content }, responses: { 200: { description: '', content } } },
  }
  const components = { schemas: { Wide: wideSchema(1_300_000) } }
  return importOf(documentOf(1_500, operation, { components }))
}

function manyActions(): string {
  const update = { description: 'Changed.' }
  const target = '$.components.schemas.Wide.properties.*'
  const actions = Array.from({ length: 200 }, () => ({ target, update }))
  const components = { schemas: { Wide: wideSchema(300_000) } }
  return importOf({ ...ONE, components }, { overlay: overlayOf(actions) })
}

function actionsOnLarge(): string {
  const target = '$..property_7'
  const actions = Array.from({ length: 200 }, (_, n) => ({ target, update: { title: `t${n}` } }))
  const components = { schemas: { Wide: wideSchema(1_300_000) } }
  return importOf({ ...ONE, components }, { overlay: overlayOf(actions) })
}

/** Each action gives every list a copy of a long one. */
function growth(): string {
  const update = Array.from({ length: 300 }, (_, n) => ({ a: `${n}` }))
  const actions = Array.from({ length: 12 }, (_, n) => ({
    target: '$["x-lists"].*',
    update: { [`m${n}`]: update },
  }))
  const lists = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`l${n}`, {}]))
  return importOf({ ...ONE, 'x-lists': lists }, { overlay: overlayOf(actions) })
}

/** A schema whose alternatives are all of the next one, many times over. */
function alternatives(): string {
  const schemas = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [
      `S${n}`,
      {
        allOf: Array.from({ length: 12 }, () => ({ $ref: `#/components/schemas/S${n + 1}` })),
      },
    ]),
  )
  const last = { type: 'object', properties: { a: { type: 'string' } } }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } }
  return importOf(
    documentOf(
      3,
      { post: { requestBody: { content } } },
      {
        components: { schemas: { ...schemas, S9: last } },
      },
    ),
  )
}

/** One path item with many parameters, used by many paths. */
function sharedParameters(): string {
  const parameters = Array.from({ length: 4_000 }, (_, n) => ({
    name: `a!${'?'.repeat(n % 7)}${n}`,
    in: 'query',
    schema: { type: 'string' },
  }))
  const item = { parameters, get: { summary: 'x '.repeat(100_000) } }
  return importOf({
    ...documentOf(1_900, { $ref: '#/components/pathItems/Item' }),
    components: { pathItems: { Item: item } },
  })
}

const BRACKETS = '[]('

function brackets(): string {
  const text = (n: number) =>
    [
      `# ${'['.repeat(2_000)}${BRACKETS.repeat(300)}${n}`,
      '',
      `${'['.repeat(2_100)}${'![a]('.repeat(400)}`,
      '',
      '```yaml',
      `id: sg_b${n}`,
      'endpoint: https://things.example/a',
      '```',
      '',
      '```json',
      '{"type":"object","properties":{}}',
      '```',
    ].join('\n')
  return JSON.stringify(
    Array.from({ length: 55 }, (_, n) => ({ path: `skills/${n}.md`, text: text(n) })),
  )
}

/** Prose that a Markdown parser reads long: emphasis, backticks, escapes, references. */
function emphasis(): string {
  const prose = [
    '*a_'.repeat(1_300),
    '`'.repeat(2_000),
    '**a **'.repeat(600),
    '<a '.repeat(1_300),
    '&'.repeat(4_000),
    '![[]('.repeat(800),
  ]
  const text = (one: string, n: number) =>
    `# ${one}${n}\n\n${one}\n\n\`\`\`yaml\nid: sg_e${n}\nendpoint: https://things.example/a\n\`\`\`\n\n\`\`\`json\n{"type":"object"}\n\`\`\`\n`
  return JSON.stringify(
    Array.from({ length: 60 }, (_, n) => ({
      path: `skills/${n}.md`,
      text: text(prose[n % prose.length] ?? '', n),
    })),
  )
}

function slowDefaults(): string {
  return JSON.stringify(
    Array.from({ length: 400 }, (_, n) => ({
      id: `sg_slow${n}`,
      meta: {
        name: `Slow ${n}`,
        description: 'A skill with a slow pattern.',
        parameters: {
          type: 'object',
          properties: {
            q: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!${n}` },
          },
        },
      },
      config: { endpoint: 'https://things.example/a' },
      credits_per_call: 1,
    })),
  )
}

/** What each hostile plan is answered. */
const STATUSES: { readonly [name: string]: number } = {
  descents: 200,
  globs: 200,
  'many-globs': 413,
  patterns: 200,
  aliases: 413,
  'aliases-of-aliases': 413,
  'shared-schema': 200,
  'many-actions': 422,
  'actions-on-large': 413,
  growth: 422,
  alternatives: 200,
  'shared-parameters': 413,
  brackets: 422,
  emphasis: 422,
  'slow-defaults': 422,
  mapping: 200,
  'subtype-chain': 413,
  identities: 413,
  anchors: 413,
  'shared-values': 200,
  'shared-answers': 413,
  parts: 200,
  'lost-parameters': 413,
  'alike-parameters': 413,
  'secret-parameters': 413,
  'places-in-path': 200,
  schemes: 413,
  'server-variable': 413,
  bodies: 413,
}

type Made = { readonly name: string; make(): HostilePlan }

const MADE: readonly Made[] = [
  { name: 'descents', make: () => plan('descents', descents()) },
  { name: 'globs', make: () => plan('globs', globs()) },
  { name: 'many-globs', make: () => plan('many-globs', manyGlobs()) },
  { name: 'patterns', make: () => plan('patterns', patterns()) },
  { name: 'aliases', make: () => plan('aliases', aliases()) },
  { name: 'aliases-of-aliases', make: () => plan('aliases-of-aliases', aliasesOfAliases()) },
  { name: 'shared-schema', make: () => plan('shared-schema', sharedSchema()) },
  { name: 'many-actions', make: () => plan('many-actions', manyActions()) },
  { name: 'actions-on-large', make: () => plan('actions-on-large', actionsOnLarge()) },
  { name: 'growth', make: () => plan('growth', growth()) },
  { name: 'alternatives', make: () => plan('alternatives', alternatives()) },
  { name: 'shared-parameters', make: () => plan('shared-parameters', sharedParameters()) },
  { name: 'brackets', make: () => ({ name: 'brackets', path: 'skills:plan', body: brackets() }) },
  { name: 'emphasis', make: () => ({ name: 'emphasis', path: 'skills:plan', body: emphasis() }) },
  {
    name: 'slow-defaults',
    make: () => ({ name: 'slow-defaults', path: 'skills:plan', body: slowDefaults() }),
  },
  ...HOSTILE_DOCUMENTS.map(({ make, name }) => ({
    name,
    make: () => plan(name, importOf(make())),
  })),
]

/** Each with its own way to be long. Made when asked for: together they are 20 MB. */
export const HOSTILE_PLANS: readonly (Made & { readonly status: number })[] = MADE.map((one) => ({
  ...one,
  status: STATUSES[one.name] ?? 0,
}))

/** 1.4 MB with 800 operations and the schemas that real documents have. */
export function honestPlan(): HostilePlan {
  const schemas = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `Thing${n}`,
      {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string', description: 'Identifies the thing in all other requests.' },
          name: { type: 'string', maxLength: 200, description: 'The name that people see.' },
          kind: { type: 'string', enum: ['small', 'large', 'other'] },
          parent: { $ref: `#/components/schemas/Thing${(n * 7 + 1) % 400}` },
          parts: { type: 'array', items: { $ref: `#/components/schemas/Thing${(n + 3) % 400}` } },
          createdAt: { type: 'string', format: 'date-time', description: 'When it was made.' },
        },
      },
    ]),
  )
  const paths = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => {
      const content = {
        'application/json': { schema: { $ref: `#/components/schemas/Thing${n}` } },
      }
      const responses = { 200: { description: 'The thing.', content } }
      const parameters = Array.from({ length: 6 }, (_none, p) => ({
        name: `filter_${p}`,
        in: 'query',
        description: 'Narrows the answer to things that have this value, as the list shows them.',
        schema: { type: 'string', maxLength: 100 },
      }))
      const text = 'Reads what is known of the thing. '.repeat(8)
      return [
        `/area${n % 20}/things${n}`,
        {
          get: {
            operationId: `list_${n}`,
            summary: `List ${n}`,
            description: text,
            parameters,
            responses,
          },
          post: {
            operationId: `make_${n}`,
            summary: `Make ${n}`,
            description: text,
            requestBody: { required: true, content },
            responses,
          },
        },
      ]
    }),
  )
  const document = { openapi: '3.0.3', servers: SERVERS, paths, components: { schemas } }
  return plan('honest', importOf(document))
}
