/**
 * Odd POSTs to the door mcp: a correct one of some revision, its body edited as at the other doors,
 * its mirrored headers left out, doubled, padded, spelled otherwise, encoded, too long.
 */
import fc from 'fast-check'
import { KEYS, SESSIONS } from './canaries.ts'
import { changed, changes } from './changed-text.ts'
import { agentHeaders, type Header } from './odd-headers.ts'
import { edits, written } from './odd-json.ts'
import { encoding, met, type OddRequest, oddBytes, shown } from './odd-requests.ts'
import { methodOr, pathOr } from './odd-targets.ts'
import { rarely } from './rarely.ts'
import { LISTS, RIGHT_MCP } from './right-mcp.ts'

type HeaderEdit = {
  readonly at: number
  readonly edit: (header: Header) => readonly Header[]
}

const sentinel = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

const HEADER_EDITS: readonly ((header: Header) => readonly Header[])[] = [
  () => [],
  ([name, value]) => [[name.toUpperCase(), value]],
  ([name, value]) => [
    [name, value],
    [name.toUpperCase(), value],
  ],
  ([name, value]) => [
    [name, value],
    [name.toUpperCase(), 'tools/list'],
  ],
  ([name, value]) => [[name, ` \t${value}\t `]],
  ([name, value]) => [[name, `\u00a0${value}`]],
  ([name, value]) => [[name, value.toUpperCase()]],
  ([name, value]) => [[name, sentinel(value)]],
  ([name, value]) => [[name, sentinel(value).toUpperCase()]],
  ([name, value]) => [[name, sentinel(value).replace(/=+\?=$/, '?=')]],
  ([name, value]) => [[name, `${sentinel(value)} `]],
  ([name, value]) => [[name, `=?base64?${value}`]],
  ([name, value]) => [[name, `${value}\0`]],
  ([name, value]) => [[name, `${value}\r\nx: y`]],
  ([name, value]) => [[name, `${value},${value}`]],
  ([name]) => [[name, '']],
  ([name]) => [[name, '=?base64??=']],
  ([name]) => [[name, '=?base64?/w==?=']],
  ([name]) => [[name, '\u{1f44d}']],
  ([name]) => [[name, '\ud800']],
  ([name]) => [[name, 'x'.repeat(8_192)]],
  ([name]) => [[name, 'x'.repeat(8_193)]],
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2026-07-28', '2099-01-01', '__proto__'].map(
    (value) =>
      ([name]: Header): readonly Header[] => [[name, value]],
  ),
]

const headerEdits: fc.Arbitrary<readonly HeaderEdit[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({ at: fc.nat({ max: 4 }), edit: fc.constantFrom(...HEADER_EDITS) }),
      { minLength: 1, maxLength: 2 },
    ),
  },
)

function edited(headers: readonly Header[], made: readonly HeaderEdit[]): readonly Header[] {
  return headers.flatMap((header, nth) => {
    const how = made.find(({ at }) => at % headers.length === nth)
    return how === undefined ? [header] : how.edit(header)
  })
}

const others: fc.Arbitrary<readonly Header[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.subarray<Header>(
      [
        ['mcp-session-id', SESSIONS.bob],
        ['mcp-protocol-version', '2025-11-25'],
        ['MCP-Protocol-Version', '2026-07-28'],
        ['mcp-name', 'sg_any'],
        ['mcp-param-region', 'eu'],
        ['Mcp-Param-__proto__', 'x'],
        ['mcp-param-', 'x'],
        ['last-event-id', '1'],
      ],
      { maxLength: 2 },
    ),
  },
)

const accept = rarely(
  ['application/json, text/event-stream', 'application/json', '*/*', 'text/event-stream'],
  [
    '',
    'text/html',
    'APPLICATION/JSON;q=0',
    'text/event-stream;q=0.1,',
    ',,,',
    '\0',
    'x'.repeat(9_000),
  ],
  15,
)

const right = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom(...RIGHT_MCP) },
  { weight: 1, arbitrary: fc.constantFrom(...LISTS) },
)

const bodies = fc
  .tuple(right, edits, changes, encoding, headerEdits, others)
  .map(([{ body, headers }, made, more, encode, headersMade, added]) => {
    const text = changed(written(body, made), more)
    const sent = encode(text)
    const read = Buffer.from(sent.body ?? '', sent.isBase64 ? 'base64' : 'utf8').toString()
    const isUntouched = [made, more, headersMade, added].every((one) => one.length === 0)
    return {
      ...sent,
      mirrored: [...edited(headers, headersMade), ...added],
      // Some items of a batch are wrong by themselves.
      isUntouched: isUntouched && read === text && !Array.isArray(body),
    }
  })

/** Messages that were never correct, under the headers of a correct one. */
const junk = fc.tuple(oddBytes, right).map(([sent, { headers }]) => ({
  ...sent,
  mirrored: headers,
  isUntouched: false,
}))

/** Sent by a user with a low limit per minute: no other user would reach theirs. */
const SLOW: Header = ['authorization', `Bearer ${KEYS.slow}`]

const leaves = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat({ max: 60 }) },
)

const PATHS = ['/mcp', '/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/']

export const mcpRequests: fc.Arbitrary<OddRequest> = fc
  .record({
    method: methodOr('POST'),
    path: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...PATHS) },
      { weight: 1, arbitrary: pathOr('/mcp') },
    ),
    query: fc.constant(''),
    agent: agentHeaders,
    isSlow: rarely([false], [true], 3),
    accept: fc.option(accept),
    leavesAfterTurns: leaves,
    sent: fc.oneof({ weight: 12, arbitrary: bodies }, { weight: 1, arbitrary: junk }),
    ...met,
  })
  .map(({ accept: accepts, agent, isSlow, leavesAfterTurns, sent, ...request }) => {
    const { body, isBase64, isUntouched, mirrored } = sent
    const accepted: readonly Header[] = accepts === null ? [] : [['accept', accepts]]
    const key: readonly Header[] = isSlow ? [SLOW] : []
    const headers = [...agent, ...key, ...accepted, ...mirrored]
    return shown({
      ...request,
      door: 'mcp' as const,
      iam: false,
      headers,
      body,
      isBase64,
      isUntouched,
      leavesAfterTurns,
    })
  })
