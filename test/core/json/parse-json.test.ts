import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSON_BYTES_MAX, JSON_DEPTH_MAX } from '../../../core/json/limits.ts'
import { parseJson } from '../../../core/json/parse-json.ts'

const FUZZ = { seed: 20_241_105, numRuns: 2000 }

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function refusalOf(input: Uint8Array | string, limits = {}) {
  const parsed = parseJson(input, limits)
  if (parsed.ok) throw new Error('was not refused')
  return parsed.error
}

describe('a name that is given twice in one object', () => {
  test.each([
    ['{"amount":1,"amount":1000}', '/amount'],
    ['{"amount":1,"\\u0061mount":1000}', '/amount'],
    ['{"a":1,"b":2,"a":1}', '/a'],
    ['{"":0,"":0}', '/'],
    ['{"a/b":{"~":1,"\\u007e":2}}', '/a~1b/~0'],
    ['[0,[1,{"x":"}],{","y":[{"k":1},{"k":1,"k":2}]}]]', '/1/1/y/1/k'],
    ['{"a\\"b":1 , "c":[] , "a\\"b"\n\t: 2}', '/a"b'],
    ['{"a\\\\":1,"a\\\\":2}', '/a\\'],
    ['{"x":{"1":1,"1":2},"y":{"1":1,"1":1}}', '/x/1'],
  ])('in %s is refused at its place', (text, pointer) => {
    expect(refusalOf(text)).toEqual({
      code: 'malformed',
      detail: `body at ${pointer}: the name is given twice in one object; send it once`,
      faults: [{ pointer, message: 'the name is given twice in one object; send it once' }],
    })
    expect(refusalOf(bytes(text)).faults?.[0]?.pointer).toBe(pointer)
  })

  test('a repeated name is found among any other members, wherever it is, and nothing is found without one', () => {
    const member = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', '"', '\\', ':', '{', '}', ',') }),
      fc.nat(3),
    )
    fc.assert(
      fc.property(fc.array(fc.array(member, { maxLength: 4 }), { maxLength: 4 }), (objects) => {
        const text = `[${objects
          .map(
            (members) =>
              `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(' , ')}}`,
          )
          .join()}]`
        const isRepeated = objects.some(
          (members) => new Set(members.map(([name]) => name)).size < members.length,
        )
        expect(parseJson(text).ok).toBe(!isRepeated)
      }),
      FUZZ,
    )
  })

  test('a repeated name is refused after 1 MB of backslashes and quotes as well', () => {
    const text = `{"a":${JSON.stringify('\\"'.repeat(250_000))},"a":1}`
    expect(refusalOf(text).faults?.[0]?.pointer).toBe('/a')
  })
})

describe('a text that is parsed', () => {
  test('any JSON value comes out as it went in, from text and from bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value)
        const parsed = parseJson(text)
        if (!parsed.ok) {
          expect(parsed.error.faults?.[0]?.message).toMatch(/__proto__|U\+0000|surrogate/)
          return
        }
        expect(JSON.stringify(parsed.value)).toBe(text)
        expect(parseJson(bytes(text))).toEqual(parsed)
      }),
      FUZZ,
    )
  })

  test('a byte order mark at the start is dropped', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } })
    expect(parseJson(new Uint8Array([0xef, 0xbb, 0xbf, 0x31]))).toEqual({ ok: true, value: 1 })
  })

  test('the last value counts where a name is given twice in an answer of somebody else’s service', () => {
    const parsed = parseJson('{"a":1,"a":2}', { repeatedNames: 'last' })
    expect(parsed).toEqual({ ok: true, value: { a: 2 } })
  })

  test.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"\\"a\\":","b":"a\\\\"}',
    '{"a":[{"b":1},{"b":[]}],"b":{}}',
    '{"a":1,"A":2,"":3," ":4,"á":5,"a\u0301":6}',
    '{"a b" \n:1,"a" : "b" , "b":null}',
  ])('a name in several objects, or alike in another spelling, is no repeated one: %s', (text) => {
    expect(parseJson(text).ok).toBe(true)
  })

  test('brackets inside strings are no nesting', () => {
    const text = JSON.stringify({ 'a"[{': `\\"${'['.repeat(500)}` })
    expect(parseJson(text)).toEqual({ ok: true, value: { 'a"[{': `\\"${'['.repeat(500)}` } })
  })

  test('an escaped quote does not end a string, an escaped backslash does not hide its end', () => {
    expect(parseJson(`["\\"${'['.repeat(70)}"]`).ok).toBe(true)
    expect(parseJson(`["\\\\",${'['.repeat(63)}${']'.repeat(63)}]`).ok).toBe(true)
    expect(refusalOf(`["\\\\",${'['.repeat(64)}${']'.repeat(64)}]`).code).toBe('too_large')
  })

  test('whole surrogate pairs pass, raw and escaped', () => {
    expect(parseJson('["😀","\\ud83d\\ude00"]')).toEqual({ ok: true, value: ['😀', '😀'] })
  })

  test('a text that only speaks of constructors and prototypes passes', () => {
    const text = '{"constructor":"x","prototype":{"a":1},"t":"__proto__","o":{"constructor":{}}}'
    expect(parseJson(text).ok).toBe(true)
  })
})

