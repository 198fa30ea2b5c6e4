/** Headers, correct ones and others. */

import fc from 'fast-check'
import { writeCredential } from '../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../bench/lib/credential.ts'
import { START_MS } from '../core/flow/manual-clock.ts'
import { KEYS, SESSIONS } from './canaries.ts'
import { rarely } from './rarely.ts'
import { CALL_IDS } from './right-requests.ts'

export type Header = readonly [name: string, value: string]

/** Almost correct values. */
export const flipped = (text: string) => `${text.slice(0, -1)}_`

const authorization = rarely(
  [KEYS.ada, KEYS.ada, KEYS.ada, KEYS.poor, KEYS.slow].map((key) => `Bearer ${key}`),
  [
    '',
    ' ',
    'Bearer',
    'Bearer ',
    KEYS.ada,
    `Basic ${KEYS.ada}`,
    `bearer  ${KEYS.ada} `,
    `Bearer ${KEYS.ada}, Bearer ${KEYS.bob}`,
    `Bearer ${KEYS.ada} ${KEYS.bob}`,
    `Bearer ${flipped(KEYS.ada)}`,
    `Bearer ${KEYS.bob.toUpperCase()}`,
    `Bearer\t${KEYS.ada}`,
    `Bearer ${KEYS.ada}\0`,
    `Bearer ${KEYS.ada}\r\nx: y`,
    `Bearer ${'x'.repeat(4_089)}`,
    `Bearer ${'x'.repeat(4_090)}`,
    'Bearer sgk_',
    'Bearer __proto__',
    'Bearer \u{1f44d}',
  ],
  12,
)
const credential = rarely(
  [KEYS.ada, KEYS.ada, KEYS.ada, KEYS.poor, KEYS.slow].map((key) =>
    writeCredential(credentialOf(`Bearer ${key}`)),
  ),
  [
    '',
    'e30',
    'bnVsbA',
    '\0',
    `Bearer ${KEYS.ada}`,
    writeCredential(credentialOf(undefined)),
    writeCredential(credentialOf('Bearer a b')),
    writeCredential(credentialOf(`Bearer ${flipped(KEYS.ada)}`)),
    'x'.repeat(8_000),
  ],
  12,
)
const contentType = rarely(
  ['application/json', 'application/json', 'Application/JSON; charset=utf-8'],
  [
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json, text/plain',
    '/',
    'application/json;',
    'application/json; charset="utf-8',
    'application/json; charset=',
    '\0',
    'multipart/form-data; boundary=x',
    'application/json; a=b; charset=UTF8',
    'x'.repeat(8_000),
    `application/json;${' '.repeat(8_000)}`,
  ],
  20,
)

const CALL_TERMS: readonly Header[] = [
  ...CALL_IDS.map((id) => ['x-skillgate-call-id', id] as const),
  ...['', 'short', '../../../../../../..', 'x'.repeat(65), '\0'.repeat(20), 'é'.repeat(20)].map(
    (id) => ['x-skillgate-call-id', id] as const,
  ),
  ...[
    START_MS + 15_000,
    START_MS + 60_000,
    START_MS,
    0,
    -1,
    1e300,
    Number.NaN,
    '',
    '0x1',
    '1e99',
  ].map((at) => ['x-skillgate-deadline-ms', String(at)] as const),
  ['x-skillgate-credential', writeCredential(credentialOf(`Bearer ${KEYS.ada}`))],
  ['x-skillgate-credential', writeCredential(credentialOf(`Bearer ${KEYS.poor}`))],
]
const OTHERS: readonly Header[] = [
  ...[
    'k1',
    'k1',
    'k2',
    '',
    ' ',
    'a b',
    'é',
    'x'.repeat(128),
    'x'.repeat(129),
    '__proto__',
    '\0',
  ].map((key) => ['idempotency-key', key] as const),
  ...['https://app.example', 'https://gw.example', 'https://evil.example', 'null', '', '*'].map(
    (origin) => ['origin', origin] as const,
  ),
  ...[
    'https://app.example\r\nx: y',
    'http://[::1',
    'https://app.example, https://evil.example',
  ].map((origin) => ['origin', origin] as const),
  ...['', 'evil.example', 'gw.example:443', 'é', '\0', 'x'.repeat(300)].map(
    (host) => ['host', host] as const,
  ),
  ['traceparent', `00-${'d'.repeat(32)}-b7ad6b7169203331-01`],
  ['traceparent', '"><script>'],
  ['x-amzn-trace-id', 'Root=1-5759e988-bd862e3fe1be46a994272793'],
  ['x-amzn-trace-id', 'Root=;;=;'],
  ['accept', 'text/event-stream'],
  ['last-event-id', '\ud800'],
  ['mcp-session-id', SESSIONS.bob],
  ['x-forwarded-for', '\n'],
  ['cookie', 'a=b; __proto__=c'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['', ''],
  ['x-\u00e9', '\u00e9'],
  ['x-big', 'x'.repeat(8_192)],
  ['x-big', 'x'.repeat(8_193)],
  ['x-big', '\u{1f44d}'.repeat(2_048)],
  ['X'.repeat(33_000), 'x'],
]

const spelled = (name: string) =>
  rarely([name], [name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)], 8)

const named = (name: string, value: fc.Arbitrary<string>) => fc.tuple(spelled(name), value)

/** Later ones replace earlier ones of the same spelling. */
const others = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...OTHERS) },
    { weight: 1, arbitrary: fc.constantFrom(...CALL_TERMS) },
  ),
  { maxLength: 3 },
)

const sent = (header: fc.Arbitrary<Header>, weight: number) =>
  fc.oneof(
    { weight, arbitrary: header.map((one) => [one]) },
    { weight: 1, arbitrary: fc.constant([]) },
  )

export const agentHeaders: fc.Arbitrary<readonly Header[]> = fc
  .tuple(
    sent(named('authorization', authorization), 20),
    sent(named('content-type', contentType), 30),
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: others }),
  )
  .map((parts) => parts.flat())

/** Usually with call id and deadline. */
export const internalHeaders: fc.Arbitrary<readonly Header[]> = fc
  .tuple(
    sent(named('x-skillgate-credential', credential), 20),
    sent(named('content-type', contentType), 30),
    sent(named('x-skillgate-call-id', fc.constantFrom(...CALL_IDS)), 20),
    sent(named('x-skillgate-deadline-ms', fc.constant(String(START_MS + 3_600_000))), 20),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: others }),
  )
  .map((parts) => parts.flat())
