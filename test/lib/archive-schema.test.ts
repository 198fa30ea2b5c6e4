/** The tables of Athena have the columns that the archive has, and fit an output of a stack. */
import { expect, test } from 'vitest'
import { toArchiveLine } from '../../core/archive/archive-entry.ts'
import { buildObjectName, parseObjectName } from '../../core/archive/archive-object.ts'
import { parseTrail, toTrailObject } from '../../core/archive/trail-object.ts'
import {
  AUDIT_COLUMNS,
  formatAuditTableSql,
  formatLedgerTableSql,
  LEDGER_COLUMNS,
} from '../../lib/archive-schema.ts'
import { settledOf } from '../contracts/fresh.ts'

const OUTPUT_BYTES_MAX = 1_024
const BUCKET = 'b'.repeat(63)

test('every field of a line is a column, and no column is without a field', () => {
  const call = toArchiveLine({
    kind: 'call',
    outcome: {
      ...settledOf('ada', 'c1', 1),
      reason: 'void',
      upstreamStatus: 200,
      facts: {
        keyId: 'k',
        door: 'mcp',
        client: 'c',
        upstreamHost: 'h',
        traceId: 't',
        phases: {},
        secretsUsed: 'user',
      },
    },
  })
  const grant = toArchiveLine({
    kind: 'grant',
    uid: 'ada',
    grant: { grantId: 'g', amount: 1, reason: 'why', createdAtMs: 1 },
  })
  const fields = [call, grant].flatMap(({ text }) => Object.keys(JSON.parse(text)))
  expect([...new Set(fields)].sort()).toEqual(Object.keys(LEDGER_COLUMNS).sort())
})

test('a record of the trail has the columns, beside the day, which is the partition, and the link', () => {
  const record = {
    day: '2026-11-22',
    seq: 1,
    kind: 'intent',
    intent: 1,
    prev: '',
    text: '{}',
    hash: 'h',
    link: { day: '2026-11-21', count: 1, hash: 'g' },
  } as const
  const { text } = toTrailObject({ day: '2026-11-22', count: 1, hash: 'h' }, [record])
  const fields = Object.keys(JSON.parse(text)).filter((name) => name !== 'day' && name !== 'link')
  expect(fields.sort()).toEqual(Object.keys(AUDIT_COLUMNS).sort())
  expect(parseTrail(text)).toEqual([record])
})

test('statements fit an output of a stack, with the longest name of a bucket', () => {
  for (const sql of [formatLedgerTableSql(BUCKET), formatAuditTableSql(BUCKET)]) {
    expect(Buffer.byteLength(sql)).toBeLessThanOrEqual(OUTPUT_BYTES_MAX)
  }
})

test('days are projected onto the names of objects', () => {
  const sql = formatLedgerTableSql('archive')
  expect(sql).toContain(`'storage.location.template'='s3://archive/ledger/day=\${day}/'`)
  expect(sql).toContain("'projection.day.format'='yyyy-MM-dd'")
  expect(buildObjectName('ledger/', '2026-11-22', 'x')).toBe('ledger/day=2026-11-22/x.ndjson.gz')
  expect(parseObjectName('ledger/', 'ledger/day=2026-11-22/x.ndjson.gz')).toEqual({
    day: '2026-11-22',
    own: 'x',
  })
})
