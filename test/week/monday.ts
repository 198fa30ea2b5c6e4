/** Monday of the week: accounts, keys and clients. */
import type { Day } from './step.ts'

export const MONDAY: Day = {
  title: 'Monday: the administrator',
  intro:
    'Kim administers the gateway of a shop. Two colleagues need accounts, and their agents need keys.',
  startsAt: '2026-11-02T09:00:00Z',
  steps: [
    { says: 'Which gateway is this, and who am I?', line: 'skillgate whoami' },
    {
      says: 'Ada gets an account with 25 credits.',
      line: 'skillgate users create ada --username Ada --credits 25 --groups shop',
    },
    {
      says: 'Bo has little to spend.',
      line: 'skillgate users create bo --username Bo --credits 4',
    },
    { says: 'Bo works for the shop, too.', line: 'skillgate groups add bo shop' },
    {
      says: "Ada's agent gets a key for official tools, and 20 credits a month.",
      line: "skillgate keys issue ada --tools 'sg_*' --monthly-budget 20",
      keeps: { ADA_KEY: /(sgk_\S+)/ },
    },
    {
      says: "Bo's agent gets one without a budget.",
      line: 'skillgate keys issue bo',
      keeps: { BO_KEY: /(sgk_\S+)/ },
    },
    { says: "What may Ada's keys do?", line: 'skillgate keys ls ada' },
    { says: 'Who is there?', line: 'skillgate users ls', picture: 'users' },
    {
      says: 'An id that is taken is refused.',
      line: 'skillgate users create ada --credits 5',
      code: 1,
    },
    {
      says: 'Ada uses Cursor. The file names the variable of the key, and not the key.',
      line: 'skillgate connect cursor',
    },
    {
      says: 'Which clients are connected?',
      line: 'skillgate connect --list',
      picture: 'clients',
    },
    {
      says: "Bo's client sends the name of the variable in place of the key.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what a client sends that expands nothing.
      line: "SKILLGATE_KEY='${SKILLGATE_KEY}' skillgate tools",
      code: 4,
    },
    {
      says: 'Is everything well?',
      line: 'skillgate doctor',
      realClock: true,
      picture: 'doctor',
    },
  ],
}
