/**
 * JSON and what is almost JSON: a right value is written with some of its nodes replaced, some members
 * added, doubled or left out, and then some of its text changed.
 */
import fc from 'fast-check'
import { isJsonObject, type Json } from '../../core/json/json.ts'

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)
const longText = (length: number, unit = 'x') => JSON.stringify(unit.repeat(length))

/** Valid and invalid JSON values, as text. */
export const JSON_TEXTS: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '0.1', '1.0', '1e2', '""', '" "', '[]', '{}'],
  ...['1e999', '-1e999', '1e-999', '12345678901234567890', '9007199254740993', '0.1e-400', '1E+2'],
  ...['01', '.5', '1.', '+1', 'NaN', 'Infinity', 'undefined', "'a'", '`a`', '0x10', '1_000', '--1'],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\ud83d\\udc4d"',
    '"👍"',
    '"\\u2028"',
    '"\u2028"',
  ],
  ...[
    '"\0"',
    '"\t"',
    '"\n"',
    '"\\',
    '"\\x"',
    '"\\u12"',
    '"',
    '\ufeff1',
    '/**/1',
    '1,',
    '[1,]',
    '{"a":1,}',
  ],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1,"valueOf":2}'],
  ...[
    '{"a":1,"a":2}',
    '{"":""}',
    '{"hasOwnProperty":null}',
    '{"then":1}',
    '{"length":-1}',
    '{"toJSON":1}',
  ],
  ...[nested(60), nested(63), nested(64), nested(65), nested(5_000), nested(70, '{"a":', '}')],
  ...[longText(64), longText(65), longText(128), longText(129), longText(256), longText(257)],
  ...[longText(1_024), longText(1_025), longText(8_001), longText(64, '👍'), longText(90, 'é')],
  ...[
    '"../../etc"',
    '"."',
    '".."',
    '"%2e%2e"',
    '"a/b?c#d"',
    '"//evil.example/"',
    '"@evil.example"',
  ],
  ...[
    '"a\\r\\nset-cookie: b"',
    '"{{secrets.TOKEN}}"',
    '"{{args.city}}"',
    '"{city}"',
    '"$&"',
    '"\\\\"',
  ],
  ...['"sg_weather"', '"ada_sg_mine"', '"bob_sg_private"', '"sg_private"', '"tools/call"', '"2.0"'],
  ...[
    '[1,[2,[3]]]',
    '{"a":{"b":{"c":[{}]}}}',
    '[null,null]',
    '"2033-05-18"',
    '"1e999"',
    '"\u0000"',
  ],
]

const NAMES: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', ''],
  ...[
    'id',
    'jsonrpc',
    'method',
    'params',
    'name',
    'skill',
    'arguments',
    'result',
    'error',
    '_meta',
  ],
  ...[
    'city',
    'note',
    'cursor',
    'limit',
    'requestId',
    '\u0000',
    '\ud800',
    '👍',
    'x'.repeat(300),
    'a/b~c',
  ],
]

export type Edit = {
  /** Which node, counted modulo their number. */
  readonly at: number
  readonly kind: 'replace' | 'add' | 'double' | 'leave out' | 'wrap'
  readonly name: string
  readonly text: string
}

export const edits: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.record({
        at: fc.nat({ max: 40 }),
        kind: fc.constantFrom(
          'replace',
          'replace',
          'replace',
          'add',
          'double',
          'leave out',
          'wrap',
        ),
        name: fc.constantFrom(...NAMES),
        text: fc.oneof(fc.constantFrom(...JSON_TEXTS), fc.json()),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  },
)

/** `value` as JSON text, changed on the way. */
export function written(value: Json, made: readonly Edit[]): string {
  const nodes = countOf(value)
  const byNode = new Map(made.map((edit) => [edit.at % nodes, edit]))
  let serial = 0
  const write = (node: Json): string | undefined => {
    const edit = byNode.get(serial)
    serial += 1
    const inside = writeInside(node)
    return edit === undefined ? inside : edited(inside, edit)
  }
  const writeInside = (node: Json): string => {
    if (Array.isArray(node)) return `[${node.map((one) => write(one) ?? '').join(',')}]`
    if (!isJsonObject(node)) return JSON.stringify(node)
    const members = Object.entries(node).flatMap(([name, one]) => {
      const text = write(one)
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
    })
    return `{${members.join(',')}}`
  }
  return write(value) ?? ''
}

function edited(text: string, { kind, name, text: other }: Edit): string | undefined {
  switch (kind) {
    case 'replace':
      return other
    case 'leave out':
      return undefined
    case 'wrap':
      return `[${text}]`
    case 'add':
      return text.endsWith('}') ? withMember(text, JSON.stringify(name), other) : other
    case 'double':
      return text.endsWith('}') ? doubled(text, other) : other
    default:
      return kind satisfies never
  }
}

function withMember(text: string, name: string, value: string): string {
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${name}:${value}}`
}

/** Its first member once more, with another value. */
function doubled(text: string, value: string): string {
  const first = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1]
  return first === undefined ? value : withMember(text, first, value)
}

function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 1)
}

export type Change = {
  readonly atThousandths: number
  readonly removed: number
  readonly added: string
}

/** Changes of any text. */
export const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({
        atThousandths: fc.nat({ max: 999 }),
        removed: fc.constantFrom(0, 0, 1, 1, 2, 10),
        added: fc.constantFrom(
          ...[
            '',
            '',
            '\0',
            '\ufeff',
            '\ud83d',
            '"',
            '\\',
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '\n',
            '\r\n',
            ' ',
          ],
          ...[
            '\\u0000',
            '\\ud800',
            'e',
            '-',
            '0',
            '9'.repeat(400),
            '%',
            '%00',
            '%ff',
            '&',
            '=',
            ';',
            '\u00e9',
          ],
        ),
      }),
      { maxLength: 3 },
    ),
  },
)

export function changed(text: string, made: readonly Change[]): string {
  return made.reduce((before, { added, atThousandths, removed }) => {
    const at = Math.floor((atThousandths * before.length) / 1_000)
    return before.slice(0, at) + added + before.slice(at + removed)
  }, text)
}
