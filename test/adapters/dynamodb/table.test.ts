import { describe, expect, test } from 'vitest'
import {
  answerKey,
  answerPartKey,
  answerPartsPrefix,
  authKey,
  GATEWAY_TABLE,
  grantKey,
  type Key,
  leaseKey,
  ledgerKey,
  marketSkillKey,
  minuteKey,
  officialSkillKey,
  privateSkillKey,
  profileKey,
  replyKey,
  replyPartKey,
  replyRange,
  SESSIONS_TABLE,
  sessionKey,
  sweepCursorKey,
  toolListVersionCopyKey,
  toolListVersionKey,
  toolNameKey,
  toolsCacheHeadKey,
  toolsCachePartKey,
  toolsDraftKey,
  userKeyKey,
} from '../../../adapters/dynamodb/table.ts'

const PATTERNS: readonly (readonly [string, Key])[] = [
  ['auth:hash:h1 · -', authKey('h1')],
  ['keys:u1 · h1', userKeyKey('u1', 'h1')],
  ['profile:u1 · -', profileKey('u1')],
  ['skill:private:u1 · sg_joke', privateSkillKey('u1', 'sg_joke')],
  ['skill:official · sg_weather', officialSkillKey('sg_weather')],
  ['skill:market · sg_weather', marketSkillKey('sg_weather')],
  ['toolname:u1 · ada_sg_joke', toolNameKey('u1', 'ada_sg_joke')],
  ['mcp_registry:tools_cache · head', toolsCacheHeadKey()],
  ['mcp_registry:tools_cache · v1#0', toolsCachePartKey('v1', 0)],
  ['mcp_registry:tools_draft:d1 · 07', toolsDraftKey('d1', 7)],
  ['mcp_broadcast:tools_changed · -', toolListVersionKey()],
  ['mcp_broadcast:tools_changed:3 · -', toolListVersionCopyKey(3)],
  ['ledger:u1 · c1', ledgerKey('u1', 'c1')],
  ['ledger:u1 · grant#g1', grantKey('u1', 'g1')],
  ['minute:33333:2 · h1', minuteKey(33_333, 'h1')],
  ['sweep:cursor · -', sweepCursorKey()],
  ['session:s1 · meta', sessionKey('s1')],
  ['session:s1 · reply#000000000007', replyKey('s1', 7)],
  ['session:s1 · reply#000000000007#w.2', replyPartKey('s1', 7, 'w', 2)],
  ['streams · h1#s3', leaseKey('h1', 's3')],
  ['streams:6 · h1#s1', leaseKey('h1', 's1')],
  ['answer:a1 · head', answerKey('a1')],
  ['answer:a1 · part#w.2', answerPartKey('a1', 'w', 2)],
]

describe('table keys', () => {
  test.each(PATTERNS)('the table spells %s', (pattern, key) => {
    expect(`${key.pk} · ${key.sk}`).toBe(pattern)
  })

  test("of answer parts select one writer's parts and not the head", () => {
    const prefix = answerPartsPrefix('w')
    expect(answerPartKey('a1', 'w', 1).sk.startsWith(prefix)).toBe(true)
    expect(answerPartKey('a1', 'w2', 1).sk.startsWith(prefix)).toBe(false)
    expect(answerKey('a1').sk.startsWith(prefix)).toBe(false)
  })

  test('of replies beyond a seq begin with the head of the next one, and leave out meta', () => {
    const { from, to } = replyRange({ after: 7 })
    const inside = ['reply#000000000008', 'reply#000000000008#w.1', 'reply#999999999999#w.9']
    const outside = ['meta', 'reply#000000000007', 'reply#000000000007#w.1']
    expect(inside.filter((sk) => sk >= from && sk <= to)).toEqual(inside)
    expect(outside.filter((sk) => sk >= from && sk <= to)).toEqual([])
  })

  test('of replies in a range leave out the one after it, and hold the parts of the last', () => {
    const { from, to } = replyRange({ after: 7, upTo: 9 })
    const inside = ['reply#000000000008', 'reply#000000000009', 'reply#000000000009#w.1']
    const outside = ['reply#000000000007#w.1', 'reply#000000000010']
    expect(inside.filter((sk) => sk >= from && sk <= to)).toEqual(inside)
    expect(outside.filter((sk) => sk >= from && sk <= to)).toEqual([])
  })

  test('protect users, keys and money from deletion, and sessions not', () => {
    expect(GATEWAY_TABLE).toEqual({
      name: 'Gateway',
      partitionKey: 'pk',
      sortKey: 'sk',
      ttlAttribute: 'ttl',
      pointInTimeRecovery: true,
      deletionProtection: true,
      stream: 'NEW_AND_OLD_IMAGES',
    })
    expect(SESSIONS_TABLE).toEqual({
      name: 'Sessions',
      partitionKey: 'pk',
      sortKey: 'sk',
      ttlAttribute: 'ttl',
      pointInTimeRecovery: false,
      deletionProtection: false,
      stream: 'NEW_IMAGE',
    })
  })
})
