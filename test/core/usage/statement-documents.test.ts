/** Names, skills and reasons of a statement are texts in CSV and HTML, whatever they contain. */

import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { formatCsvLine } from '../../../core/usage/csv.ts'
import type { Statement } from '../../../core/usage/statement.ts'
import { writeStatementHtml } from '../../../core/usage/statement-html.ts'
import { writeStatementCsv } from '../../../core/usage/statement-text.ts'

const HOSTILE = `</td><script>alert(1)</script>"'&\u202e\u0000`

function statementOf(text: string): Statement {
  const grant = { createdAtMs: Date.UTC(2026, 10, 2), grantId: text, by: text, reason: text }
  return {
    uid: text,
    username: text,
    state: 'active',
    month: '2026-11',
    sinceMs: Date.UTC(2026, 10, 1),
    untilMs: Date.UTC(2026, 11, 1),
    complete: true,
    opening: 0,
    granted: 10,
    corrected: -2,
    charged: 1.5,
    closing: 6.5,
    calls: 3,
    refunded: 1,
    givenBack: 0.5,
    grants: [{ ...grant, amount: 10 }],
    corrections: [{ ...grant, amount: -2 }],
    charges: [{ skillId: text, source: 'private', calls: 3, charged: 1.5 }],
    refunds: [{ reason: 'upstream_failed', calls: 1, givenBack: 0.5 }],
  }
}

describe('the HTML of a statement', () => {
  test('has no element and no attribute of a text', () => {
    const page = writeStatementHtml(statementOf(HOSTILE))
    const plain = writeStatementHtml(statementOf('x'))
    const tagsOf = (html: string) => html.match(/<[^>]*>/g)
    expect(tagsOf(page)).toEqual(tagsOf(plain))
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\uFFFD\uFFFD')
    for (const hidden of ['\u0000', '\u202e']) expect(page).not.toContain(hidden)
  })
})

describe('the CSV of a statement', () => {
  test.each(['a,b', 'a "quoted" one', 'two\nlines', 'two\r\nlines', HOSTILE])(
    'has %j as it is',
    (text) => {
      const { data, errors } = Papa.parse<string[]>(writeStatementCsv(statementOf(text)).trimEnd())
      expect(errors).toEqual([])
      expect(new Set(data.map((cells) => cells.length))).toEqual(new Set([9]))
      expect(data.slice(1).every(([uid]) => uid === text)).toBe(true)
    },
  )

  test.each(['=1+1', '+1', '@SUM(A1)', '-1+1', '\t=1', '\r=1', '＝1+1'])(
    'has the formula %j as a text',
    (text) => {
      const [[cell] = []] = Papa.parse<string[]>(formatCsvLine([text]).slice(0, -2), {
        delimiter: ',',
      }).data
      expect(cell).toBe(`'${text}`)
    },
  )

  test('has numbers below zero as numbers, and no line that adds up others', () => {
    const { data } = Papa.parse<string[]>(writeStatementCsv(statementOf('x')).trimEnd())
    expect(data.map((cells) => [cells[2], cells[8]])).toEqual([
      ['kind', 'credits'],
      ['opening', '0'],
      ['grant', '10'],
      ['correction', '-2'],
      ['charge', '1.5'],
      ['refund', '0.5'],
      ['closing', '6.5'],
    ])
  })
})
