/** Friday of the week: what was used, by whom, and for how much. */
import type { Day } from './step.ts'

export const FRIDAY: Day = {
  title: 'Friday: finance',
  intro: 'Kim closes the week for the accountants.',
  startsAt: '2026-11-06T09:00:00Z',
  steps: [
    {
      says: 'Who used what this week?',
      line: 'skillgate usage --by user,skill --since 2026-11-02',
      picture: 'usage',
    },
    {
      says: 'How do the months compare?',
      line: 'skillgate usage --by month --since 2026-10',
    },
    {
      says: "Ada's account of the month.",
      line: 'skillgate statements show ada',
      picture: 'statement',
    },
    { says: 'The same for a spreadsheet.', line: 'skillgate statements show ada --csv' },
    {
      says: 'The same for print.',
      line: 'skillgate statements show ada --html --out ada.html',
    },
    { says: 'All balances of the month.', line: 'skillgate statements ls' },
    { says: 'As CSV.', line: 'skillgate usage --by user --since 2026-11-02 --csv' },
    {
      says: 'One number for a script.',
      line: "skillgate usage --by user --since 2026-11-02 --jq '.total.charged'",
    },
    { says: "Who changed Bo's account?", line: 'skillgate audit --target bo' },
    {
      says: 'Was any record of Thursday removed or changed?',
      line: 'skillgate audit verify 2026-11-05',
    },
  ],
}