describe('the limits of JSON', () => {
  test('64 levels pass and the 65th is refused', () => {
    expect(JSON_DEPTH_MAX).toBe(64)
    expect(parseJson('['.repeat(64) + ']'.repeat(64)).ok).toBe(true)
    expect(refusalOf('['.repeat(65) + ']'.repeat(65))).toEqual({
      code: 'too_large',
      detail: 'body: is nested deeper than 64 levels; flatten it',
    })
  })

  test('objects and arrays count alike for the depth, and siblings do not', () => {
    expect(parseJson('{"a":['.repeat(32) + ']}'.repeat(32)).ok).toBe(true)
    expect(refusalOf(`[${'{"a":['.repeat(32)}${']}'.repeat(32)}]`).code).toBe('too_large')
    expect(parseJson(`[${'[],'.repeat(1000)}[]]`).ok).toBe(true)
  })

  test('a million brackets are refused for their depth without being parsed', () => {
    expect(refusalOf('['.repeat(1_000_000)).code).toBe('too_large')
  })

  test('one mebibyte passes and one byte more is refused', () => {
    expect(JSON_BYTES_MAX).toBe(1_048_576)
    const text = `"${'x'.repeat(1_048_574)}"`
    expect(parseJson(text).ok).toBe(true)
    expect(parseJson(bytes(text)).ok).toBe(true)
    const refusal = {
      code: 'too_large',
      detail: 'body: is over 1048576 bytes; send less at a time',
    }
    expect(refusalOf(`${text} `)).toEqual(refusal)
    expect(refusalOf(bytes(`${text} `))).toEqual(refusal)
  })

  test('a text is measured in UTF-8 bytes', () => {
    expect(parseJson('"éé"', { bytesMax: 6 }).ok).toBe(true)
    expect(refusalOf('"éé"', { bytesMax: 5 }).code).toBe('too_large')
  })

  test('a caller may set its own limits and its own name for the input', () => {
    expect(refusalOf('[[]]', { depthMax: 1, subject: 'tools' }).detail).toBe(
      'tools: is nested deeper than 1 levels; flatten it',
    )
  })
})

describe('a malformed text', () => {
  test('bytes that are no UTF-8 are refused', () => {
    for (const bad of [[0xff], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0xc0, 0xaf]]) {
      expect(refusalOf(new Uint8Array(bad))).toEqual({
        code: 'malformed',
        detail: 'body: is not valid UTF-8; send JSON encoded as UTF-8',
      })
    }
  })

  test('an empty text is refused', () => {
    expect(refusalOf('').detail).toBe('body: is empty; send one JSON value')
    expect(refusalOf(new Uint8Array()).detail).toBe('body: is empty; send one JSON value')
  })

  test('text that is no JSON is refused with the place and without a word of it', () => {
    const refusal = refusalOf('{"password":"hunter2",}')
    expect(refusal).toEqual({
      code: 'malformed',
      detail:
        'body: is not JSON at line 1, column 22: this comma is one too many; nothing follows it',
    })
    for (const bad of ['{', '"', '"\\', '[1]]', 'NaN', "{'a':1}", '\uFEFF\uFEFF1', '01', ']']) {
      expect(refusalOf(bad).code).toBe('malformed')
    }
  })

  test('a raw NUL byte is refused anywhere', () => {
    expect(refusalOf('{"a":"\u0000"}').detail).toBe('body: holds a NUL byte; leave it out')
    expect(refusalOf('{}\u0000').detail).toBe('body: holds a NUL byte; leave it out')
  })

  test('an escaped NUL in a text or a name is refused with its place', () => {
    expect(refusalOf('{"a":[1,"x\\u0000y"]}')).toEqual({
      code: 'malformed',
      detail: 'body at /a/1: the text holds U+0000; leave it out',
      faults: [{ pointer: '/a/1', message: 'the text holds U+0000; leave it out' }],
    })
    expect(refusalOf('{"a\\u0000":1}').faults).toEqual([
      { pointer: '/a\uFFFD', message: 'the name holds U+0000; leave it out' },
    ])
  })

  test('half of a surrogate pair is refused, escaped or raw', () => {
    const fault = {
      pointer: '/0',
      message: 'the text holds half of a surrogate pair; send whole characters',
    }
    expect(refusalOf('["\\ud83d"]').faults).toEqual([fault])
    expect(refusalOf('["\ud83d"]').faults).toEqual([fault])
  })

  test('the name __proto__ is refused at any depth, however it is written', () => {
    expect(refusalOf('{"a":[{"__proto__":{"admin":true}}]}')).toEqual({
      code: 'malformed',
      detail: 'body at /a/0/__proto__: the name `__proto__` is refused; rename it',
      faults: [
        { pointer: '/a/0/__proto__', message: 'the name `__proto__` is refused; rename it' },
      ],
    })
    expect(refusalOf('{"\\u005f_proto__":1}').faults?.[0]?.pointer).toBe('/__proto__')
  })

  test('the name constructor is refused with a prototype in it', () => {
    expect(refusalOf('{"constructor":{"prototype":{"x":1}}}').faults).toEqual([
      {
        pointer: '/constructor',
        message: '`constructor` with a `prototype` in it is refused; rename it',
      },
    ])
  })

  test('a pointer is cut at 200 characters, whatever names the sender chose', () => {
    const text = JSON.stringify({ ['k'.repeat(5000)]: 'x\u0000' })
    expect(refusalOf(text).faults?.[0]?.pointer).toHaveLength(200)
  })
})

describe('a random input', () => {
  test('no bytes make the parser throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        expect(typeof parseJson(input).ok).toBe('boolean')
      }),
      FUZZ,
    )
  })

  test('the parser takes exactly the texts that JSON.parse takes, forbidden ones aside', () => {
    const nearJson = fc
      .array(
        fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '\\u0000', 'a', '1', '-', ' '),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(nearJson, (text) => {
        const parsed = parseJson(text)
        const isForbidden = !parsed.ok && parsed.error.faults !== undefined
        expect(parsed.ok || isForbidden).toBe(isJson(text))
      }),
      FUZZ,
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
