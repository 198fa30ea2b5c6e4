/**
 * The classifier under any input: it never throws, its result can always be sent by the function,
 * and it gives ids back as they came. To run more cases:
 *
 *   FUZZ_RUNS=100000 npx vitest run --project fuzz test/core/mcp/classify-properties.test.ts
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Classification, ClassifiedRefusal, Single } from '../../../core/mcp/classified.ts'
import { classified, MODERN_META, shortly } from './posted.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3_000)
const FUZZ = { seed: 20_260_728, numRuns: RUNS }

const version = fc.constantFrom(
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '2099-01-01',
  '',
)
const method = fc.constantFrom(
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'server/discover',
  'subscriptions/listen',
  'notifications/cancelled',
  'no/such',
)
const odd = fc.jsonValue({ maxDepth: 2 })
const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: odd })

const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': mostly(version),
    'io.modelcontextprotocol/clientCapabilities': mostly(fc.constant({})),
    'io.modelcontextprotocol/clientInfo': mostly(fc.constant({ name: 'a', version: '1' })),
    'io.modelcontextprotocol/logLevel': mostly(fc.constant('info')),
    progressToken: mostly(fc.oneof(fc.string(), fc.integer())),
  },
  { requiredKeys: [] },
)
const params = fc.record(
  {
    name: mostly(fc.constantFrom('sg_echo', 'ä')),
    arguments: mostly(fc.constant({})),
    cursor: mostly(fc.string()),
    protocolVersion: mostly(version),
    requestId: mostly(fc.integer()),
    notifications: mostly(fc.constant({ toolsListChanged: true })),
    inputResponses: mostly(fc.constant({ k: {} })),
    requestState: mostly(fc.string()),
    _meta: mostly(meta),
  },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    jsonrpc: mostly(fc.constant('2.0')),
    id: mostly(fc.oneof(fc.string(), fc.integer())),
    method: mostly(method),
    params: mostly(params),
    result: odd,
    error: odd,
  },
  { requiredKeys: ['jsonrpc'] },
)
const body = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }) },
  { weight: 1, arbitrary: odd },
)
const headerValue = fc.oneof(version, method, fc.string({ unit: 'binary' }), fc.constant('sg_echo'))
const headers = fc.dictionary(
  fc.constantFrom(
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-param-a',
    'mcp-session-id',
  ),
  headerValue,
)

function refusals(classification: Classification): readonly ClassifiedRefusal[] {
  const all: readonly Single[] =
    classification.kind === 'batch' ? classification.items : [classification]
  return all.filter((one) => one.kind === 'refused')
}

function judge(classification: Classification): void {
  for (const { error, status } of refusals(classification)) {
    expect([200, 400, 404]).toContain(status)
    expect([-32700, -32600, -32601, -32602, -32020, -32022]).toContain(error.code)
    expect(error.message.isWellFormed()).toBe(true)
  }
  JSON.stringify(classification)
}

test('any bytes get a result that can be sent', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), headers, (bytes, given) => {
      judge(classified(bytes, given))
    }),
    FUZZ,
  )
})

test('any JSON under any headers gets a result that can be sent', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(body, headers, (value, given) => {
      const classification = classified(value, given)
      judge(classification)
      kinds.add(classification.kind)
    }),
    FUZZ,
  )
  expect([...kinds].sort()).toEqual(['batch', 'notification', 'refused', 'request', 'response'])
})

test('a body that was cut or changed anywhere gets a result that can be sent', () => {
  const change = fc.record({ at: fc.nat(), text: fc.string({ maxLength: 3 }), cut: fc.nat(3) })
  fc.assert(
    fc.property(body, headers, change, (value, given, { at, cut, text }) => {
      const whole = JSON.stringify(value)
      const from = at % (whole.length + 1)
      judge(classified(`${whole.slice(0, from)}${text}${whole.slice(from + cut)}`, given))
    }),
    FUZZ,
  )
})

// Holds: RPC-4, STR-18
test('ids come back as they came, in both eras and in batches, whatever happens to the request', () => {
  const id = fc.oneof(
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.integer().map((number) => `${number}.0`),
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => JSON.stringify(text)),
  )
  fc.assert(
    fc.property(id, method, version, fc.boolean(), (idText, named, header, isModern) => {
      const envelope = isModern ? JSON.stringify({ _meta: MODERN_META }) : '{}'
      const text = `{"jsonrpc":"2.0","id":${idText},"method":"${named}","params":${envelope}}`
      const one = classified(text, { 'mcp-protocol-version': header, 'mcp-method': named })
      if (one.kind !== 'request' && one.kind !== 'refused') throw new Error(shortly(one))
      expect(one.id).toBe(idText)
      const batch = classified(`[${text}]`)
      if (batch.kind === 'batch') expect(batch.items).toMatchObject([{ id: idText }])
    }),
    FUZZ,
  )
})
