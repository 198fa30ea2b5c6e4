/** The audit of an archive: a sound one adds up, and a missing, doubled or changed line is named. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolderArchive } from '../../adapters/archive/folder-archive.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { toArchiveLine } from '../../core/archive/archive-entry.ts'
import type { AuditIntent } from '../../core/audit/audit-record.ts'
import { makeNextRecord, toHeadAfter } from '../../core/audit/chain.ts'
import { makeCallId } from '../../core/call/call-id.ts'
import { exportTrail } from '../../core/flow/usage/export-trail.ts'
import { mergeObjects } from '../../core/flow/usage/merge-objects.ts'
import { recordCalls } from '../../core/flow/usage/record-calls.ts'
import { archiveNews, takeNews } from '../../core/flow/usage/take-news.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import { DAY_MS, toUtcDay } from '../../core/json/utc-time.ts'
import { openStore } from '../../local/store/store.ts'
import { archiveLedger } from '../../scripts/archive-ledger.ts'
import { auditArchive } from '../../scripts/audit/audit-archive.ts'
import { withFolder } from '../../scripts/audit/ledger-at.ts'
import { auditFolder } from '../../scripts/audit-ledger.ts'
import { holdOf, settledOf } from '../contracts/fresh.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-archive-audit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let daysAgo = 0
const clock = { ...systemClock(), nowMs: () => Date.now() - daysAgo * DAY_MS }
const digests = nodeDigests()
const PRICE = 500_000
const place = () => join(folder, 'archive')

/** Ada's grant and a call of 100 days ago, two calls of two days ago, and two days of the trail. */
async function makeStore(): Promise<void> {
  const log = { note: () => {} }
  const store = openStore({ folder, clock, log })
  const { ledgerNews, ports } = store
  daysAgo = 100
  await createUser(
    { ...ports, ids: nodeIds(), clock },
    { username: 'ada', uid: 'ada', credits: 10 },
  )
  const needs = { ...ports, clock, digests, ledgerNews, archive: makeFolderArchive(place()) }
  let upTo = 0
  const callIds: string[] = []
  for (const [index, days] of [100, 2, 2].entries()) {
    daysAgo = days
    const createdAtMs = clock.nowMs()
    const callId = makeCallId(createdAtMs, `call${index}`)
    callIds.push(callId)
    const hold = holdOf(PRICE, { heldAtMs: createdAtMs })
    const held = await ports.ledger.hold({ uid: 'ada', callId, holdsMax: 9, hold })
    const placement = held.kind === 'held' ? (held.profile.holds[callId]?.placement ?? 0) : 0
    await ports.ledger.decide({ ...settledOf('ada', callId, PRICE), createdAtMs, placement })
    await ports.ledger.release({ uid: 'ada', callId, giveBack: false, placement })
    upTo = (await takeNews(needs, upTo)).upTo
    // As the daily run does: the hour is closed while its pages are there.
    daysAgo -= 1
    await recordCalls(needs, [])
  }
  daysAgo = 0
  await appendTrail(ports.auditTrail)
  // Each batch closes 48 hours at most, and here are a hundred days of them.
  for (let batch = 0; batch < 60; batch += 1) {
    upTo = (await takeNews(needs, upTo - 1)).upTo
  }
  expect(await archiveNews(needs, upTo)).toBe(true)
  // Its time to live is over; the store ends it behind the next write.
  await ports.rateCounters.count({ keyHash: 'k', minute: 1 })
  const found = callIds.map((callId) => ports.ledger.find({ uid: 'ada', callId }))
  expect((await Promise.all(found)).map((one) => one !== undefined)).toEqual([false, true, true])
  expect(await exportTrail(needs)).toHaveLength(2)
  await store.close()
}

async function appendTrail(
  trail: ReturnType<typeof openStore>['ports']['auditTrail'],
): Promise<void> {
  const content: AuditIntent = {
    kind: 'intent',
    atMs: 1,
    who: { name: 'ada', role: 'owner' },
    operation: 'grantCredits',
    method: 'POST',
    route: '/users/{uid}/credits',
    target: {},
    sent: {},
    digestKey: 'k',
    requestId: 'r',
    sourceAddress: '127.0.0.1',
  }
  const day = toUtcDay(clock.nowMs() - 3 * DAY_MS)
  const first = makeNextRecord(digests, { kind: 'first', day, link: undefined }, content)
  const second = makeNextRecord(digests, { kind: 'behind', head: toHeadAfter(first) }, content)
  const next = toUtcDay(clock.nowMs() - 2 * DAY_MS)
  const third = makeNextRecord(
    digests,
    { kind: 'first', day: next, link: toHeadAfter(second) },
    content,
  )
  for (const record of [first, second, third]) expect(await trail.append(record)).toBe(true)
}

function audit(archiveMs?: number) {
  return withFolder(folder, (ledger) =>
    auditArchive({
      archive: makeFolderArchive(place()),
      ledger,
      month: undefined,
      hotMs: 90 * DAY_MS,
      archiveMs,
      lagMs: 0,
      nowMs: clock.nowMs(),
    }),
  )
}

async function objectOf(prefix: string, index = 0): Promise<string> {
  const names = await makeFolderArchive(place()).list(prefix)
  return join(place(), names[index] ?? 'none')
}

function edit(path: string, change: (text: string) => string): void {
  const text = gunzipSync(readFileSync(path)).toString('utf8')
  writeFileSync(path, gzipSync(change(text)))
}

async function faults(archiveMs?: number): Promise<readonly string[]> {
  const { lines, wrong } = await audit(archiveMs)
  const told = lines.filter((line) => line.startsWith('  ! ')).map((line) => line.slice(4))
  expect(wrong).toBe(told.length)
  return told
}

