/** Contract of the port AuditTrail. Days follow the last one of the store, which other suites may share. */
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import type { AuditHead, AuditOutcome, AuditRecord } from '../../core/audit/audit-record.ts'
import { makeNextRecord, toHeadAfter } from '../../core/audit/chain.ts'
import { DAY_MS, parseDayStart, toUtcDay } from '../../core/json/utc-time.ts'
import { atOnce } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

const digests = nodeDigests()
const FIRST_DAY = '2033-05-18'
const CONTENT: AuditOutcome = { kind: 'outcome', atMs: 1, status: 200, target: {} }

/** Records of a chain, made by hand; to a store the `kind` in a record's text does not matter. */
async function nextDay({ auditTrail }: Pick<StorePorts, 'auditTrail'>): Promise<AuditRecord> {
  const last = await auditTrail.lastDay()
  const day = last === undefined ? FIRST_DAY : toUtcDay(parseDayStart(last) + DAY_MS)
  const link = last === undefined ? undefined : await auditTrail.head(last)
  return asIntent(makeNextRecord(digests, { kind: 'first', day, link }, CONTENT))
}

function asIntent(record: AuditRecord): AuditRecord {
  return { ...record, kind: 'intent' }
}

function behind(head: AuditHead, status = 200): AuditRecord {
  return asIntent(makeNextRecord(digests, { kind: 'behind', head }, { ...CONTENT, status }))
}

function outcomeOf(head: AuditHead, intent: number): AuditRecord {
  return makeNextRecord(digests, { kind: 'behind', head }, CONTENT, intent)
}

/** A day with intents 1, 2 and 4, and the outcome of 1 as its third record. */
async function filledDay(ports: StorePorts): Promise<readonly AuditRecord[]> {
  const first = await nextDay(ports)
  const second = behind(toHeadAfter(first))
  const third = outcomeOf(toHeadAfter(second), 1)
  const fourth = behind(toHeadAfter(third))
  const all = [first, second, third, fourth]
  for (const record of all) expect(await ports.auditTrail.append(record)).toBe(true)
  return all
}

export function describeAuditTrail(name: string, makePorts: MakePorts): void {
  describe(`${name}: the audit trail`, () => {
    const opened = openedPorts(makePorts)

    test('a day without records has no head and no record', async () => {
      const { auditTrail } = opened()
      expect(await auditTrail.head('2001-01-01')).toBeUndefined()
      expect(await auditTrail.day('2001-01-01')).toEqual([])
      expect(await auditTrail.page({ day: '2001-01-01', limit: 10 })).toEqual([])
    })

    test('records come back as they were appended, in the order of their numbers', async () => {
      const ports = opened()
      const all = await filledDay(ports)
      const day = all[0]?.day ?? ''
      expect(await ports.auditTrail.day(day)).toEqual(all)
      expect(await ports.auditTrail.head(day)).toEqual({ day, count: 4, hash: all[3]?.hash })
      expect(await ports.auditTrail.lastDay()).toBe(day)
    })

    test('a page begins with the greatest intent, and an outcome is ahead of its own', async () => {
      const ports = opened()
      const all = await filledDay(ports)
      const day = all[0]?.day ?? ''
      const page = async (more: { before?: number; limit: number }) =>
        (await ports.auditTrail.page({ day, ...more })).map(({ intent, kind }) => [intent, kind])
      expect(await page({ limit: 10 })).toEqual([
        [4, 'intent'],
        [2, 'intent'],
        [1, 'outcome'],
        [1, 'intent'],
      ])
      expect(await page({ limit: 2 })).toEqual([
        [4, 'intent'],
        [2, 'intent'],
      ])
      expect(await page({ before: 4, limit: 2 })).toEqual([
        [2, 'intent'],
        [1, 'outcome'],
      ])
      expect(await page({ before: 1, limit: 2 })).toEqual([])
    })

    test('a record that does not follow the head is refused, and nothing is written', async () => {
      const ports = opened()
      const all = await filledDay(ports)
      const { day = '', hash = '' } = all[3] ?? {}
      const wrong = [
        behind({ day, count: 5, hash }),
        behind({ day, count: 3, hash }),
        behind({ day, count: 4, hash: all[2]?.hash ?? '' }),
        { ...behind({ day, count: 4, hash }), intent: 2 },
      ]
      for (const record of wrong) expect(await ports.auditTrail.append(record)).toBe(false)
      expect(await ports.auditTrail.day(day)).toEqual(all)
      expect(await ports.auditTrail.head(day)).toEqual({ day, count: 4, hash })
    })

    test('a day is opened once, and only behind the last day', async () => {
      const ports = opened()
      await filledDay(ports)
      const first = await nextDay(ports)
      const unlinked = { ...first, link: undefined }
      const elsewhere = { ...first, link: { day: '2001-01-01', count: 1, hash: 'x' } }
      expect(await ports.auditTrail.append(unlinked)).toBe(false)
      expect(await ports.auditTrail.append(elsewhere)).toBe(false)
      expect(await ports.auditTrail.append(first)).toBe(true)
      expect(await ports.auditTrail.append(first)).toBe(false)
      expect(await ports.auditTrail.day(first.day)).toEqual([first])
    })

    test('a single one of 20 records behind one head is appended', async () => {
      const ports = opened()
      const all = await filledDay(ports)
      const { day = '', hash = '' } = all[3] ?? {}
      const appended = await atOnce(20, (index) =>
        ports.auditTrail.append(behind({ day, count: 4, hash }, 200 + index)),
      )
      expect(appended.filter((won) => won)).toHaveLength(1)
      expect(await ports.auditTrail.day(day)).toHaveLength(5)
      expect((await ports.auditTrail.head(day))?.count).toBe(5)
    })
  })
}
