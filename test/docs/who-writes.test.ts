/** "Who writes what" of docs/data-model.md is what the functions' policies allow, door by door. */
import { expect, test } from 'vitest'
import { DOORS } from '../../lib/doors.ts'
import { expectedStatements, SCAN } from '../lib/expected-grants.ts'
import { readText, rowsOf, sectionOf } from './markdown.ts'

const ROWS = rowsOf(sectionOf(readText('docs/data-model.md'), '## Who writes what'))

/** A policy sees partition keys: records that share one are judged together. */
const RECORDS: readonly { key: string; rows: readonly string[] }[] = [
  { key: 'auth:hash:*', rows: ['key'] },
  { key: 'auth:hash:sub:*', rows: ['sub-key'] },
  { key: 'auth:hash:t:*', rows: ['access token of a login'] },
  { key: 'auth:hash:i:*', rows: ['identity of an issuer'] },
  { key: 'identity_invite:*', rows: ['invitation of an identity'] },
  { key: 'login:*', rows: ['login'] },
  { key: 'logins:*', rows: ["list of a key's logins"] },
  { key: 'invite:*', rows: ['use of an invitation'] },
  { key: 'login_secret', rows: ['login secret'] },
  { key: 'jwks:*', rows: ['keys of an issuer'] },
  { key: 'keys:*', rows: ["list of a user's keys"] },
  { key: 'admin_keys', rows: ['key of an administrator'] },
  { key: 'admin_key_names', rows: ['key of an administrator'] },
  { key: 'audit:*', rows: ['record of a change'] },
  { key: 'profile:*', rows: ['profile'] },
  { key: 'debts', rows: ['entry of the list of debts'] },
  { key: 'username:*', rows: ['username'] },
  { key: 'users:*', rows: ['entry of a list of users'] },
  { key: 'identity:*', rows: ['identity'] },
  { key: 'minute:*', rows: ["minute's count"] },
  { key: 'skill:private:*', rows: ['skill'] },
  { key: 'skill:official', rows: ['skill'] },
  { key: 'skill:market', rows: ['skill'] },
  { key: 'toolname:*', rows: ['tool name'] },
  { key: 'guides', rows: ['guide, its versions'] },
  { key: 'guide:*', rows: ['guide, its versions'] },
  { key: 'skillversion:*', rows: ['version of a skill'] },
  { key: 'skill:secrets:*', rows: ["a user's secrets"] },
  { key: 'secrets:shared', rows: ['shared secrets'] },
  { key: 'secrets:used', rows: ['last use of a shared secret'] },
  { key: 'mcp_upstreams', rows: ['MCP server, tool that waits'] },
  { key: 'mcp_offers:*', rows: ['MCP server, tool that waits'] },
  { key: 'mcp_held', rows: ['MCP server, tool that waits'] },
  { key: 'mcp_registry:tools_cache', rows: ['tools cache, broadcast'] },
  { key: 'mcp_registry:tools_draft:*', rows: ['draft of a tools list'] },
  { key: 'mcp_broadcast:tools_changed', rows: ['tools cache, broadcast'] },
  { key: 'mcp_broadcast:tools_changed:*', rows: ['tools cache, broadcast'] },
  { key: 'ledger:*', rows: ['outcome', 'grant'] },
  { key: 'events:*', rows: ['event'] },
  { key: 'usage:page:*', rows: ['pages and sums of calls'] },
  { key: 'usage:detail:*', rows: ['pages and sums of calls'] },
  { key: 'usage:sum:skill', rows: ['pages and sums of calls'] },
  { key: 'usage:head', rows: ['pages and sums of calls'] },
  { key: 'excerpt:*', rows: ['excerpt of a failed answer'] },
  { key: 'upstream_session:*', rows: ['session at an MCP server'] },
  { key: 'oauth_client:*', rows: ['registration at an authorization server'] },
  { key: 'sweep:cursor', rows: ['sweep cursor'] },
  { key: 'credits:*', rows: ['credits of the earlier service'] },
  { key: 'tier:*', rows: ['tier of the earlier service'] },
  { key: 'user:uid:*', rows: ['key of the earlier service'] },
  { key: 'v0:asked', rows: ['asked-for key'] },
  { key: 'session:*', rows: ['session', 'reply'] },
  { key: 'streams:*', rows: ['lease'] },
  { key: 'streams', rows: ['lease'] },
  { key: 'openings', rows: ['openings'] },
  { key: 'input:*', rows: ['question to a client, and its answer'] },
  { key: 'task:*', rows: ['task'] },
  { key: 'job:*', rows: ['job of an upstream'] },
  { key: 'answer:*', rows: ['first answer of an Idempotency-Key'] },
]

const WRITE = /^dynamodb:(Put|Update|Delete)Item$/

test('the page names every record, and no other', () => {
  const documented = ROWS.map(([record]) => record)
  expect([...new Set(RECORDS.flatMap(({ rows }) => rows))].sort()).toEqual(documented.sort())
  const keys = DOORS.flatMap(expectedStatements)
    // A scan sees the keys of all records; other tests check which attributes it may see.
    .filter(({ action }) => action !== SCAN)
    .flatMap((grant) => grant.keys)
  expect(RECORDS.map(({ key }) => key).sort()).toEqual([...new Set(keys)].sort())
})

test.each(RECORDS)('$key is written by the functions that the page names', ({ key, rows }) => {
  const documented = ROWS.filter(([record = '']) => rows.includes(record)).flatMap(([, ...cells]) =>
    DOORS.filter((_, column) => (cells[column] ?? '') !== ''),
  )
  const allowed = DOORS.filter((door) =>
    expectedStatements(door).some(({ action, keys }) => WRITE.test(action) && keys.includes(key)),
  )
  expect(DOORS.filter((door) => documented.includes(door))).toEqual(allowed)
})
