import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeSkillMarkdown } from '../../../adapters/formats/skill-markdown.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { isReservedId } from '../../../core/skills/built-in-names.ts'
import { makeDefinition } from '../../../core/skills/definition/markdown-skill.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'

const { read } = makeSkillMarkdown()

async function parts(text: string) {
  const found = await read(text)
  if (!found.ok) throw new Error(JSON.stringify(found.error))
  return found.value
}

async function faults(text: string): Promise<readonly string[]> {
  const found = await read(text)
  if (found.ok) return []
  expect(found.error.code).toBe('invalid_skill')
  return (found.error.faults ?? []).map(({ pointer, message }) => `${pointer} ${message}`)
}

const WEATHER = `# Weather

Tells the weather.

\`\`\`yaml
endpoint: https://api.example.com/weather
\`\`\`

\`\`\`json
{"type": "object"}
\`\`\`
`
const FOUND = {
  name: 'Weather',
  paragraph: 'Tells the weather.',
  yaml: { endpoint: 'https://api.example.com/weather' },
  json: { type: 'object' },
}
/** Puts the beginning of the YAML in front as a title, since some of it is 20,000 characters long. */
function titled(cases: readonly (readonly [yaml: string, line: number, message: string])[]) {
  return cases.map((one) => [JSON.stringify(one[0].slice(0, 40)), ...one] as const)
}

/** A text with this YAML block from line 3 on. */
const withYaml = (yaml: string) => `# N\n\`\`\`yaml\n${yaml}\n\`\`\`\n\`\`\`json\n{}\n\`\`\`\n`

