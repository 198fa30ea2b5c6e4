/**
 * Every command of the table where its gateway does not answer, and with words that it does not take:
 * a line about what happened and a line about what to do.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../../cli/command/command.ts'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { runLine } from './test-shell.ts'

/** Commands that send nothing to a gateway, or whose other work comes first, with the reason. */
const NEEDS_NONE = new Map([
  ['import openapi ls', 'reads the document alone'],
  ['profile key', 'prints a key of the profile'],
  ['skills new', 'writes a file'],
  ['logout', 'forgets a profile'],
  ['profile ls', 'reads profiles'],
  ['profile use', 'reads profiles'],
  ['profile rm', 'reads profiles'],
  ['connect', 'writes files of clients'],
  ['completion', 'prints a script'],
  ['__complete', 'prints nothing on trouble'],
  ['init', 'writes a file'],
  ['dev', 'starts a twin'],
  ['doctor', 'reports trouble as findings'],
  ['logs', 'reads the log of AWS or of a twin'],
  ['guides push', 'reads a folder first'],
  ['skills apply', 'reads files first'],
  ['import lambda plan', 'asks AWS first'],
  ['import lambda apply', 'asks AWS first'],
  ['edge rotate', 'asks AWS'],
  ['advise capacity', 'asks AWS'],
  ['deploy', 'asks AWS'],
  ['diff', 'asks AWS'],
  ['rollback', 'asks AWS'],
  ['destroy', 'asks AWS'],
  ['migrate', 'asks AWS'],
  ['restore', 'asks AWS'],
])

/** A batch may be done in part, so what to do is to send it again. */
const AGAIN = 'Lines from 1 on are not done, or not known to be: send the same file again.'
const OWN_REMEDIES = new Map([
  ['users batch', AGAIN],
  ['credits batch', AGAIN],
])

let home = ''
let origin = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-closed-'))
  const gone = createServer()
  origin = `http://127.0.0.1:${await openPort(gone, { host: '127.0.0.1', port: 0 })}`
  await closePort(gone)
  writeFileSync(join(home, 'lines.jsonl'), '{"uid":"ada"}\n')
  writeFileSync(join(home, 'document.json'), JSON.stringify(DOCUMENT))
  writeFileSync(join(home, 'skill.json'), JSON.stringify({ id: 'sg_a', source: 'official' }))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const DOCUMENT = {
  openapi: '3.0.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example' }],
  paths: {
    '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'x' } } } },
  },
}

function run(words: readonly string[]) {
  return runLine(words, {
    home,
    cwd: home,
    programs: toPrograms({ PATH: '' }),
    env: {
      XDG_CONFIG_HOME: join(home, 'config'),
      SKILLGATE_URL: origin,
      SKILLGATE_ADMIN_KEY: 'admin-key',
      SKILLGATE_KEY: 'sgk_key',
      VALUE: 'a-value',
    },
    stdin: '{}',
  })
}

/** An example that fits this folder; the words of the table where the table has files of the clone. */
function toLine({ name }: Command): readonly string[] {
  const lines: { readonly [command: string]: string } = {
    login: `login ${origin} --from-env VALUE`,
    'users batch': 'users batch lines.jsonl',
    'credits batch': 'credits batch lines.jsonl',
    'skills push': 'skills push skill.json',
    'skills plan': 'skills plan skill.json --set sea',
    'skills test': 'skills test sg_a',
    'import openapi plan': 'import openapi plan document.json --prefix pets --credits 1',
    'import openapi apply': 'import openapi apply document.json --prefix pets --credits 1',
    'import openapi check': 'import openapi check document.json --prefix pets --credits 1',
  }
  return (lines[name] ?? '').split(' ')
}

const ASKING = COMMANDS.filter(({ name }) => !NEEDS_NONE.has(name))

describe('a gateway that does not answer', () => {
  test.each(ASKING.map((command) => [command.name, command] as const))(
    'ends %s with a line about what happened and one about what to do',
    async (name, command) => {
      const [example] = command.examples
      const typed = toLine(command)
      const words = typed[0] === '' ? splitLine(example?.line ?? name) : typed
      const { code, err, out } = await run(words)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err.trimEnd().split('\n')).toEqual([
        `Nothing answers at ${origin}: connection refused (ECONNREFUSED).`,
        OWN_REMEDIES.get(name) ??
          'Start the twin with npm start, or choose a gateway with skillgate profile use.',
      ])
    },
  )
})

/** The words after `skillgate`; an example has no quotes within words. */
function splitLine(line: string): readonly string[] {
  const words = line.match(/'[^']*'|\S+/g) ?? []
  return words
    .slice(1)
    .map((word) => word.replaceAll("'", ''))
    .map((word) => (word === 'API_KEY' && line.includes('--from-env') ? 'VALUE' : word))
}

describe('wrong words', () => {
  test.each(COMMANDS.map(({ name }) => name))(
    '%s refuses an option that it does not have in three lines',
    async (name) => {
      const { code, err, out } = await run([...name.split(' '), '--no-such-option'])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
      expect(err).toContain('--no-such-option')
    },
  )

  const needing = COMMANDS.filter((one) => one.arguments.some(({ optional }) => optional !== true))
  test.each(needing.map(({ arguments: [first], name }) => [name, first?.name ?? ''] as const))(
    '%s without %s says which argument is missing, in three lines',
    async (name, argument) => {
      const { code, err, out } = await run(name.split(' '))
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
      expect(err).toContain(argument)
    },
  )
})
