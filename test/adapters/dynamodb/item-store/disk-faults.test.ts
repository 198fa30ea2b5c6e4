/**
 * What a disk can do to the store: each fault names the file and the remedy, calls are refused and not lost,
 * and the sum of credits is right as soon as the disk works again.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { CREDITS_MAX } from '../../../../core/ledger/amount.ts'
import { holdOf, profileOf, settledOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { freshFile, openFile } from './fresh-file.ts'
import { type Said, startWriter, type WriterProcess } from './writer-process.ts'

const isRoot = process.getuid?.() === 0

async function callUntilRefused(writer: WriterProcess): Promise<{ settled: number; answer: Said }> {
  for (let settled = 0; settled < 10_000; settled += 1) {
    const answer = await writer.tell('call')
    if (answer.code !== undefined) return { settled, answer }
  }
  throw new Error('was never refused')
}

/** Credits that are free, on hold, and charged. */
async function sumOf(writer: WriterProcess): Promise<number> {
  const { did } = await writer.tell('credits')
  const { charged, credits, held } = did as { charged: number; credits: number; held: number }
  return credits + held + charged
}

test.runIf(process.platform === 'linux')(
  'a disk that is full refuses calls and, with room again, goes on where it was',
  async () => {
    const path = freshFile()
    const writer = startWriter(path, { fileKbMax: 3_000 })
    await writer.tell('open')
    const { settled, answer } = await callUntilRefused(writer)
    expect(settled).toBeGreaterThan(10)
    expect(answer.code).toBe('store_unavailable')
    expect(answer.message).toContain(`store: ${path} cannot`)
    expect(answer.message).toContain('free some space')
    expect((await writer.tell('call')).code).toBe('store_unavailable')
    expect(await sumOf(writer)).toBe(1_000_000)
    execFileSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited:unlimited'])
    expect((await writer.tell('call')).did).toBe(settled + 1)
    expect(await sumOf(writer)).toBe(1_000_000)
  },
  30_000,
)