describe('the parts of a Markdown skill', () => {
  test('the parts of a skill are found with their lines', async () => {
    expect(await parts(WEATHER)).toEqual({ ...FOUND, lines: { heading: 1, yaml: 5, json: 9 } })
  })

  test.each<[string, string]>([
    ['with carriage returns', WEATHER.replaceAll('\n', '\r\n')],
    ['with carriage returns alone', WEATHER.replaceAll('\n', '\r')],
    ['behind a byte order mark', `\uFEFF${WEATHER}`],
    ['behind blank lines', `\n \n\t\n${WEATHER}`],
    ['under a setext heading', WEATHER.replace('# Weather', 'Weather\n===')],
    ['under a closed heading', WEATHER.replace('# Weather', '   # Weather ##')],
    ['in tildes', WEATHER.replaceAll('```', '~~~~')],
    ['with yml', WEATHER.replace('yaml', 'yml')],
    ['in capitals', WEATHER.replace('yaml', 'YAML').replace('json', 'Json')],
    ['with more behind the language', WEATHER.replace('yaml', 'yaml title="x"')],
    ['indented by up to three spaces', WEATHER.replaceAll('```', '   ```')],
    [
      'before prose, lists and other blocks',
      `${WEATHER}\n- a\n- b\n\n> c\n\n\`\`\`sh\nls\n\`\`\`\n## d\n`,
    ],
    ['without an end of the last block', WEATHER.replace(/\n```\n$/, '')],
    ['beside a comment', `<!-- # Not this -->\n\n${WEATHER}`],
  ])('the parts of a skill %s are found', async (_, text) => {
    expect(await parts(text)).toMatchObject(FOUND)
  })

  test('the parts of a skill are found in either order, with the heading last', async () => {
    const text = `\`\`\`json\n{}\n\`\`\`\n~~~yml\na: 1\n~~~\nEins\n===\nText.`
    expect(await parts(text)).toEqual({
      name: 'Eins',
      paragraph: 'Text.',
      yaml: { a: 1 },
      json: {},
      lines: { heading: 7, yaml: 4, json: 1 },
    })
  })

  test.each([
    ['# 天気 ☀️', '天気 ☀️'],
    ['# **Wetter** für `Köln` &amp; *co* [x](http://y)', 'Wetter für Köln & co x'],
    ['# a\\*b &copy; ![pic](p.png) <b>c</b>', 'a*b © pic c'],
    ['#\tspaced   out  ', 'spaced out'],
    ['two\nlines\n=====', 'two lines'],
  ])('the heading %j names the skill %j', async (heading, name) => {
    expect((await parts(WEATHER.replace('# Weather', heading))).name).toBe(name)
  })

  test('the description is the paragraph as a reader sees it, line breaks aside', async () => {
    const prose = 'Tells **the** weather\nof `now`, in [many](http://x) &lt;places&gt;.  \nEnd.'
    const { paragraph } = await parts(WEATHER.replace('Tells the weather.', prose))
    expect(paragraph).toBe('Tells the weather of now, in many <places>.\nEnd.')
  })

  test('a text without a paragraph has no description', async () => {
    const { paragraph } = await parts(WEATHER.replace('Tells the weather.\n', ''))
    expect(paragraph).toBeUndefined()
  })

  test('YAML is 1.2: no octal of old, no yes, no dates; anchors and merges are names', async () => {
    const { yaml } = await parts(
      withYaml('a: yes\nb: 010\nc: 2026-01-01\nd: 0x1F\ne: ~\n404: x\n<<: 1'),
    )
    expect(yaml).toEqual({ a: 'yes', b: 10, c: '2026-01-01', d: 31, e: null, '404': 'x', '<<': 1 })
  })

  test('an empty YAML block is an empty mapping', async () => {
    expect((await parts(withYaml('# nothing yet'))).yaml).toEqual({})
  })
})

test('the example of docs/skills.md is a Markdown skill', async () => {
  const page = readFileSync(new URL('../../../docs/skills.md', import.meta.url), 'utf8')
  const indented = page.split('\n').filter((line) => line.startsWith('    '))
  const made = makeDefinition(await parts(indented.map((line) => line.slice(4)).join('\n\n')), 'sg')
  const skill = made.ok ? readSkill(made.value, { prefix: 'sg' }) : made
  expect(skill.ok ? skill.value.warnings : skill.error).toEqual([])
})

describe('a refused Markdown skill', () => {
  const none = 'lists and quotes are not searched'
  test.each<[string, string, readonly string[]]>([
    [
      'nothing',
      '',
      [
        ' line 1: the text ends without a first-level heading; add the name of the skill: # Weather',
        ` line 1: the text ends without a YAML block; add the implementation: a line \`\`\`yaml, then endpoint: …; ${none}`,
        ` line 1: the text ends without a JSON block; add the parameters: a line \`\`\`json, then {"type":"object",…}; ${none}`,
      ],
    ],
    [
      'no heading',
      WEATHER.replace('# Weather', '## Weather'),
      [
        ' line 11: the text ends without a first-level heading; add the name of the skill: # Weather',
      ],
    ],
    [
      'a heading that is no longer one',
      WEATHER.replace('# Weather', '#Weather'),
      [
        ' line 11: the text ends without a first-level heading; add the name of the skill: # Weather',
      ],
    ],
    [
      'two headings',
      `${WEATHER}\nOther\n===\n`,
      [' line 13: a second first-level heading; the first is on line 1, keep one'],
    ],
    [
      'two YAML blocks and two JSON blocks',
      WEATHER + WEATHER.replace('# Weather', ''),
      [
        ' line 16: a second YAML block; the first is on line 5, keep one',
        ' line 20: a second JSON block; the first is on line 9, keep one',
      ],
    ],
    [
      'a YAML block in a quote',
      WEATHER.replace(
        '```yaml\nendpoint: https://api.example.com/weather\n```',
        '> ```yaml\n> a: 1\n> ```',
      ),
      [
        ` line 11: the text ends without a YAML block; add the implementation: a line \`\`\`yaml, then endpoint: …; ${none}`,
      ],
    ],
    [
      'no JSON in the JSON block',
      WEATHER.replace('{"type"', '{type'),
      [
        '/meta/parameters line 9: the JSON block: is not JSON at line 10, column 2: a name in double quotes is missing',
      ],
    ],
    ...[
      [
        'with a word that is no value',
        '{\n  "a": 1,\n  "b": SECRET,\n  "c": 2\n}',
        '12, column 8: this is not a value; a text is in double quotes',
      ],
      [
        'without a comma',
        '{\n  "a": 1\n  "b": 2\n}',
        '12, column 3: a comma is missing before this name',
      ],
      [
        'with a comma too many',
        '{\n  "a": [\n    1,\n  ]\n}',
        '12, column 6: this comma is one too many; nothing follows it',
      ],
      [
        'with a text that does not end',
        '{\n  "a": "b,\n  "c": 2\n}',
        '11, column 8: the text that begins here is not closed on its line; add "',
      ],
      [
        'that does not end',
        '{\n  "a": {\n    "b": 1\n  }\n',
        '14, column 1: the object that opens at line 10, column 1 is not closed; add }',
      ],
      [
        'that ends twice',
        '{\n  "a": 1\n}\n}',
        '13, column 1: the JSON ends before this text; remove the text',
      ],
    ].map(([name, json, fault]): [string, string, readonly string[]] => [
      `a JSON block ${name}`,
      WEATHER.replace('{"type": "object"}', String(json)),
      [`/meta/parameters line 9: the JSON block: is not JSON at line ${fault}`],
    ]),
    [
      'a file whose line ends were lost on the way',
      WEATHER.replaceAll('\n', ''),
      [
        ' line 1: the whole text is on this line, so that no block begins one; send it with its line ends (curl: with --data-binary, not -d)',
      ],
    ],
    [
      'a forbidden name in the JSON block',
      WEATHER.replace('"type"', '"__proto__"'),
      ['/meta/parameters/__proto__ line 9: the name `__proto__` is refused; rename it'],
    ],
  ])('a text (%s) is refused with the part, its line and the remedy', async (_, text, expected) => {
    expect(await faults(text)).toEqual(expected)
  })

  test.each(
    titled([
      ['a: *b', 3, 'has an alias (*name); write the value out'],
      ['a: &b 1\nc: *b', 4, 'has an alias (*name); write the value out'],
      ['a: &b 1', 3, 'has an anchor (&name); remove it'],
      ['a: !foo 1', 3, 'has a tag (!name); remove it'],
      ['a: 1\nb: !!binary aGk=', 4, 'has a tag (!name); remove it'],
      ['a: !<tag:yaml.org,2002:js/function> f', 3, 'has a tag (!name); remove it'],
      ['%YAML 1.1\n---\na: yes', 3, 'has a %YAML directive; remove it'],
      ['a: 1\nb:\n  c: 1\n  c: 2', 6, 'gives a key twice; keep one of the two'],
      ['1: x\n"1": y', 4, 'gives a key twice; keep one of the two'],
      ['a: .inf', 3, 'has a number that JSON cannot hold; write a finite one'],
      ['a: [.nan]', 3, 'has a number that JSON cannot hold; write a finite one'],
      ['a: 1\n---\nb: 2', 4, 'holds several documents (---); keep one'],
      ['- 1', 3, 'is not a mapping; write endpoint: https://…'],
      ['word', 3, 'is not a mapping; write endpoint: https://…'],
      ['a:\n\tb: 1', 4, 'indents with a tab; use spaces'],
      ['a: 1\nb: [1', 4, 'is indented unevenly; align the keys of one mapping'],
      ['a: "\\q"', 3, 'is not YAML (BAD_DQ_ESCAPE); mend it'],
      ['? [1]\n: 2', 3, 'has a key that is not a text; write a plain name'],
      ['a: {__proto__: 1}', 3, 'at /a/__proto__: the name `__proto__` is refused; rename it'],
      ['['.repeat(20_000), 3, 'nests too deep; flatten it'],
      [`a: ${'['.repeat(70)}${']'.repeat(70)}`, 3, 'is nested deeper than 64 levels; flatten it'],
    ]),
  )('the YAML %s is refused with its line and the remedy', async (_title, yaml, line, message) => {
    expect((await faults(withYaml(yaml))).join()).toContain(` line ${line}: the YAML block`)
    expect((await faults(withYaml(yaml))).join()).toContain(message)
  })

  test('a refusal repeats nothing that the text says', async () => {
    for (const yaml of [
      'a: !SECRET SECRET',
      'SECRET: 1\nSECRET: 2',
      '"SECRET\\q"',
      '&SECRET SECRET',
    ]) {
      expect((await faults(withYaml(yaml))).join()).not.toContain('SECRET')
    }
  })
})

describe('the limit of Markdown', () => {
  test('Markdown of 64000 bytes is read, and of 64001 refused', async () => {
    const bytes = (count: number) =>
      `${WEATHER}\n${'é'.repeat(10)}${'x'.repeat(count - WEATHER.length - 21)}`
    expect(new TextEncoder().encode(bytes(64_000))).toHaveLength(64_000)
    expect(await parts(bytes(64_000))).toMatchObject(FOUND)
    expect(await faults(bytes(64_001))).toEqual([
      ' line 1: the text has over 64000 bytes; shorten it, or send unified JSON',
    ])
  })
})

describe('the limits of lines and marks', () => {
  test('Markdown of 4000 lines is read, and of 4001 refused', async () => {
    const lines = (count: number) => WEATHER.padEnd(WEATHER.length + count - linesOf(WEATHER), '\n')
    expect(await parts(`${lines(4_000)}x`)).toMatchObject(FOUND)
    expect(await faults(`${lines(4_001)}x`)).toEqual([
      ' line 4001: the text has over 4000 lines; leave some out, or send unified JSON',
    ])
  })

  test('prose with 500 marks is read as it is shown, and with 501 it stays as it is written', async () => {
    const prose = (marks: number) => `**${'!'.repeat(marks - 4)}**`
    const textOf = async (marks: number) =>
      (await parts(WEATHER.replace('Tells the weather.', prose(marks)))).paragraph
    expect(await textOf(500)).toBe('!'.repeat(496))
    expect(await textOf(501)).toBe(`**${'!'.repeat(497)}**`)
  })
})

/** The lines before the end of the text, and the one that is begun there. */
function linesOf(text: string): number {
  return text.split('\n').length
}

describe('texts that would take a CommonMark parser minutes', () => {
  test.each([
    ['>'],
    ['> '],
    ['- '],
    ['1. '],
    ['_a*'],
    ['*a_ '],
    ['[a]('],
    ['> a\n'],
    ['- a\n\n'],
    ['`a``'],
  ])('the text %j is read at once however often it is repeated', async (piece) => {
    const count = piece.includes('\n') ? 1_900 : Math.floor(60_000 / piece.length)
    const text = `${WEATHER}\n${piece.repeat(count)}`
    const found = await read(text)
    expect(found.ok).toBe(true)
  })
})

describe('a random text', () => {
  test('any text becomes parts or a refusal, and is never thrown', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '# ',
        '```yaml\n',
        '```json\n',
        '```\n',
        '~~~',
        '\n',
        'a: ',
        '{',
        '}',
        '- ',
        '> ',
        '*x',
        '&x ',
        '!t ',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    )
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, text.map(withYaml)), async (one) => {
        const found = await read(one)
        if (!found.ok) expect(found.error.faults?.length).toBeGreaterThan(0)
      }),
      { numRuns: 400 },
    )
  })
})

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .,*_`#<>[\]()&;:!|~\\éß天☀-]{0,30}[a-z]$/)
/** Markdown makes one space of several. */
const name = word.filter((text) => !text.includes('  '))
const generated = fc
  .record({
    // Generators of text like the names of an object's members, "call" among them.
    id: fc.stringMatching(/^sg_[a-z0-9_]{1,20}$/).filter((id) => !isReservedId('sg', id)),
    source: fc.constantFrom('official', 'market', 'private'),
    credits_per_call: fc.integer({ min: 0, max: 10_000_000 }).map((micro) => micro / 1_000_000),
    meta: fc.record(
      {
        name,
        description: word,
        emoji: fc.constantFrom('⛅', '👩‍👩‍👧‍👦'),
        tags: fc.array(word, { maxLength: 3 }),
        typical_ms: fc.integer({ min: 1, max: 14_250 }),
        output_schema: fc.constantFrom<JsonObject>(
          { type: 'array' },
          { type: 'object', properties: {} },
        ),
        parameters: fc.constantFrom<JsonObject>(
          { type: 'object', properties: { city: { type: 'string', description: '```\n# x' } } },
          { type: 'object', properties: {}, additionalProperties: false },
        ),
      },
      { requiredKeys: ['name', 'description', 'parameters'] },
    ),
    config: fc.record(
      {
        endpoint: fc.constantFrom('https://a.example/x', 'https://a.example/{city}?q=1'),
        method: fc.constantFrom('GET', 'POST'),
        headers: fc.dictionary(
          fc.stringMatching(/^x-[a-z]{1,8}$/),
          fc.constantFrom('1', 'yes', '{{args.a}}'),
        ),
        query: fc.dictionary(
          fc.stringMatching(/^[a-z0-9]{1,8}$/),
          fc.constantFrom('null', '0x1', ' a '),
        ),
        timeout_ms: fc.integer({ min: 1, max: 14_250 }),
        cache: fc.jsonValue({ maxDepth: 2, noUnicodeString: true }).filter(isPlain),
      },
      { requiredKeys: ['endpoint', 'method'] },
    ),
  })
  // As JSON can express it; what JSON cannot express is dropped.
  .map((skill): JsonObject => JSON.parse(JSON.stringify(skill)))

