/** Every command refuses wrong usages before it does anything, with a remedy; the rows are the table's. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../cli/command/command.ts'
import { formatHelp } from '../../cli/command/help.ts'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { canRunTwin } from '../../cli/commands/operate.ts'
import { formatCliPage } from '../../scripts/cli-page.ts'
import { runLine } from './test-shell.ts'

const SHOWN = COMMANDS.filter(({ hidden }) => hidden !== true)
/** A command that began would say that there is no profile: exit code 4. */
const EMPTY = { env: { XDG_CONFIG_HOME: '/nowhere' } }

function wordsOf(command: Command): readonly string[] {
  return [...command.name.split(' '), ...command.arguments.map(({ name }) => name.toLowerCase())]
}

describe('words that begin with a dash', () => {
  const UNTIL_8 = '-Pq3_x9'
  test('an id of eight characters and more is a word, and a value', async () => {
    for (const line of [
      ['keys', 'revoke', 'ada', `${UNTIL_8}h`, '--yes'],
      ['keys', 'revoke', `${UNTIL_8}f`, 'sgk_', '--yes'],
      ['credits', 'grant', `${UNTIL_8}-`, '-2.5', '--grant-id', `${UNTIL_8}_`],
    ]) {
      const { code, err } = await runLine(line, EMPTY)
      expect([code, err]).toEqual([4, expect.stringContaining('profile')])
    }
  })

  test('a shorter word is an option, and none that there is', async () => {
    const { code, err } = await runLine(['keys', 'revoke', 'ada', UNTIL_8], EMPTY)
    expect([code, err.split('\n')[0]]).toEqual([2, expect.stringContaining('-P is not an option')])
  })
})

test('the table has commands, and no two of one name', () => {
  expect(SHOWN.length).toBeGreaterThan(20)
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
})

describe.each(SHOWN.map((command) => [command.name, command] as const))(
  'skillgate %s',
  (name, command) => {
    test('the command refuses an option that it does not have', async () => {
      const { code, err, out } = await runLine([...wordsOf(command), '--nonsense'], EMPTY)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain(`--nonsense is not an option of skillgate ${name}.\n`)
      expect(err).toContain('--help')
    })

    test('the command refuses to begin without its arguments, and with one too many', async () => {
      const needed = command.arguments.filter(({ optional }) => optional !== true)
      for (const [index, row] of needed.entries()) {
        const words = wordsOf(command).slice(0, command.name.split(' ').length + index)
        const { code, err } = await runLine(words, EMPTY)
        expect([code, err.split(':')[0]]).toEqual([2, `${row.name} is missing`])
      }
      if (command.arguments.some(({ many }) => many === true)) return
      const { code, err } = await runLine([...wordsOf(command), 'more'], EMPTY)
      expect([code, err.split('\n')[0]]).toEqual([2, 'more is one argument too many.'])
    })

    test('the command refuses options without their value, with one that is none of their values, or with one too many', async () => {
      for (const { choices, flag, value } of command.options) {
        const wrong = value === undefined ? [`--${flag}=x`] : [`--${flag}`]
        expect((await runLine([...wordsOf(command), ...wrong], EMPTY)).code, flag).toBe(2)
        if (choices === undefined) continue
        const { code, err } = await runLine([...wordsOf(command), `--${flag}`, 'x'], EMPTY)
        expect([code, err]).toEqual([2, expect.stringContaining(choices.join(', '))])
      }
    })

    test('the command has a help that fits 80 columns, begins nothing and has an example', async () => {
      const { code, out } = await runLine([...command.name.split(' '), '--help'], EMPTY)
      expect([code, out]).toEqual([0, formatHelp(command, (text) => text)])
      const prose = out
        .split('\n')
        .filter((line) => !/^ {2}(#|skillgate|printf)|^skillgate/.test(line))
      expect(prose.filter((line) => line.length > 80)).toEqual([])
      expect(command.examples.length).toBeGreaterThan(0)
    })
  },
)

test('an unknown command names the nearest one, and exits with 2', async () => {
  expect(await runLine(['usrs'], EMPTY)).toMatchObject({ code: 2 })
  const { code, err } = await runLine(['users', 'shwo', 'ada'], EMPTY)
  expect([code, err]).toEqual([
    2,
    'users shwo is not a command.\nDid you mean skillgate users show? See skillgate users --help.\n',
  ])
})

test('help covers all commands, or the commands of one word', async () => {
  const all = await runLine([], EMPTY)
  expect(all).toMatchObject({ code: 0, err: '' })
  for (const { name, summary } of SHOWN) {
    expect(all.out).toContain(`  ${name}`)
    expect(all.out.replaceAll(/\s+/g, ' ')).toContain(summary)
  }
  expect(all.out).not.toContain('__complete')
  const keys = await runLine(['keys'], EMPTY)
  expect(keys.out.match(/^ {2}keys \w+/gm)).toEqual([
    '  keys issue',
    '  keys set',
    '  keys ls',
    '  keys revoke',
  ])
  expect((await runLine(['keys', '--help'], EMPTY)).out).toBe(keys.out)
})

test.each([
  ['20.20.2', false],
  ['22.12.9', false],
  ['22.13.0', true],
  ['23.0.0', true],
  ['24.21.0', true],
])('Node %s runs the twin of the package: %s', (version, runs) => {
  expect(canRunTwin(version)).toBe(runs)
})

test('a group of a group lists its commands, and a wrong word in it names the nearest', async () => {
  const group = await runLine(['secrets', 'shared'], EMPTY)
  expect(group.out.match(/^ {2}secrets shared \w+/gm)).toEqual([
    '  secrets shared set',
    '  secrets shared ls',
    '  secrets shared rm',
  ])
  expect((await runLine(['help', 'import', 'openapi'], EMPTY)).out).toContain('import openapi plan')
  expect((await runLine(['secrets', 'shared', 'st'], EMPTY)).err).toBe(
    'secrets shared st is not a command.\nDid you mean skillgate secrets shared set? See skillgate secrets shared --help.\n',
  )
})

test('docs/cli.md is the page that npm run cli:page writes', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
  expect(page).toBe(formatCliPage())
})
