/** Schema versions go up one by one and never down, and a file of another program is never changed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { migrate } from '../../../adapters/sqlite/schema/migrate.ts'
import { GROUP_LISTS } from '../../../adapters/sqlite/schema/version-group-lists.ts'
import { NEWS_NUMBERS } from '../../../adapters/sqlite/schema/version-news-numbers.ts'
import { USERS } from '../../../adapters/sqlite/schema/version-users.ts'
import { SCHEMA_VERSIONS } from '../../../adapters/sqlite/schema/versions.ts'
import { sqliteLedgerNews } from '../../../adapters/sqlite/usage/ledger-news.ts'
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

test('news of an earlier file is told in its order, before news of calls that come later', async () => {
  const path = freshFile()
  const versions = SCHEMA_VERSIONS.slice(0, SCHEMA_VERSIONS.indexOf(NEWS_NUMBERS))
  const earlier = openDatabase(path, { versions })
  const ports = portsOver(earlier)
  for (const callId of ['c2', 'c1']) await ports.ledger.decide(settledOf('u-1', callId, 1))
  await earlier.close()
  const database = openFile(path)
  await portsOver(database).ledger.decide(settledOf('u-1', 'c0', 1))
  const { entries } = await sqliteLedgerNews(database).read({ limit: 9 })
  const told = entries.map((entry) => (entry.kind === 'call' ? entry.outcome.callId : entry.kind))
  expect(told).toEqual(['c2', 'c1', 'c0'])
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
