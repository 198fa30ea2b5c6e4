/** Thursday of the week: a call failed, and credits run out. */
import type { Day } from './step.ts'

const call = (key: string, order: number) =>
  `SKILLGATE_KEY=$${key} skillgate call sg_order order=${order}`

export const THURSDAY: Day = {
  title: 'Thursday: support',
  intro: 'Bo writes that a tool does not work. Sam looks.',
  startsAt: '2026-11-05T09:00:00Z',
  steps: [
    {
      says: 'What did Bo see?',
      upstreamFails: true,
      before: [call('ADA_KEY', 4712)],
      line: call('BO_KEY', 4711),
      code: 1,
    },
    {
      says: "What happened to Bo's calls?",
      upstreamFails: false,
      line: 'skillgate calls ls --user bo',
      keeps: { CALL: /upstream_failed\s+(\w{9})-/ },
      picture: 'calls',
    },
    {
      says: 'One call in full. The beginning of its id is enough.',
      line: 'skillgate calls show $CALL',
      until: 'outcome',
      picture: 'call',
    },
    {
      says: 'Who will soon have no credits left?',
      line: 'skillgate users ls --running-out --within 14d',
      until: 'bo',
    },
    {
      says: 'Bo gets some, with the reason.',
      line: "skillgate credits grant bo 5 --reason 'The warehouse was closed on Thursday'",
    },
    { says: 'Who gave Bo credits, and why?', line: 'skillgate credits grants bo' },
    {
      says: 'Twelve credits are taken back, which is more than there is.',
      line: "skillgate credits grant bo -12 --reason 'Invoice 1203 was not paid'",
      code: 1,
    },
    {
      says: 'The debt is meant.',
      line: "skillgate credits grant bo -12 --allow-debt --reason 'Invoice 1203 was not paid'",
    },
    { says: 'Who owes credits?', line: 'skillgate credits debts' },
    {
      says: 'Bo cannot call now, and reads why.',
      line: call('BO_KEY', 4713),
      code: 1,
    },
    { says: 'Which events did not reach their targets?', line: 'skillgate events ls' },
    {
      says: 'A user who does not exist.',
      line: 'skillgate users show boo',
      code: 1,
    },
  ],
}
