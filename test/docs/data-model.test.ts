/** docs/data-model.md spells the keys, attributes and tables that the code has. */
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { prepareSchema } from '../../adapters/dynamodb/item-store/schema.ts'
import { toOutcomeItem } from '../../adapters/dynamodb/records/outcome-item.ts'
import { toProfileItem } from '../../adapters/dynamodb/records/profile-item.ts'
import { toSecretsItem } from '../../adapters/dynamodb/records/secret-item.ts'
import { toSessionItem } from '../../adapters/dynamodb/records/session-item.ts'
import { toSharedSecretsItem } from '../../adapters/dynamodb/records/shared-secret-item.ts'
import { toSkillItem } from '../../adapters/dynamodb/records/skill-item.ts'
import * as table from '../../adapters/dynamodb/table.ts'
import { privateSkillOf, profileOf, secretOf, settledOf } from '../contracts/fresh.ts'
import { codeOf, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/data-model.md')
const BUDGET = { limit: 1, sinceMs: 1, month: '2026-11', spent: 0 }
const KEY_DAY = { limit: 2, day: '2026-11-27', calls: 0 }
const BUDGETS = { budget: BUDGET, keyBudgets: { hash: BUDGET }, keyDays: { hash: KEY_DAY } }
const RECORDS = rowsOf(sectionOf(PAGE, '## Records'))

/** A number that stands for `{minute}`, `{part}` and `{seq}` where keys are made of numbers. */
const N = 424_242

const KEYS: { readonly [name: string]: table.Key } = {
  authKey: table.authKey('{keyHash}'),
  userKeyKey: table.userKeyKey('{uid}', '{keyHash}'),
  loginKey: table.loginKey('{id}'),
  loginEntryKey: table.loginEntryKey('{uid}', '{keyHash}', '{id}'),
  inviteKey: table.inviteKey('{keyHash}'),
  loginSecretKey: table.loginSecretKey(),
  issuerKeysKey: table.issuerKeysKey('{id}'),
  oauthClientKey: table.oauthClientKey('{id}'),
  profileKey: table.profileKey('{uid}'),
  adminKeyKey: table.adminKeyKey('{keyId}'),
  adminKeyNameKey: table.adminKeyNameKey('{name}'),
  auditRecordKey: named(table.auditRecordKey('{day}', N, '{kind}'), '{seq}'),
  auditHeadKey: table.auditHeadKey('{day}'),
  auditLastDayKey: table.auditLastDayKey(),
  debtKey: table.debtKey('{uid}'),
  eventKey: table.eventKey('{state}', '{eventId}'),
  usernameKey: table.usernameKey('{name}'),
  listedUserKey: unmarked(table.listedUserKey('{facet}', { name: '{name}', uid: '{uid}' })),
  identityKey: table.identityKey('{identity}'),
  identityInviteKey: table.identityInviteKey('{id}'),
  privateSkillKey: table.privateSkillKey('{uid}', '{skillId}'),
  officialSkillKey: table.officialSkillKey('{skillId}'),
  marketSkillKey: table.marketSkillKey('{skillId}'),
  skillVersionKey: named(
    table.skillVersionKey({ source: '{source}', skillId: '{skillId}' }, N),
    '{version}',
  ),
  toolNameKey: table.toolNameKey('{uid}', '{toolName}'),
  secretsKey: table.secretsKey('{uid}', '{skillId}'),
  sharedSecretsKey: table.sharedSecretsKey('{skillId}'),
  secretUsedKey: table.secretUsedKey('{skillId}', '{name}'),
  toolsCacheHeadKey: table.toolsCacheHeadKey(),
  toolsCachePartKey: named(table.toolsCachePartKey('{version}', N), '{part}'),
  toolsDraftKey: named(table.toolsDraftKey('{id}', N), '{part}'),
  toolListVersionKey: table.toolListVersionKey(),
  toolListVersionCopyKey: named(table.toolListVersionCopyKey(N), '{copy}'),
  ledgerKey: table.ledgerKey('{uid}', '{callId}'),
  grantKey: table.grantKey('{uid}', '{grantId}'),
  usagePageKey: named(table.usagePageKey(N, '{id}'), '{slot}'),
  usageSumKey: named(table.usageSumKey('{series}', N, 7), '{hour}'),
  usageHeadKey: table.usageHeadKey(),
  excerptKey: table.excerptKey('{uid}', '{callId}'),
  minuteKey: inShard(named(table.minuteKey(N, '{keyHash}'), '{minute}')),
  sweepCursorKey: table.sweepCursorKey(),
  v0CreditsKey: table.v0CreditsKey('{uid}'),
  v0TierKey: table.v0TierKey('{uid}'),
  v0KeyKey: table.v0KeyKey('{hash}'),
  v0AskedKey: table.v0AskedKey('{keyHash}'),
  sessionKey: table.sessionKey('{hash}'),
  replyKey: named(table.replyKey('{hash}', N), '{seq}'),
  replyPartKey: named(table.replyPartKey('{hash}', N, '{writer}', 7), '{seq}', '{part}'),
  leaseKey: { ...table.leaseKey('{keyHash}', '{session}'), pk: 'streams:{part}' },
  openingsKey: table.openingsKey(),
  readerKey: named(table.readerKey(N), '{n}'),
  inputKey: table.inputKey('{hash}'),
  upstreamSessionKey: table.upstreamSessionKey('{id}'),
  jobKey: table.jobKey('{callId}'),
  mcpUpstreamKey: table.mcpUpstreamKey('{id}'),
  mcpHeldKey: table.mcpHeldKey('{id}'),
  mcpOfferKey: table.mcpOfferKey('{id}', '{tool}'),
  taskKey: table.taskKey('{hash}'),
  guideKey: table.guideKey('{guideId}'),
  guideVersionKey: named(table.guideVersionKey('{guideId}', N), '{version}'),
  guidePartKey: named(table.guidePartKey('{guideId}', N, 7), '{version}', '{part}'),
  taskPartKey: named(table.taskPartKey('{hash}', '{writer}', 7), '', '{part}'),
  answerKey: table.answerKey('{id}'),
  answerPartKey: named(table.answerPartKey('{id}', '{writer}', 7), '', '{part}'),
}

const CLOSED = { state: 'disabled', reason: 'unpaid', sinceMs: 1 } as const

describe('the data model', () => {
  test('has every key of table.ts', () => {
    const made = Object.keys(table).filter((name) => name.endsWith('Key'))
    expect(made.sort()).toEqual(Object.keys(KEYS).sort())
  })

  test('spells each key as the code does, and no others', () => {
    const documented = RECORDS.map(([pk = '', sk = '']) => `${codeOf(pk)} · ${codeOf(sk)}`)
    expect(documented.sort()).toEqual(
      Object.values(KEYS)
        .map(({ pk, sk }) => `${pk} · ${sk}`)
        .sort(),
    )
  })

  test('has every table of the file on a laptop, with its primary key', () => {
    const database = new DatabaseSync(':memory:')
    prepareSchema(database, ':memory:')
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
    const made = tables.map(({ name }) => {
      const columns = database.prepare(`PRAGMA table_info(${name})`).all()
      return [name, columns.find(({ pk }) => pk === 1)?.['name']]
    })
    const documented = rowsOf(sectionOf(PAGE, '## The same on a laptop'))
    expect(documented.map(([name = '', key]) => [codeOf(name), key]).sort()).toEqual(made.sort())
  })

  test('describes both tables', () => {
    const [gateway, sessions] = rowsOf(PAGE)
    const documented = (row: readonly string[] | undefined) => ({
      name: codeOf(row?.[0] ?? ''),
      pointInTimeRecovery: row?.[2] === 'yes',
      deletionProtection: row?.[3] === 'yes',
      stream: row?.[4] === 'none' ? undefined : row?.[4],
    })
    expect(table.GATEWAY_TABLE).toMatchObject(documented(gateway))
    expect(table.SESSIONS_TABLE).toMatchObject(documented(sessions))
  })

  test.each([
    [
      'profile:{uid}',
      '-',
      toProfileItem(
        profileOf('u1', {
          v0: 'moved',
          disabled: CLOSED,
          identity: 'a@b',
          groups: ['ops'],
          list: 'search',
          lowBalanceAt: 1,
          lowBalanceTold: 'e-1',
          ...BUDGETS,
        }),
      ),
    ],
    [
      'ledger:{uid}',
      '{callId}',
      toOutcomeItem({
        ...settledOf('u1', 'c1', 1),
        counted: { month: '2026-11' },
        facts: { keyId: 'k', door: 'mcp', phases: {} },
        forgave: 'c2',
        chargeStays: true,
      }),
    ],
    [
      'skill:private:{uid}',
      '{skillId}',
      toSkillItem(privateSkillOf('u1', 'sg_a', { by: 'admin', origin: 'sync' })),
    ],
    ['skill:secrets:{uid}', '{skillId}', toSecretsItem(secretOf('u1', 'KEY'))],
    [
      'secrets:shared',
      '{skillId}',
      toSharedSecretsItem({ ...secretOf('u1', 'KEY'), binding: '{}', setBy: 'admin' }),
    ],
    ['session:{hash}', 'meta', toSessionItem(SESSION())],
  ])('lists the attributes of %s %s', (pk, sk, item) => {
    const row = RECORDS.find(([a = '', b = '']) => codeOf(a) === pk && codeOf(b) === sk)
    const real = Object.keys(item).filter((name) => name !== 'pk' && name !== 'sk')
    expect(row?.[3]?.split(', ').sort()).toEqual(real.sort())
  })
})

function SESSION() {
  return {
    hash: 'h1',
    keyHash: 'k1',
    uid: 'u1',
    sealedCredential: new Uint8Array([1]),
    createdAtMs: 1,
    lastPostAtMs: 1,
    aliveUntilMs: 1,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  }
}

/** The same key without the character that separates name and uid in the sort key. */
function unmarked({ pk, sk }: table.Key): table.Key {
  return { pk, sk: sk.replace('\u0001', '') }
}

/** Puts the names back where {@link N}, padded or not, and the part 7 stand. */
/** Each user has a shard. */
function inShard({ pk, sk }: table.Key): table.Key {
  return { pk: pk.replace(/:[0-7]$/, ':{shard}'), sk }
}

function named(key: table.Key, number: string, part = '7'): table.Key {
  const back = (text: string) =>
    text
      .replace(`000000${N}`, number)
      .replace(String(N), number)
      .replace(/\.0?7$/, `.${part}`)
      .replace('#07', '#{part}')
  return { pk: back(key.pk), sk: back(key.sk) }
}
