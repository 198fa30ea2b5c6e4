/** Schema versions go up one by one and never down, and a file of another program is never changed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import { openDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { migrate } from '../../../adapters/sqlite/schema/migrate.ts'
import { GROUP_LISTS } from '../../../adapters/sqlite/schema/version-group-lists.ts'
import { NEWS_NUMBERS } from '../../../adapters/sqlite/schema/version-news-numbers.ts'
import { OUTCOME_ORDER } from '../../../adapters/sqlite/schema/version-outcome-order.ts'
import { USERS } from '../../../adapters/sqlite/schema/version-users.ts'
import { SCHEMA_VERSIONS } from '../../../adapters/sqlite/schema/versions.ts'
import { sqliteLedgerNews } from '../../../adapters/sqlite/usage/ledger-news.ts'
import { writeFacts } from '../../../core/ledger/call-facts.ts'
import { profileOf, settledOf } from '../../contracts/fresh.ts'
import { freshFile, openFile, openPorts, portsOver } from './fresh-file.ts'

const KNOWN = SCHEMA_VERSIONS.length
const ADDED = 'ALTER TABLE profiles ADD COLUMN motto TEXT'
const FILLED = "UPDATE profiles SET motto = 'of ' || uid"

function look(path: string, sql: string) {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    return connection.prepare(sql).all()
  } finally {
    connection.close()
  }
}

test('a later build migrates the rows of an earlier one version by version', async () => {
  const path = freshFile()
  const first = openDatabase(path)
  first.prepare(PROFILE).run('u-1', 12_500_000)
  await first.close()

  const later = openDatabase(path, { versions: [...SCHEMA_VERSIONS, ADDED, FILLED] })
  const row = later.prepare('SELECT uid, credits, motto FROM profiles').get()
  expect({ ...row }).toEqual({ uid: 'u-1', credits: 12_500_000, motto: 'of u-1' })
  await later.close()
  expect(look(path, 'PRAGMA user_version')[0]).toEqual({ user_version: KNOWN + 2 })
})

const PROFILE = `INSERT INTO profiles
  (uid, username, tier, credits, placed, createdAtMs, skillsChangedAtMs, moved)
  VALUES (?, 'ada', 'free', ?, 0, 1, 0, 0)`

test('users of an earlier file are listed under their folded names', async () => {
  const path = freshFile()
  const versions = SCHEMA_VERSIONS.slice(0, SCHEMA_VERSIONS.indexOf(USERS))
  const earlier = openDatabase(path, { versions })
  earlier.prepare(PROFILE.replace("'ada'", "'  ÀDA Lovelace'")).run('u-1', 5)
  await earlier.close()
  const { userDirectory } = openPorts(path)
  const { users } = await userDirectory.page({ prefix: 'àda l', limit: 10 })
  expect(users).toEqual([
    { uid: 'u-1', username: '  ÀDA Lovelace', tier: 'free', state: 'active', createdAtMs: 1 },
  ])
})

test('users of an earlier file are listed by their groups', async () => {
  const path = freshFile()
  const versions = SCHEMA_VERSIONS.slice(0, SCHEMA_VERSIONS.indexOf(GROUP_LISTS))
  const earlier = openDatabase(path, { versions })
  earlier.prepare(PROFILE).run('u-1', 5)
  earlier.prepare(`UPDATE profiles SET groups = '["finance"]', nameKey = 'ada'`).run()
  await earlier.close()
  const { userDirectory } = openPorts(path)
  const { users } = await userDirectory.page({ prefix: '', limit: 10, group: 'finance' })
  expect(users).toMatchObject([{ uid: 'u-1', groups: ['finance'] }])
})

const OUTCOME = `INSERT INTO outcomes
  (uid, callId, skillId, source, skillVersion, state, amount, placement, createdAtMs, endedAtMs, durationMs, facts)
  VALUES (?, ?, 'sg_weather', 'official', 1, 'settled', 5, 1, ?, 9, 8, ?)`
const FACTS = { keyId: 'k1', door: 'mcp', phases: { body: 3 } } as const
const NEWS = 'INSERT INTO outcome_news (uid, callId) VALUES (?, ?)'

/** Archived since 1,000: 1c0 was there before; 1c1 and 1c2 were taken; 1c4 and 1c3 were not, in this order. */
function fileOfOutcomes(versions: readonly string[]): string {
  const path = freshFile()
  const earlier = new DatabaseSync(path)
  migrate(earlier, versions)
  earlier.exec('UPDATE archived_since SET sinceMs = 1000')
  const times = { '1c0': 999, '1c2': 1_002, '1c1': 1_001, '1c3': 1_003, '1c4': 1_004 }
  for (const [callId, atMs] of Object.entries(times))
    earlier.prepare(OUTCOME).run('u-1', callId, atMs, writeFacts(FACTS))
  for (const callId of ['1c3', '1c4', '1c3']) earlier.prepare(NEWS).run('u-1', callId)
  earlier.close()
  return path
}

async function toldBy(database: Database): Promise<readonly string[]> {
  const { entries } = await sqliteLedgerNews(database).read({ limit: 9 })
  return entries.map((entry) => (entry.kind === 'call' ? entry.outcome.callId : entry.kind))
}

