/** A month of an administrator on the command line: budgets, grants, debts, groups, prices and the audit trail. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShellOptions } from '../cli/test-shell.ts'
import { startFreshTwin } from './fresh-twin.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'

let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-month-'))
  twin = await startFreshTwin([])
  for (const uid of ['ada', 'bob']) await run(`users create ${uid} --credits 5`)
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

const run = (line: string, options?: ShellOptions) => runAtTwin(twin, home, line, options)
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out)

describe('users', () => {
  test('are listed with credits, holds and budget, within 80 columns', async () => {
    await run('users set ada --monthly-budget 20')
    const { out } = await run('users ls', { columns: 80 })
    expect(out).toMatch(/^UID +USERNAME +CREDITS +ON HOLD +BUDGET/)
    expect(out).toMatch(/\nada +ada +5 +0 +0\/20 /)
    expect(out).toMatch(/\nbob +bob +5 +0 +free/)
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('get a budget and an identity, and lose both by none', async () => {
    await run('users set ada --monthly-budget 2.5 --identity ada@example.com')
    expect(await json('users ls --identity ADA@example.com')).toMatchObject([
      { uid: 'ada', monthlyBudget: { limit: 2.5 } },
    ])
    await run('users set ada --monthly-budget none --identity none')
    const user = await json('users show ada')
    expect([user.monthlyBudget, user.identity]).toEqual([undefined, undefined])
  })

  test('who run out are asked for with days, and with no other filter', async () => {
    expect(await run('users ls --running-out --within 14d')).toMatchObject({ code: 0, out: '' })
    const wrong: readonly (readonly [string, string])[] = [
      ['users ls --within 7d', 'Add --running-out.'],
      ['users ls --running-out --tier pro', '--tier does not go with --running-out.'],
      ['users ls --running-out --within 2h', 'Write --within 7d.'],
    ]
    for (const [line, said] of wrong) {
      expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining(said) })
    }
    const tooLong = await run('users ls --running-out --within 91d')
    expect([tooLong.code, tooLong.err]).toEqual([1, expect.stringContaining('from 1 to 90')])
  })
})

describe('credits', () => {
  test('grants have time, amount, who and why, the newest first, and their sums', async () => {
    await run('credits grant bob 0.1 --grant-id z-first')
    await run("credits grant bob -0.3 --grant-id a-last --reason 'paid twice'")
    const { err, out } = await run('credits grants bob')
    expect(out.split('\n')[1]).toMatch(/ -0\.3 +break-glass:admin-key +paid twice +a-last$/)
    expect(out).toContain('z-first')
    expect(err).toBe('Given 5.1, taken 0.3, together 4.8.\n')
    const cut = await run('credits grants bob --limit 1')
    expect(cut.out.split('\n')).toHaveLength(3)
    expect(cut.err).toContain('There are more rows than 1')
    expect(cut.err).toContain('together 4.8.')
  })

  test('are owed only where it is allowed, and then the debts name the user', async () => {
    await run('users create eve')
    const refused = await run("credits grant eve -2 --reason 'paid back'")
    expect([refused.code, await json('credits debts')]).toEqual([1, []])
    await run("credits grant eve -2 --reason 'paid back' --allow-debt")
    expect(await json('credits debts')).toMatchObject([{ uid: 'eve', credits: -2 }])
    expect((await run('credits debts', { columns: 80 })).out).toMatch(/\neve +eve +-2 /)
    await run('credits grant eve 2')
    expect(await json('credits debts')).toEqual([])
  })
})

test('groups are added and removed beside those that are there', async () => {
  await run('groups set ada one two')
  await Promise.all([
    run('groups add ada three'),
    run('groups add ada four'),
    run('groups rm ada one'),
  ])
  expect((await json('groups show ada')).groups).toEqual(['four', 'three', 'two'])
})

test('a key is listed with its budget, the calls of the day and what it may call', async () => {
  await run(
    "keys issue ada --tools 'sg_*' --max-credits 0.5 --monthly-budget 3 --calls-per-day 9 --may-issue-keys yes",
  )
  const { out } = await run('keys ls ada')
  expect(out).toMatch(/ 0\/3 +0\/9 +sg_\*, up to 0\.5 a call, issues keys /)
})

describe('skills set', () => {
  test('changes price and groups, and keeps the definition', async () => {
    const before = await json('skills show sg_weather')
    const set = await run('skills set sg_weather --price 0.25 --groups finance,ops')
    expect(set.out).toMatch(/\nprice +0\.25\nstate +listed\ngroups +finance, ops\n/)
    expect((await json('groups ls')).map(({ group }: { group: string }) => group)).toEqual([
      'finance',
      'ops',
    ])
    const open = await run('skills set sg_weather --groups none')
    expect(open.out).toMatch(/\ngroups +none: for everyone\n/)
    const { skill } = await json('skills show sg_weather')
    expect(skill).toEqual({ ...before.skill, credits_per_call: 0.25 })
  })

  test('lists an unlisted skill for administrators alone, and refuses another version', async () => {
    await run('skills set sg_weather --state unlisted')
    expect((await run('skills ls')).out).toMatch(
      /sg_weather +official +sg_weather +0\.25 +unlisted/,
    )
    expect((await run('tools')).out).not.toContain('sg_weather(')
    const old = await run('skills set sg_weather --price 1 --if-version 1')
    expect([old.code, old.err]).toEqual([1, expect.stringContaining('has version')])
    expect(await run('skills set sg_weather')).toMatchObject({ code: 2 })
    await run('skills set sg_weather --state listed')
  })
})

test('the tool list is built again, and says how many tools it has', async () => {
  expect(await json('skills rebuild')).toMatchObject({ tools: expect.any(Number) })
})

test('the trail of a day is checked: whole today, and a wrong day is refused', async () => {
  const { code, out } = await run('audit verify')
  expect([code, out]).toEqual([0, expect.stringMatching(/\ntrail +whole\n/)])
  expect(await run('audit verify yesterday')).toMatchObject({ code: 1 })
})

test('a trail from which a record was taken is broken: the record is named, and the exit code is 1', async () => {
  const folder = join(home, 'twin')
  const before = await startTwin(['--data', folder])
  for (const tier of ['pro', 'free']) await runAtTwin(before, home, `users set demo --tier ${tier}`)
  await before.stop()
  takeRecord(folder)
  const after = await startTwin(['--data', folder])
  const { code, out } = await runAtTwin(after, home, 'audit verify')
  const inJson = await runAtTwin(after, home, 'audit verify --json')
  await after.stop()
  expect(code).toBe(1)
  expect(out).toMatch(/\ntrail +broken in \d+ places\n/)
  expect(out).toMatch(/\nRECORD +FAULT +WHAT\n.*missing/s)
  expect([inJson.code, JSON.parse(inJson.out).isWhole]).toEqual([1, false])
})

/** Takes the first record of the trail out of the file of a twin that is stopped. */
function takeRecord(folder: string): void {
  const store = new DatabaseSync(join(folder, 'items.sqlite'))
  const first = "SELECT min(id) FROM gateway WHERE pk LIKE 'audit:2%' AND sk <> 'head'"
  expect(store.prepare(`DELETE FROM gateway WHERE id = (${first})`).run().changes).toBe(1)
  store.close()
}
