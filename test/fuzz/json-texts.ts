/** JSON values that are hard to read, and texts that are almost JSON. */

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
  // Cut after 64, 128 or 200 units, these end in half a character.
  ...[63, 127, 199].map((units) => JSON.stringify(`${'x'.repeat(units)}👍`)),
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
