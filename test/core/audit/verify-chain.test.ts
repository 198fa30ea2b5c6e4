/** Verification reports any change of a day's stored records, and names the record that was changed. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import type { AuditHead, AuditOutcome, AuditRecord } from '../../../core/audit/audit-record.ts'
import { findChainBreaks, makeNextRecord, toHeadAfter } from '../../../core/audit/chain.ts'

const digests = nodeDigests()
const DAY = '2026-11-22'

function chainOf(count: number): readonly AuditRecord[] {
  const records: AuditRecord[] = []
  for (let n = 1; n <= count; n += 1) {
    const content: AuditOutcome = {
      kind: 'outcome',
      atMs: n,
      status: 200,
      target: { uid: `u${n}` },
    }
    const last = records.at(-1)
    const place =
      last === undefined
        ? ({ kind: 'first', day: DAY, link: undefined } as const)
        : ({ kind: 'behind', head: toHeadAfter(last) } as const)
    records.push(makeNextRecord(digests, place, content, n))
  }
  return records
}

function headOf(records: readonly AuditRecord[]): AuditHead | undefined {
  const last = records.at(-1)
  return last === undefined ? undefined : toHeadAfter(last)
}

const WHOLE = chainOf(5)
const HEAD = headOf(WHOLE)

function faultsOf(records: readonly AuditRecord[], head = HEAD) {
  return findChainBreaks(digests, records, head).map(({ kind, seq }) => `${seq} ${kind}`)
}

function replaced(seq: number, change: (record: AuditRecord) => AuditRecord) {
  return WHOLE.map((record) => (record.seq === seq ? change(record) : record))
}

/** The text is changed and its hash is computed again. */
function rewritten(record: AuditRecord): AuditRecord {
  const text = record.text.replace('"uid":"u', '"uid":"x')
  return { ...record, text, hash: digests.sha256(text) }
}

describe('a chain', () => {
  test('as it was written has no faults', () => {
    for (const count of [0, 1, 2, 50]) {
      const records = chainOf(count)
      expect(findChainBreaks(digests, records, headOf(records))).toEqual([])
    }
  })

  test.each([1, 2, 3, 4, 5])('without its record %i lacks that one', (seq) => {
    expect(faultsOf(WHOLE.filter((record) => record.seq !== seq))).toEqual([`${seq} missing`])
  })

  test.each([1, 3, 5])('with another text in record %i has it changed', (seq) => {
    const change = (record: AuditRecord) => ({ ...record, text: record.text.replace('200', '201') })
    const faults = faultsOf(replaced(seq, change))
    expect(faults).toEqual([`${seq} changed`])
  })

  test.each([1, 3])('with text and hash of record %i renewed has it changed', (seq) => {
    expect(faultsOf(replaced(seq, rewritten))).toEqual([`${seq} changed`])
  })

  test('with its last record written anew differs from its head', () => {
    expect(faultsOf(replaced(5, rewritten))).toEqual(['5 head'])
  })

  test('with a text that is no JSON, hashed anew, has that record moved', () => {
    const broken = (record: AuditRecord) => ({ ...record, text: '{', hash: digests.sha256('{') })
    expect(faultsOf(replaced(2, broken))).toContain('2 moved')
  })

  test('with two records in each other’s places has both moved', () => {
    const [, second, third] = WHOLE
    const put = (at: AuditRecord | undefined, from: AuditRecord | undefined) => ({
      ...(at as AuditRecord),
      text: from?.text ?? '',
      hash: from?.hash ?? '',
      prev: from?.prev ?? '',
    })
    const swapped = WHOLE.map((record) =>
      record.seq === 2 ? put(second, third) : record.seq === 3 ? put(third, second) : record,
    )
    expect(faultsOf(swapped)).toEqual(expect.arrayContaining(['2 moved', '3 moved']))
  })

  test('with a second record of one number has that one added', () => {
    const [, second] = WHOLE
    const added = [...WHOLE, { ...(second as AuditRecord), intent: 9 }].sort(
      (a, b) => a.seq - b.seq,
    )
    expect(faultsOf(added)).toEqual(['2 added'])
  })

  test('with a right record behind its head has that one added', () => {
    const records = chainOf(6)
    expect(faultsOf(records, HEAD)).toEqual(['6 added'])
  })

  test('cut off at its end lacks each record up to its head', () => {
    expect(faultsOf(WHOLE.slice(0, 3))).toEqual(['4 missing', '5 missing'])
    expect(faultsOf([])).toEqual(['1', '2', '3', '4', '5'].map((seq) => `${seq} missing`))
  })

  test('without its head is reported as one', () => {
    expect(findChainBreaks(digests, WHOLE, undefined)).toEqual([{ seq: 5, kind: 'head' }])
  })

  test('of which any one record is removed or changed in any one member is never whole', () => {
    const members = ['day', 'kind', 'intent', 'prev', 'text', 'hash', 'seq'] as const
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.constantFrom(...members), (seq, member) => {
        const changed = replaced(seq, (record) => {
          const before = record[member]
          const after = typeof before === 'number' ? before + 7 : `${before}x`
          return { ...record, [member]: after }
        })
        expect(faultsOf([...changed].sort((a, b) => a.seq - b.seq))).not.toEqual([])
      }),
    )
  })
})
