/** The facts of a call as one short text, which keeps its record within one write unit. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import {
  CALL_DOORS,
  type CallFacts,
  CLIENT_CHARS_MAX,
  fitFacts,
  PHASES,
  readFacts,
  shortenClient,
  shortenHost,
  UPSTREAM_HOST_CHARS_MAX,
  writeFacts,
} from '../../../core/ledger/call-facts.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'

const MS = fc.nat({ max: 20_000 })
const PHASE_RECORD = fc.record(Object.fromEntries(PHASES.map((phase) => [phase, MS])), {
  requiredKeys: [],
})
const FACTS: fc.Arbitrary<CallFacts> = fc.record(
  {
    keyId: fc.string({ minLength: 1 }),
    door: fc.constantFrom(...CALL_DOORS),
    phases: PHASE_RECORD,
    client: fc.string(),
    upstreamHost: fc.string(),
    traceId: fc.string(),
    secretsUsed: fc.string(),
  },
  { requiredKeys: ['keyId', 'door', 'phases'] },
)

describe('the facts of a call', () => {
  test('are read as they were written, whatever is absent', () => {
    fc.assert(
      fc.property(FACTS, (facts) => {
        expect(readFacts(writeFacts(facts))).toEqual({ ...facts, phases: { ...facts.phases } })
      }),
    )
  })

  test.each(['', 'x', '{}', '[]', '["k"]', '["k","ftp",[]]', '[1,"mcp",[]]', '["k","mcp",7]'])(
    'are not read from %s',
    (text) => expect(readFacts(text)).toBeUndefined(),
  )

  test('take 98 bytes for a plain call', () => {
    const phases = { auth: 3, limits: 4, hold: 5, connect: 0, firstByte: 200, body: 1, answer: 2 }
    const text = writeFacts({ keyId: 'k'.repeat(43), door: 'rest', phases, client: 'curl/8.5.0' })
    expect(text).toBe(`["${'k'.repeat(43)}","rest",[3,4,5,0,200,1,2],"curl/8.5.0"]`)
    expect(text.length).toBeLessThan(100)
  })
})

const facts: CallFacts = {
  keyId: 'k'.repeat(43),
  door: 'mcp',
  client: 'c'.repeat(CLIENT_CHARS_MAX),
  upstreamHost: 'h'.repeat(UPSTREAM_HOST_CHARS_MAX),
  traceId: 't'.repeat(32),
  phases: Object.fromEntries(PHASES.map((phase) => [phase, 15_000])),
}

describe('a record that is too long', () => {
  const kept = (skillChars: number) =>
    Object.keys(
      fitFacts(facts, {
        uid: 'u'.repeat(64),
        callId: 'c'.repeat(32),
        skillId: 's'.repeat(skillChars),
      }),
    )

  test('drops the client first, then the host, then the trace, and never the key', () => {
    expect(kept(20)).toEqual(['keyId', 'door', 'client', 'upstreamHost', 'traceId', 'phases'])
    expect(kept(270)).toEqual(['keyId', 'door', 'upstreamHost', 'traceId', 'phases'])
    expect(kept(330)).toEqual(['keyId', 'door', 'traceId', 'phases'])
    expect(kept(1_000)).toEqual(['keyId', 'door', 'phases'])
  })
})

describe('the record of a call', () => {
  const LONGEST: Outcome = {
    uid: 'u'.repeat(64),
    callId: 'c'.repeat(32),
    skillId: 's'.repeat(134),
    source: 'official',
    skillVersion: 99_999,
    state: 'refunded',
    reason: 'client_capability_missing',
    amount: 99_999_999_999_999,
    placement: 9_999_999,
    createdAtMs: 1_795_219_200_000,
    endedAtMs: 1_795_219_200_001,
    durationMs: 15_999,
    upstreamStatus: 599,
    counted: {
      month: '2026-11',
      userSinceMs: 1_795_219_200_000,
      keyHash: 'k'.repeat(43),
      keySinceMs: 1_795_219_200_000,
    },
  }

  test.each([0, 116, 117, 163, 224, 225])(
    'is one write unit with %i more characters in its skill’s id',
    (more) => {
      const skillId = LONGEST.skillId + 's'.repeat(more)
      const outcome = { ...LONGEST, skillId, facts: fitFacts(facts, { ...LONGEST, skillId }) }
      expect(sizeOf(toOutcomeItem(outcome))).toBeLessThanOrEqual(1_024)
    },
  )
})

/** Amounts are objects of the SDK, and no maps. */
function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && 'month' in value
}

/** As DynamoDB counts, and a byte for each member of a map: names and texts in UTF-8, numbers as half their digits and one. */
function sizeOf(item: { readonly [name: string]: unknown }): number {
  const bytes = (text: string) => new TextEncoder().encode(text).length
  const valueBytes = (value: unknown) =>
    typeof value === 'string'
      ? bytes(value)
      : isMap(value)
        ? 3 + sizeOf(value)
        : Math.ceil(String(value).length / 2) + 1
  return Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + bytes(name) + valueBytes(value), 0)
}

describe('texts of clients and upstreams', () => {
  test('a text of a client is cut to its limit and made printable ASCII', () => {
    expect(shortenClient('x'.repeat(CLIENT_CHARS_MAX))).toBe('x'.repeat(CLIENT_CHARS_MAX))
    expect(shortenClient('x'.repeat(CLIENT_CHARS_MAX + 1))).toBe('x'.repeat(CLIENT_CHARS_MAX))
    expect(shortenClient(' Zo\u00eb v1\n')).toBe('Zo? v1?')
    expect(shortenClient('\u0000')).toBe('?')
    expect(shortenClient('  ')).toBeUndefined()
    expect(shortenClient(undefined)).toBeUndefined()
  })

  test('a host that is too long keeps its end', () => {
    const host = `${'a'.repeat(40)}.${'b'.repeat(40)}.example`
    expect(shortenHost(host)).toHaveLength(UPSTREAM_HOST_CHARS_MAX)
    expect(shortenHost(host).endsWith('b.example')).toBe(true)
    expect(shortenHost('x'.repeat(UPSTREAM_HOST_CHARS_MAX))).toBe(
      'x'.repeat(UPSTREAM_HOST_CHARS_MAX),
    )
  })
})
