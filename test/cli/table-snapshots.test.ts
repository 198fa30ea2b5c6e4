/**
 * Every table at 80 and 120 columns, with a usual row and the worst one. A command that prints rows
 * and has no line here fails the test.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../cli/command/run-command.ts'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { countWidth } from '../../cli/terminal/text-width.ts'
import { runIn, runLine, type ShellOptions } from './test-shell.ts'
import { DOCUMENT, NOW_MS, startWorstGateway, type WorstGateway } from './worst-rows.ts'

const LINES = [
  'users ls',
  'users ls --running-out',
  'calls ls',
  'credits ledger ada',
  'credits grants ada',
  'credits debts',
  'skills ls',
  'skills versions sg_weather',
  'skills push skills/a-folder-of-a-team-with-a-long-name/and-a-skill-in-it-with-a-longer-one.json',
  'guides ls',
  'guides versions sample-tools',
  'guides push guides/sample-tools',
  'groups ls',
  'keys ls ada',
  'logins ls ada',
  'secrets ls ada',
  'secrets shared ls',
  'upstreams ls',
  'statements ls --month 2026-10',
  'events ls',
  'events test',
  'audit',
  'admin-keys ls',
  'usage --by key',
  'import openapi ls document.json',
  'profile ls',
  'connect --list',
] as const

let home = ''
let gateway: WorstGateway
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-tables-'))
  gateway = await startWorstGateway()
  const folder = join(home, 'skills/a-folder-of-a-team-with-a-long-name')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'and-a-skill-in-it-with-a-longer-one.json'), '{}')
  mkdirSync(join(home, 'guides/sample-tools'), { recursive: true })
  writeFileSync(join(home, 'guides/sample-tools/SKILL.md'), '# Sample tools\n')
  writeFileSync(join(home, 'document.json'), JSON.stringify(DOCUMENT))
  mkdirSync(join(home, '.config/skillgate'), { recursive: true })
  const adminUrl = `https://gateway.${'far-north.'.repeat(9)}example.com/v1/admin`
  const profile = { adminUrl, mcpUrl: adminUrl, credential: { store: 'keyring' } }
  const profiles = { local: profile, [`production-of-${'x'.repeat(40)}`]: profile }
  writeFileSync(
    join(home, '.config/skillgate/config.json'),
    JSON.stringify({ current: 'local', profiles }),
  )
})
afterAll(async () => {
  await gateway.stop()
  rmSync(home, { recursive: true, force: true })
})

function toOptions(columns: number | undefined, env: ShellOptions['env'] = {}): ShellOptions {
  return {
    home,
    cwd: home,
    nowMs: NOW_MS,
    env: {
      SKILLGATE_URL: gateway.origin,
      SKILLGATE_ADMIN_KEY: 'admin',
      PATH: '/nowhere',
      ...env,
    },
    ...(columns === undefined ? {} : { columns }),
  }
}

function run(line: string, columns: number | undefined) {
  const place = line.startsWith('connect') ? { home: '/home/ada', cwd: '/home/ada' } : {}
  return runLine(line.split(' '), { ...toOptions(columns, { NO_COLOR: '1' }), ...place })
}

test.each([80, 120])('tables print at %i columns what their snapshot has', async (columns) => {
  const shown: string[] = []
  for (const line of LINES) {
    const { code, err, out } = await run(line, columns)
    expect([line, err, code]).toEqual([line, expect.not.stringContaining('is not'), 0])
    shown.push([`$ skillgate ${line}`, out, ...(err === '' ? [] : ['--- stderr', err])].join('\n'))
  }
  const text = shown.join('\n')
  await expect(text).toMatchFileSnapshot(`snapshots/tables-at-${columns}-columns.txt`)
})

test('every command that prints rows is in the snapshots', () => {
  const printing = COMMANDS.filter(({ data }) => data === 'rows').map(({ name }) => name)
  const shown = printing.filter((name) => LINES.some((line) => `${line} `.startsWith(`${name} `)))
  expect(shown).toEqual(printing)
  expect(printing.length).toBeGreaterThan(20)
})

test.each([80, 120])('no line of a table is wider than %i columns', async (columns) => {
  for (const line of LINES) {
    const { out } = await run(line, columns)
    const wide = out.split('\n').filter((row) => countWidth(row) > columns && isSeveral(row))
    expect([line, wide]).toEqual([line, []])
  }
})

/** An id or a name that is wider than the screen stands alone and is not cut. */
function isSeveral(row: string): boolean {
  return row.trim().includes('  ')
}

test('colours say what is good, what wants a look and what is refused', async () => {
  const shown: string[] = []
  for (const line of ['credits ledger ada', 'upstreams ls', 'events ls']) {
    const pieces: string[] = []
    await runIn((shell) => {
      const out = {
        ...shell.out,
        control: (name: string) => void pieces.push(`⟨${name}⟩`),
        write: (text: string) => void pieces.push(text),
      }
      return runCommand(line.split(' '), { ...shell, out })
    }, toOptions(80))
    shown.push(`$ skillgate ${line}\n${pieces.join('')}`)
  }
  await expect(shown.join('\n')).toMatchFileSnapshot('snapshots/tables-in-colour.txt')
})

test('a pipe and --no-color get no colour', async () => {
  expect((await runLine(['credits', 'ledger', 'ada'], toOptions(undefined))).out).not.toContain(
    '\u001b',
  )
  const plain = await runLine(['credits', 'ledger', 'ada', '--no-color'], toOptions(80))
  expect(plain.out).not.toContain('\u001b')
  const coloured = await runLine(['credits', 'ledger', 'ada'], toOptions(120))
  expect(coloured.out).toContain('\u001b[32msettled\u001b[0m')
})