test('an archive as it was written adds up, and so do balances after the oldest call is gone', async () => {
  await makeStore()
  const { lines, wrong } = await audit()
  expect(lines).toEqual([
    'Archive: 2 objects, 4 entries, 0 lines repeated.',
    'Calls: 3, charged 1.5 credits.',
    'Grants and corrections: 1, 10 credits.',
    'Trail of changes: 2 days, 3 records.',
    'The archive adds up to the ledger.',
  ])
  expect(wrong).toBe(0)
  expect((await auditFolder(folder)).lines).toEqual([
    'user  granted  to spend  on hold  charged  difference',
    'ada        10       8.5        0      1.5           0',
    'All 1 users add up to what they were granted.',
  ])
})

test('an object that is missing is named by its calls, and by the sums of a call that only the archive had', async () => {
  await makeStore()
  rmSync(await objectOf('ledger/', 1))
  expect(await faults()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^call \w+-call1 of ada: not in the archive$/),
      expect.stringMatching(/^call \w+-call2 of ada: not in the archive$/),
    ]),
  )
  rmSync(await objectOf('ledger/', 0))
  expect(await faults()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /h of ada: the archive has 0 settled for 0 and 0 refunded of 0; the ledger's sums have 1 settled for 0.5 and 0 refunded of 0$/,
      ),
    ]),
  )
})

test('an archive with a bound adds up without what it no longer has, and names what it should have', async () => {
  await makeStore()
  // The object of a hundred days ago has Ada's grant, too, which the table keeps for ever.
  rmSync(await objectOf('ledger/', 0))
  expect((await faults()).length).toBeGreaterThan(0)
  expect(await faults(30 * DAY_MS)).toEqual([])
  expect((await faults(101 * DAY_MS)).length).toBeGreaterThan(0)
  rmSync(await objectOf('ledger/', 0))
  expect(await faults(30 * DAY_MS)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^call \w+-call1 of ada: not in the archive$/)]),
  )
})

test('merged objects add up like those that they replaced', async () => {
  await makeStore()
  const archive = makeFolderArchive(place())
  const name = (await archive.list('ledger/'))[1] ?? ''
  const [, day = ''] = /day=([\d-]+)/.exec(name) ?? []
  // The same batch in another cut: each line in an object of its own.
  for (const line of ((await archive.read(name)) ?? '').split('\n').filter((one) => one !== '')) {
    const text = `${line}\n`
    await archive.put({ name: `ledger/day=${day}/${digests.sha256(text)}.ndjson.gz`, text })
  }
  expect(await mergeObjects({ archive, clock, digests })).toEqual({ objects: 1, gone: 3, left: 0 })
  expect((await audit()).lines[0]).toBe('Archive: 2 objects, 4 entries, 0 lines repeated.')
  expect(await faults()).toEqual([])
})

test('a line that stands twice, is changed or was taken out of its object is named by the object', async () => {
  await makeStore()
  const path = await objectOf('ledger/', 1)
  const name = path.slice(place().length + 1)
  const whole = gunzipSync(readFileSync(path)).toString('utf8')
  const [line = ''] = whole.split('\n')
  edit(path, (text) => `${text}${line}\n`)
  expect(await faults()).toEqual([
    `${name}: its lines were changed`,
    `${name}: line 3 is in the object twice`,
  ])
  edit(path, () => whole.replace('"amount_micro_credits":500000', '"amount_micro_credits":400000'))
  expect(await faults()).toEqual(
    expect.arrayContaining([
      `${name}: its lines were changed`,
      expect.stringMatching(/^call \w+-call1 of ada: differs from the ledger$/),
    ]),
  )
  edit(path, () => whole.replace(`${line}\n`, ''))
  expect(await faults()).toContain(`${name}: its lines were changed`)
})

test('a call that the ledger never had is named, also under a right name', async () => {
  await makeStore()
  const createdAtMs = clock.nowMs() - 2 * DAY_MS
  const callId = makeCallId(createdAtMs, 'forged')
  const { text } = toArchiveLine({
    kind: 'call',
    outcome: { ...settledOf('ada', callId, PRICE), createdAtMs },
  })
  const digest = digests.sha256(`${text}\n`)
  const name = `ledger/day=${toUtcDay(createdAtMs)}/${digest}.ndjson.gz`
  await makeFolderArchive(place()).put({ name, text: `${text}\n` })
  expect(await faults()).toContain(`call ${callId} of ada: in the archive but not in the ledger`)
})

test('a day of the trail that is gone, and a record that was changed, are named', async () => {
  await makeStore()
  const path = await objectOf('audit/', 0)
  const [, day = ''] = /day=([\d-]+)/.exec(path) ?? []
  edit(path, (text) => text.replace('grantCredits', 'revokeKey'))
  expect(await faults()).toEqual([expect.stringMatching(/: record 1 is not as it was written$/)])
  rmSync(path)
  // The first day that the archive has; only the next one could name it.
  expect(await faults()).toEqual([])
  expect(day).toBe(toUtcDay(clock.nowMs() - 3 * DAY_MS))
})

test('archive:ledger puts back what is missing, and nothing a second time', async () => {
  await makeStore()
  rmSync(await objectOf('ledger/', 1))
  const repair = () =>
    withFolder(folder, (ledger) => archiveLedger(ledger, makeFolderArchive(place())))
  expect(await repair()).toEqual({ entries: 2, objects: 1, days: 2 })
  expect(await faults()).toEqual([])
  expect(await repair()).toEqual({ entries: 0, objects: 0, days: 2 })
})
