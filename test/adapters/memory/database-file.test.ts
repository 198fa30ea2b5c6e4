/** Database kept in a file: what survives, who may open it, and what is left out at the next start. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../../adapters/memory/store-ports.ts'
import { Fault } from '../../../core/errors.ts'
import {
  acceptOne,
  freshName,
  freshSession,
  heldAs,
  holdOf,
  privateSkillOf,
  profileOf,
  sessionOf,
  settledOf,
} from '../../contracts/fresh.ts'
import { listenTo } from '../../contracts/tail-listener.ts'
import { testClock } from '../../contracts/test-clock.ts'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-database-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('database in a file', () => {
  test('a second start finds what the first one wrote', async () => {
    const file = freshFile()
    const first = openStore(file)
    const session = sessionOf(first.ports, { hash: 'session-1' })
    await first.ports.profiles.create(profileOf('u-1', { credits: 5 }))
    await first.ports.sessions.create(session)
    await acceptOne(first.ports, 'session-1', '"a"')
    await first.ports.replies.append({
      hash: 'session-1',
      seq: 1,
      sealed: new Uint8Array([7, 0, 255]),
    })
    await first.ports.skills.put(privateSkillOf('u-1', 'sg_joke'), 0)
    await first.ports.sweepEntries.put({ uid: 'u-1', minute: 33 })
    first.database.close()

    const { ports, database } = openStore(file)
    expect(await ports.profiles.read('u-1')).toEqual(profileOf('u-1', { credits: 5 }))
    expect((await ports.sessions.read('session-1'))?.sealedAuthorization).toEqual(
      session.sealedAuthorization,
    )
    const tail = listenTo(ports, 'session-1')
    await tail.untilSeq(1)
    await tail.stop()
    expect(tail.news.at(-1)).toEqual({
      kind: 'reply',
      seq: 1,
      sealed: new Uint8Array([7, 0, 255]),
    })
    expect(await ports.skills.get({ source: 'private', skillId: 'sg_joke', uid: 'u-1' })).toEqual(
      privateSkillOf('u-1', 'sg_joke'),
    )
    expect(await ports.sweepEntries.list(33, 10)).toEqual(['u-1'])
    database.close()
  })

  test('what was removed stays removed, and write tokens of accepted requests stay known', async () => {
    const file = freshFile()
    const first = openStore(file)
    await first.ports.sweepEntries.put({ uid: 'u-1', minute: 33 })
    await first.ports.sweepEntries.remove({ uid: 'u-1', minute: 33 })
    const hash = await freshSession(first.ports)
    const post = {
      hash,
      nowMs: first.ports.clock.nowMs(),
      writeToken: 'mine',
      request: { id: '1', postedAtMs: 1, calls: true },
    }
    await first.ports.sessions.accept(post)
    first.database.close()

    const { ports, database } = openStore(file)
    expect(await ports.sweepEntries.list(33, 10)).toEqual([])
    expect((await ports.sessions.accept(post))?.seq).toBe(1)
    database.close()
  })

  test('what was answered survives SIGKILL', async () => {
    const file = freshFile()
    const writer = join(import.meta.dirname, 'crashing-writer.ts')
    const child = spawnSync(process.execPath, [writer, file], { encoding: 'utf8' })
    expect([child.stderr, child.signal]).toEqual(['', 'SIGKILL'])

    const { ports, database } = openStore(file)
    const profile = await ports.profiles.read('u-1')
    expect(profile?.credits).toBe(1_300_000)
    expect(profile?.holds['c1']).toEqual(heldAs(1, holdOf(200_000, { writeToken: 'm' })))
    expect(await ports.ledger.find({ uid: 'u-1', callId: 'c1' })).toEqual(
      settledOf('u-1', 'c1', 200_000),
    )
    database.close()
  })

  test('expired records are not read back, and gone from the file', async () => {
    const file = freshFile()
    const first = openStore(file)
    const { clock } = first.ports
    await first.ports.rateCounters.count({
      keyHash: 'k',
      minute: Math.floor(clock.nowMs() / 60_000),
    })
    const hash = await freshSession(first.ports)
    await acceptOne(first.ports, hash, '1')
    await first.ports.replies.append({ hash, seq: 1, sealed: new Uint8Array(9) })
    await first.ports.leases.put({
      keyHash: 'k',
      session: hash,
      openedAtMs: 1,
      expiresAtMs: clock.nowMs() + 75_000,
    })
    first.database.close()
    expect(tablesIn(file)).toEqual(['leases', 'rateCounters', 'replies', 'sessions'])

    openStore(file, clock.nowMs() + 7_200_000).database.close()
    expect(tablesIn(file)).toEqual([])
  })

  test('a file that another process uses is refused, with the remedy', () => {
    const file = freshFile()
    const { database } = openStore(file)
    expect(() => openDatabase({ file })).toThrow(
      new Fault(
        'store_unavailable',
        `${file}: cannot be opened: another process uses it; stop that one first`,
      ),
    )
    database.close()
    openStore(file).database.close()
  })

  test('a folder that is not there, a file that is no store and a later format are refused', () => {
    expect(() => openDatabase({ file: join(folder, 'none', 'database.db') })).toThrow(
      /cannot be opened/,
    )
    const later = freshFile()
    const database = new DatabaseSync(later)
    database.exec('PRAGMA user_version = 3')
    database.close()
    expect(() => openDatabase({ file: later })).toThrow(/its format is 3, this build reads 2/)
    const text = freshFile()
    writeFileSync(text, 'This is a letter, and it must not be harmed. '.repeat(100))
    expect(() => openDatabase({ file: text })).toThrow(Fault)
    expect(readFileSync(text, 'utf8')).toMatch(
      /^(This is a letter, and it must not be harmed. ){100}$/,
    )
  })

  test('only its owner may read the file', () => {
    const file = freshFile()
    openStore(file).database.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a write that the file refuses changes nothing in memory', async () => {
    const { ports, database } = openStore(freshFile())
    await ports.profiles.create(profileOf('u-1', { credits: 5 }))
    database.close()
    const refused = { name: 'Fault', code: 'store_unavailable' }
    const hold = { uid: 'u-1', callId: 'c1', hold: holdOf(5), holdsMax: 32 }
    const grant = { uid: 'u-1', grantId: 'g1', amount: 5, creditsMax: 100, nowMs: 1 }
    await expect(ports.ledger.hold(hold)).rejects.toMatchObject(refused)
    await expect(ports.ledger.grant(grant)).rejects.toMatchObject(refused)
    await expect(ports.ledger.decide(settledOf('u-1', 'c1', 5))).rejects.toMatchObject(refused)
    expect(await ports.profiles.read('u-1')).toEqual(profileOf('u-1', { credits: 5 }))
    expect(await ports.ledger.find({ uid: 'u-1', callId: 'c1' })).toBeUndefined()
  })
})

function freshFile(): string {
  return join(folder, `${freshName('database-')}.db`)
}

function openStore(file: string, nowMs?: number) {
  const database = openDatabase({ file })
  const clock = testClock(nowMs)
  return { database, ports: { ...memoryStorePorts(database, clock), clock } }
}

function tablesIn(file: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare('SELECT DISTINCT kind FROM rows ORDER BY kind').all()
  database.close()
  return rows.map((row) => row['kind'])
}