test.runIf(process.platform !== 'win32')(
  'a file that may only be read is refused at the start with the remedy',
  async () => {
    const path = freshFile()
    await openLocalStore({ file: path, clock: testClock() }).close()
    chmodSync(path, 0o444)
    chmodSync(dirname(path), 0o555)
    const answer = await startWriter(path, { asNobody: true }).tell('open')
    chmodSync(dirname(path), 0o755)
    expect(answer.code).toBe('store_unavailable')
    expect(answer.message).toMatch(/items\.sqlite cannot be opened \(EACCES.*; check its folder/)
  },
)

test.runIf(process.platform !== 'win32')(
  'a folder that may no longer be written to is a fault of the next start, and the data are whole after it',
  async () => {
    const path = freshFile()
    const store = openLocalStore({ file: path, clock: testClock() })
    await store.ports.profiles.create(profileOf('u-1', { credits: 7 }))
    await store.close()
    if (isRoot) for (const file of [path, dirname(path)]) chownSync(file, 65_534, 65_534)
    chmodSync(dirname(path), 0o555)
    const answer = await startWriter(path, { asNobody: true }).tell('open')
    chmodSync(dirname(path), 0o755)
    expect(answer.code).toBe('store_unavailable')
    expect(answer.message).toContain(path)
    expect((await openFile(path).ports.profiles.read('u-1'))?.credits).toBe(7)
  },
)

test.runIf(process.platform !== 'win32')(
  'a database that vanished refuses writes until it is back',
  async () => {
    const path = freshFile()
    const { ledger, profiles } = openFile(path).ports
    await profiles.create(profileOf('u-1', { credits: 5 }))
    for (const end of ['', '-wal']) renameSync(`${path}${end}`, `${path}${end}.away`)
    const grant = { uid: 'u-1', amount: 1, creditsMax: CREDITS_MAX, nowMs: 1 }
    await expect(ledger.grant({ ...grant, grantId: 'lost' })).rejects.toThrow(
      `store: ${path} or its log (-wal) was deleted or moved; put both back, or start again`,
    )
    await untilLookedAgain()
    await expect(
      ledger.hold({ uid: 'u-1', callId: '1-a', holdsMax: 1, hold: holdOf(1) }),
    ).rejects.toThrow('was deleted or moved')
    for (const end of ['', '-wal']) renameSync(`${path}${end}.away`, `${path}${end}`)
    await untilLookedAgain()
    const again = await ledger.grant({ ...grant, grantId: 'found' })
    expect(again.kind).toBe('granted')
  },
)

test.runIf(process.platform !== 'win32')(
  'a database that another file took the place of refuses writes',
  async () => {
    const path = freshFile()
    const { profiles } = openFile(path).ports
    await profiles.create(profileOf('u-1'))
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
    await untilLookedAgain()
    await expect(profiles.create(profileOf('u-2'))).rejects.toThrow(
      'was replaced; start again to use the new one',
    )
  },
)

test('a killed process leaves all that was answered in the file', async () => {
  const path = freshFile()
  const writer = startWriter(path)
  await writer.tell('open')
  for (let call = 0; call < 20; call += 1) await writer.tell('call')
  await writer.kill()
  const { ledger, profiles } = openFile(path).ports
  expect((await profiles.read('u-1'))?.credits).toBe(999_980)
  expect((await ledger.list({ uid: 'u-1', limit: 100 })).outcomes).toHaveLength(20)
})

test('a log whose end is torn loses what is behind the tear, and no sum is wrong', async () => {
  const path = freshFile()
  const writer = startWriter(path)
  await writer.tell('open')
  for (let call = 0; call < 20; call += 1) await writer.tell('call')
  await writer.kill()
  const log = openSync(`${path}-wal`, 'r+')
  // Half of the last page never reached the disk, and the page before it holds other bytes.
  const size = statSync(`${path}-wal`).size
  writeSync(log, new Uint8Array(2_000).fill(0xee), 0, 2_000, size - 6_000)
  ftruncateSync(log, size - 2_048)
  closeSync(log)
  const { ledger, profiles } = openFile(path).ports
  const profile = await profiles.read('u-1')
  const held = Object.values(profile?.holds ?? {}).map(({ amount }) => amount)
  const { outcomes } = await ledger.list({ uid: 'u-1', limit: 100 })
  const charged = outcomes.filter(({ callId }) => profile?.holds[callId] === undefined)
  expect(outcomes.length).toBeGreaterThan(15)
  expect((profile?.credits ?? 0) + held.length + charged.length).toBe(1_000_000)
})

test('a damaged file is a fault with the remedy, at the start or when the damage is met', async () => {
  const path = freshFile()
  const first = openLocalStore({ file: path, clock: testClock() })
  const before = first.ports
  await before.profiles.create(profileOf('u-1', { credits: 50 }))
  for (let call = 0; call < 500; call += 1) {
    await before.ledger.decide(settledOf('u-1', `1-${1_000 + call}`, 1))
  }
  await first.close()
  const size = statSync(path).size
  const file = openSync(path, 'r+')
  const rest = size - 4_096
  writeSync(file, new Uint8Array(rest).fill(0xa5), 0, rest, 4_096)
  closeSync(file)
  const broken = () => openFile(path).ports.ledger.list({ uid: 'u-1', limit: 100 })
  await expect((async () => broken())()).rejects.toThrow(
    `store: ${path} is damaged; put a backup copy in its place`,
  )
})

test('a file that another program holds for itself is refused at the start with the remedy', () => {
  const path = freshFile()
  const other = new DatabaseSync(path)
  other.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE held (x); BEGIN EXCLUSIVE')
  try {
    expect(() => openFile(path)).toThrow(
      `store: ${path} is locked by another program; stop that one`,
    )
  } finally {
    other.close()
    rmSync(path)
  }
})

/** The store checks every 20 ms that its file is still in place. */
function untilLookedAgain(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 40))
}

test.each([
  ['was deleted', (path: string) => rmSync(path)],
  ['was emptied', (path: string) => truncateSync(path)],
])(
  'a database that %s beside its log is refused, and the log is left as it is',
  async (_, lose) => {
    const path = freshFile()
    const writer = startWriter(path)
    await writer.tell('open')
    await writer.tell('call')
    await writer.kill()
    const saved = `${path}.saved`
    copyFileSync(path, saved)
    const log = readFileSync(`${path}-wal`)
    lose(path)
    expect(() => openFile(path)).toThrow(
      `store: ${path} is gone and its log (-wal) is not: put it back, or move the log away to start from nothing`,
    )
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true)
    copyFileSync(saved, path)
    expect((await openFile(path).ports.profiles.read('u-1'))?.credits).toBe(999_999)
  },
)

test('one of several processes that begin a file at the same time has it, and the others are refused', async () => {
  const path = freshFile()
  const writers = Array.from({ length: 4 }, () => startWriter(path))
  const answers = await Promise.all(writers.map((writer) => writer.tell('open')))
  const codes = answers.map(({ code }) => code ?? 'open').sort()
  expect(codes).toEqual(['open', 'store_unavailable', 'store_unavailable', 'store_unavailable'])
  const refused = answers.find(({ code }) => code !== undefined)
  expect(refused?.message).toBe(`store: ${path} is locked by another program; stop that one`)
})
