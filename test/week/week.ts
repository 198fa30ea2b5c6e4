/**
 * A week with the command line, as data: four people, what each wants, and the lines that they
 * type. test/week/week.test.ts runs it and holds docs/week.md and its pictures.
 */
import { FRIDAY } from './friday.ts'
import { MONDAY } from './monday.ts'
import type { Day } from './step.ts'
import { THURSDAY } from './thursday.ts'
import { TUESDAY } from './tuesday.ts'
import { WEDNESDAY } from './wednesday.ts'

const STOCK = {
  id: 'sg_stock',
  source: 'official',
  meta: { name: 'Stock', description: 'Tells the stock of a shelf.' },
  config: { endpoint: 'UPSTREAM/stock/A7', method: 'GET' },
  credits_per_call: 0.5,
}

/** What the demo user did in the month before, which Friday adds up. */
export const BEFORE = {
  startsAt: '2026-10-26T09:00:00Z',
  saves: { 'stock.json': JSON.stringify(STOCK) },
  lines: [
    { line: 'skillgate skills push stock.json' },
    { line: 'skillgate call sg_stock' },
    { line: 'skillgate call sg_stock' },
    { line: 'skillgate usage --by month', until: '2026-10' },
  ],
} as const

export const WEEK: readonly Day[] = [MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY]