test.each([
  { before: 'news had numbers of their own', version: NEWS_NUMBERS },
  { before: 'outcomes were in the order of writing', version: OUTCOME_ORDER },
])(
  'news of a file from before $before is told in its order, before news of calls that come later',
  async ({ version }) => {
    const database = openFile(
      fileOfOutcomes(SCHEMA_VERSIONS.slice(0, SCHEMA_VERSIONS.indexOf(version))),
    )
    const { ledger } = portsOver(database)
    await ledger.decide(settledOf('u-1', '1c01', 1))
    await ledger.decide({ ...settledOf('u-1', '1c3', 7) })
    expect(await toldBy(database)).toEqual(['1c4', '1c3', '1c01'])
  },
)

test('outcomes of an earlier file are whole, and old ones end but for those of before the archive', async () => {
  const database = openFile(
    fileOfOutcomes(SCHEMA_VERSIONS.slice(0, SCHEMA_VERSIONS.indexOf(OUTCOME_ORDER))),
  )
  const { ledger, profiles } = portsOver(database)
  const news = sqliteLedgerNews(database)
  const { outcomes } = await ledger.list({ uid: 'u-1', limit: 9 })
  expect(outcomes.map(({ callId }) => callId)).toEqual(['1c4', '1c3', '1c2', '1c1', '1c0'])
  expect(outcomes.at(-1)).toMatchObject({
    amount: 5,
    createdAtMs: 999,
    endedAtMs: 9,
    facts: FACTS,
  })
  const old = { beforeMs: 2_000, limit: 9 }
  expect(await news.removeCold(old)).toBe(1)
  expect(await ledger.find({ uid: 'u-1', callId: '1c1' })).toBeUndefined()

  await profiles.create(profileOf('u-1'))
  await ledger.voidSettled({ uid: 'u-1', callId: '1c0', reason: 'void', nowMs: 9 })
  expect(await toldBy(database)).toEqual(['1c4', '1c3', '1c0'])
  await ledger.decide(settledOf('u-1', '1c5', 1))
  await news.done((await news.read({ limit: 9 })).upTo)
  expect(await news.removeCold(old)).toBe(3)
  const left = await ledger.list({ uid: 'u-1', limit: 9 })
  expect(left.outcomes.map(({ callId }) => callId)).toEqual(['1c5', '1c0'])
})

test('no version compares two columns by NOT IN, which takes SQLite minutes for 100,000 rows', () => {
  expect(SCHEMA_VERSIONS.filter((sql) => /\) NOT IN\s*\(\s*SELECT/.test(sql))).toEqual([])
})

test('a version that cannot be made leaves the one before it whole', async () => {
  const path = freshFile()
  await openDatabase(path).close()
  const versions = [...SCHEMA_VERSIONS, `${ADDED}; INSERT INTO nowhere VALUES (1)`]
  expect(() => openDatabase(path, { versions })).toThrow('no such table: nowhere')
  expect(look(path, 'PRAGMA user_version')[0]).toEqual({ user_version: KNOWN })
  expect(await openPorts(path).profiles.create(profileOf('u-1'))).toBe(true)
})

test('a file of a later build is refused with the remedy, and not a byte of it changes', async () => {
  const path = freshFile()
  await openDatabase(path, { versions: [...SCHEMA_VERSIONS, ADDED] }).close()
  const before = readFileSync(path)
  expect(() => openDatabase(path)).toThrow(
    `store: ${path} has schema ${KNOWN + 1}, this build knows ${KNOWN}; start the newer Skillgate that made it`,
  )
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a database of another program is refused, and not a byte of it changes', () => {
  const path = freshFile()
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE songs (title TEXT)')
  other.close()
  const before = readFileSync(path)
  expect(() => openDatabase(path)).toThrow('belongs to another program; move it away')
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a file that is no database is refused, and not a byte of it changes', () => {
  const path = freshFile()
  const letter = 'This is a letter, and it must not be harmed. '.repeat(100)
  writeFileSync(path, letter)
  expect(() => openDatabase(path)).toThrow(
    `${path} is not a database; put a backup copy in its place`,
  )
  expect(readFileSync(path, 'utf8')).toBe(letter)
})

test('two processes that begin at the same time make each version once', () => {
  const path = freshFile()
  const [one, two] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 1_000 })]
  for (const connection of [one, two, one]) migrate(connection, SCHEMA_VERSIONS)
  expect(one.prepare('PRAGMA user_version').get()).toEqual({ user_version: KNOWN })
  one.close()
  two.close()
})

test('balances and grants of a file from before corrections stay as they were', async () => {
  const path = freshFile()
  const first = openDatabase(path, { versions: SCHEMA_VERSIONS.slice(0, 4) })
  first.prepare(PROFILE).run('u-1', 12_500_000)
  first.prepare("INSERT INTO grants VALUES ('u-1', 'g1', 12500000, 7)").run()
  await first.close()

  const { ledger, profiles } = openPorts(path)
  expect((await profiles.read('u-1'))?.credits).toBe(12_500_000)
  expect((await ledger.grants({ uid: 'u-1', limit: 10 })).grants).toEqual([
    { grantId: 'g1', amount: 12_500_000, reason: undefined, createdAtMs: 7 },
  ])
  const debt = { grantId: 'k1', amount: -12_500_001, creditsMin: -1, creditsMax: 1, nowMs: 8 }
  expect((await ledger.grant({ uid: 'u-1', ...debt })).kind).toBe('granted')
  expect((await profiles.read('u-1'))?.credits).toBe(-1)
})

test('an empty file becomes a store that only its owner may read', async () => {
  const path = freshFile()
  await openDatabase(path).close()
  const { mode } = await import('node:fs').then(({ statSync }) => statSync(path))
  expect(mode & 0o777).toBe(0o600)
})
