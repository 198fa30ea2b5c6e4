/**
 * The archive as tables of Athena: SQL statements that a person runs once; the stack outputs them.
 * Partitions are computed from days, so nothing is added day by day; a query should name its days.
 * Columns are those of core/archive/archive-entry.ts and core/archive/trail-object.ts.
 */

export const LEDGER_COLUMNS = {
  kind: 'string',
  uid: 'string',
  id: 'string',
  state: 'string',
  amount_micro_credits: 'bigint',
  charged_micro_credits: 'bigint',
  created_at_ms: 'bigint',
  ended_at_ms: 'bigint',
  duration_ms: 'bigint',
  reason: 'string',
  skill_id: 'string',
  source: 'string',
  skill_version: 'int',
  upstream_status: 'int',
  key_id: 'string',
  door: 'string',
  client: 'string',
  upstream_host: 'string',
  trace_id: 'string',
  secrets_used: 'string',
} as const

export const AUDIT_COLUMNS = {
  seq: 'int',
  kind: 'string',
  intent: 'int',
  prev: 'string',
  hash: 'string',
  text: 'string',
} as const

/** The first day that an archive can have. */
const FIRST_DAY = '2026-11-01'

/** Returns the statement that creates the table of the ledger. */
export function formatLedgerTableSql(bucket: string): string {
  return formatTableSql('skillgate_ledger', LEDGER_COLUMNS, `s3://${bucket}/ledger`)
}

/** Returns the statement that creates the table of the trail of changes. */
export function formatAuditTableSql(bucket: string): string {
  return formatTableSql('skillgate_audit', AUDIT_COLUMNS, `s3://${bucket}/audit`)
}

function formatTableSql(
  name: string,
  columns: { readonly [name: string]: string },
  place: string,
): string {
  const list = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  const properties = {
    'projection.enabled': 'true',
    'projection.day.type': 'date',
    'projection.day.format': 'yyyy-MM-dd',
    'projection.day.range': `${FIRST_DAY},NOW`,
    'storage.location.template': `${place}/day=\${day}/`,
  }
  const set = Object.entries(properties).map(([key, value]) => `'${key}'='${value}'`)
  return [
    `CREATE EXTERNAL TABLE ${name} (${list.join(', ')})`,
    'PARTITIONED BY (day string)',
    "ROW FORMAT SERDE 'org.openx.data.jsonserde.JsonSerDe'",
    `LOCATION '${place}/'`,
    `TBLPROPERTIES (${set.join(', ')})`,
  ].join(' ')
}