describe('a skill that is written as Markdown', () => {
  test('a Markdown skill is the same skill as its unified JSON', async () => {
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 })
    const style = fc.record({
      order,
      under: fc.boolean(),
      setext: fc.boolean(),
      crlf: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(generated, style, async (definition, written) => {
        const text = markdownOf(definition, written)
        const made = makeDefinition(await parts(text), 'sg')
        if (!made.ok) throw new Error(JSON.stringify(made.error))
        const [fromMarkdown, fromJson] = [made.value, definition].map((one) => {
          const skill = readSkill(one, { prefix: 'sg' })
          if (!skill.ok) throw new Error(JSON.stringify(skill.error))
          return skill.value
        })
        expect(fromMarkdown?.skill).toEqual(fromJson?.skill)
        expect(fromMarkdown?.definition).toEqual(fromJson?.definition)
        expect(fromMarkdown?.warnings).toEqual(fromJson?.warnings)
      }),
      { numRuns: 200 },
    )
  })
})

type Style = { order: number[]; under: boolean; setext: boolean; crlf: boolean }

/** JSON is YAML 1.2, so any value may stand in a block as it is. */
function markdownOf(definition: JsonObject, { crlf, order, setext, under }: Style): string {
  const { config, id, meta, ...top } = definition
  const { name, parameters, ...rest } = Object(meta)
  const fields = { id, ...top, ...rest, ...(under ? { config } : Object(config)) }
  const yaml = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const escaped = String(name).replace(/[!-/:-@[-`{-~]/g, '\\$&')
  const blocks = [
    setext ? `${escaped}\n======\n` : `# ${escaped}\n`,
    `~~~~yaml\n${yaml.join('\n')}\n~~~~\n`,
    `\`\`\`\`json\n${JSON.stringify(parameters, null, 2)}\n\`\`\`\`\n`,
  ]
  const text = order.map((at) => blocks[at]).join('\nProse between.\n\n')
  return crlf ? text.replaceAll('\n', '\r\n') : text
}

/** What survives a text: `-0` is 0 in JSON, and the name `__proto__` is refused. */
function isPlain(value: unknown): value is Json {
  const text = JSON.stringify(value) ?? ''
  return !text.includes('__proto__') && !Object.is(value, -0)
}
