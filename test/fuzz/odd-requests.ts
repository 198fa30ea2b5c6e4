/**
 * One request to a door with its circumstances: a correct one, of which some parts are odd. Made of
 * plain data, so that fast-check can repeat and shrink it.
 */
import fc from 'fast-check'
import { REQUEST_BODY_BYTES_MAX } from '../../adapters/http/request.ts'
import type { Json } from '../../core/json/json.ts'
import { changed, changes } from './changed-text.ts'
import { agentHeaders, type Header, internalHeaders } from './odd-headers.ts'
import { edits, written } from './odd-json.ts'
import { methodOr, pathOr, queries } from './odd-targets.ts'
import { EXECUTE_BODIES, MESSAGES, VOIDS } from './right-requests.ts'
import { type UpstreamPlan, upstreamPlans } from './upstream-plans.ts'

export type OddRequest = {
  readonly door: 'execute' | 'sse' | 'mcp'
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: readonly Header[]
  /** In the form of the platform. */
  readonly body: string | undefined
  readonly isBase64: boolean
  /** Sent through the URL that only our own functions can call. */
  readonly iam: boolean
  readonly upstream: UpstreamPlan
  readonly isStoreDown: boolean
  /** Body and mirrored headers are those of a correct request. */
  readonly isUntouched?: boolean
  /** Turns of the event loop after which the client hangs up. */
  readonly leavesAfterTurns?: number | undefined
}

type EncodedBody = Pick<OddRequest, 'body' | 'isBase64'>

const ENCODINGS: readonly ((text: string) => EncodedBody)[] = [
  (text) => ({ body: text, isBase64: false }),
  (text) => ({ body: Buffer.from(text).toString('base64'), isBase64: true }),
  (text) => ({ body: Buffer.from(`\ufeff${text}`).toString('base64'), isBase64: true }),
  (text) => ({ body: Buffer.from(text, 'utf16le').toString('base64'), isBase64: true }),
  (text) => ({ body: Buffer.from(text, 'latin1').toString('base64'), isBase64: true }),
  (text) => ({ body: `${Buffer.from(text).toString('base64')}/////w==`, isBase64: true }),
  (text) => ({ body: text, isBase64: true }),
  (text) => ({ body: Buffer.from(text).toString('base64'), isBase64: false }),
  () => ({ body: undefined, isBase64: false }),
  () => ({ body: '', isBase64: true }),
]
export const encoding = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...ENCODINGS.slice(0, 2)) },
  { weight: 1, arbitrary: fc.constantFrom(...ENCODINGS.slice(2)) },
)

/** Correct values, edited and changed and encoded. */
function bodies(right: readonly Json[]): fc.Arbitrary<EncodedBody> {
  const texts = fc
    .tuple(fc.constantFrom(...right), edits, changes)
    .map(([value, made, more]) => changed(written(value, made), more))
  return fc.oneof(
    { weight: 60, arbitrary: fc.tuple(texts, encoding).map(([text, encode]) => encode(text)) },
    { weight: 2, arbitrary: randomBytes },
    { weight: 1, arbitrary: fc.constantFrom(...atTheLimits(right)) },
  )
}

const randomBytes: fc.Arbitrary<EncodedBody> = fc
  .uint8Array({ maxLength: 64 })
  .map((all) => ({ body: Buffer.from(all).toString('base64'), isBase64: true }))

/** The longest allowed body, one byte more, and as many members as fit. */
function atTheLimits([first = {}]: readonly Json[]): readonly EncodedBody[] {
  const text = JSON.stringify(first)
  const fill = ' '.repeat(REQUEST_BODY_BYTES_MAX - text.length)
  const members = Array.from({ length: 20_000 }, (_, nth) => `"${nth}":0`).join(',')
  const long = JSON.stringify('x'.repeat(REQUEST_BODY_BYTES_MAX - 100))
  return [
    text + fill,
    `${text}${fill} `,
    `{${members}}`,
    `{"arguments":{${members}},"skill":"sg_any"}`,
    `{"skill":${long}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sg_any","arguments":{${members}}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sg_any","arguments":{"a":${long}}}}`,
    `{"jsonrpc":"2.0","id":1,"method":${long}}`,
  ].map((body) => ({ body, isBase64: false }))
}

/** Bodies of no message: random bytes, and bodies of the largest size. */
export const oddBytes: fc.Arbitrary<EncodedBody> = fc.oneof(
  { weight: 2, arbitrary: randomBytes },
  { weight: 1, arbitrary: fc.constantFrom(...atTheLimits([])) },
)

export const met = {
  upstream: upstreamPlans,
  isStoreDown: fc.oneof(
    { weight: 40, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
}
const publicly = { iam: fc.constant(false), headers: agentHeaders }

type Parts = {
  readonly [name in keyof Omit<OddRequest, 'body' | 'isBase64'>]: fc.Arbitrary<OddRequest[name]>
}

function requests(parts: Parts, sent: fc.Arbitrary<EncodedBody>): fc.Arbitrary<OddRequest> {
  return fc.tuple(fc.record(parts), sent).map(([request, body]) => shown({ ...request, ...body }))
}

const noQuery = fc.oneof(
  { weight: 20, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: queries },
)

export const executeRequests = fc.oneof(
  {
    weight: 10,
    arbitrary: requests(
      {
        door: fc.constant('execute'),
        method: methodOr('POST'),
        path: pathOr('/v1/execute'),
        query: noQuery,
        ...publicly,
        ...met,
      },
      bodies(EXECUTE_BODIES),
    ),
  },
  {
    weight: 2,
    arbitrary: requests(
      {
        door: fc.constant('execute'),
        method: methodOr('POST'),
        path: pathOr('/v1/execute'),
        query: noQuery,
        iam: fc.constant(true),
        headers: internalHeaders,
        ...met,
      },
      bodies(EXECUTE_BODIES),
    ),
  },
  {
    weight: 1,
    arbitrary: requests(
      {
        door: fc.constant('execute'),
        method: methodOr('POST'),
        path: pathOr('/v1/execute/void'),
        query: noQuery,
        iam: fc.constant(true),
        headers: internalHeaders,
        ...met,
      },
      bodies(VOIDS),
    ),
  },
)

export const messageRequests = requests(
  {
    door: fc.constant('sse'),
    method: methodOr('POST'),
    path: pathOr('/v1/mcp/messages'),
    query: queries,
    ...publicly,
    ...met,
  },
  bodies(MESSAGES),
)

export const openRequests = requests(
  {
    door: fc.constant('sse'),
    method: methodOr('GET'),
    path: pathOr('/v1/mcp/sse'),
    query: noQuery,
    ...publicly,
    ...met,
  },
  fc.constantFrom({ body: undefined, isBase64: false }, { body: 'x', isBase64: true }),
)

const SHOWN_CHARS_MAX = 1_500

/** Shortened: in a report a MiB of text helps no reader. */
export function shown(request: OddRequest): OddRequest {
  const text = () => JSON.stringify(request).slice(0, SHOWN_CHARS_MAX)
  return Object.defineProperty(request, fc.toStringMethod, { value: text })
}
