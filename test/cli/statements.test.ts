/** The accounts of a month on a running twin: as text, CSV, HTML and files, and sums by two words. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine } from './test-shell.ts'

let home = ''
let twin: Twin
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-statements-'))
  const options = { ...DEFAULT_OPTIONS, port: 0, data: home, memory: true }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
  for (let at = 0; at < 60; at += 1) {
    expect((await run(`users create user-${String(at).padStart(2, '0')}`)).code).toBe(0)
  }
  expect((await run('credits grant user-07 12.5 --reason first,month')).code).toBe(0)
  expect((await run('call sg_weather city=Oslo')).code).toBe(0)
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(line: string, columns?: number) {
  return runLine(line.split(' '), {
    home,
    cwd: home,
    env: {
      SKILLGATE_URL: twin.origin,
      SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
      SKILLGATE_KEY: twin.credentials.key,
      NO_COLOR: '1',
      PATH: '/nowhere',
    },
    ...(columns === undefined ? {} : { columns }),
  })
}

test('statements show prints text, CSV and HTML, and writes a file that its owner alone reads', async () => {
  const text = await run('statements show user-07', 80)
  expect([text.code, text.err]).toEqual([0, ''])
  expect(text.out).toMatch(/^Closing balance +12\.5$/m)
  const csv = await run('statements show user-07 --csv')
  expect(csv.out.split('\r\n')[0]).toBe('uid,month,kind,time,id,by,reason,calls,credits')
  expect(csv.out).toMatch(/^user-07,\d{4}-\d\d,grant,.*,"first,month",,12\.5\r$/m)
  const file = join(home, 'one.html')
  const html = await run(`statements show user-07 --html --out ${file}`)
  expect([html.code, html.out]).toEqual([0, ''])
  expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('statements show refuses two formats, and a file in a folder that is missing', async () => {
  expect((await run('statements show user-07 --csv --html')).code).toBe(2)
  const { code, err } = await run('statements show user-07 --html --out missing/one.html')
  expect([code, err]).toEqual([1, expect.stringContaining('missing/one.html: cannot be written')])
})

test('statements ls fits 80 columns and names each user whole', async () => {
  const { code, out } = await run('statements ls', 80)
  const lines = out.split('\n')
  expect([code, lines.filter((line) => line.length > 80)]).toEqual([0, []])
  expect(lines.some((line) => line.startsWith('user-07'))).toBe(true)
})

test('statements export writes a document for each user of several pages, and a line of CSV', async () => {
  const { code, err } = await run(`statements export --out ${join(home, 'accounts')}`)
  expect([code, err]).toEqual([0, expect.stringMatching(/^Wrote \d+ statements of /)])
  const files = readdirSync(join(home, 'accounts'))
  const users = files.filter((name) => name.endsWith('.html'))
  expect(users.filter((name) => name.startsWith('user-'))).toHaveLength(60)
  const table = files.find((name) => name.endsWith('.csv')) ?? ''
  const lines = readFileSync(join(home, 'accounts', table), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines).toHaveLength(users.length + 1)
  expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(lines.length)
})

test('usage of two words has totals of the first in its table at 80 columns, and none in CSV', async () => {
  await expect
    .poll(async () => (await run('usage --by user,skill', 80)).out)
    .toContain('sg_weather')
  const table = await run('usage --by user,skill', 80)
  expect(table.out.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(table.out).toMatch(/total/)
  const csv = await run('usage --by user,skill --csv')
  expect(csv.out).toContain('sg_weather')
  expect(csv.out).not.toContain('total')
})
