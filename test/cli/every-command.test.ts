/**
 * Every command of the table with the key of a viewer, in a pipe and on a terminal, as its first
 * example that can run. A new row of the table is in this test by itself. no-gateway.test.ts has
 * wrong words and a gateway that does not answer.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'shell-quote'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command, Example } from '../../cli/command/command.ts'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine } from './test-shell.ts'

/** Commands that go on until they are stopped, or start other programs. */
const WITHOUT_END = new Set(['dev', 'deploy', 'destroy', 'diff', 'migrate'])

type Case = { readonly command: Command; readonly example: Example }

const CASES: readonly Case[] = COMMANDS.filter(({ name }) => !WITHOUT_END.has(name)).flatMap(
  (command) => {
    const example = command.examples.find(({ untested }) => untested === undefined)
    return example === undefined ? [] : [{ command, example }]
  },
)

let home = ''
let twin: Twin
let viewerKey = ''
const variables: { [name: string]: string } = { DIGEST: 'x', EVENT_ID: 'x', LOGIN_ID: 'x' }
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-viewer-'))
  symlinkSync(join(import.meta.dirname, '../../examples'), join(home, 'examples'))
  const options = { ...DEFAULT_OPTIONS, port: 0, data: home, memory: true }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
  const owner = twin.credentials.adminKey
  await run(owner, 'users create ada --credits 10')
  const key = JSON.parse((await run(owner, 'keys issue ada --json')).out)
  variables['KEY_PREFIX'] = key.keyId
  await run(owner, 'skills push examples/skills/joke.json --source official')
  await run(owner, 'call sg_echo text=hello')
  const made = await run(owner, 'admin-keys create vera --role viewer --json')
  viewerKey = JSON.parse(made.out).key
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(
  adminKey: string,
  line: string,
  { columns, stdin = '' }: { columns?: number | undefined; stdin?: string | undefined } = {},
) {
  return runLine(
    parse(line, { ...variables }).map((word) => (typeof word === 'string' ? word : wordOf(word))),
    {
      home,
      cwd: home,
      stdin,
      env: {
        PATH: '/nowhere',
        SKILLGATE_URL: twin.origin,
        SKILLGATE_ADMIN_KEY: adminKey,
        SKILLGATE_KEY: twin.credentials.key,
        ADMIN_KEY: adminKey,
        API_KEY: 'a-value',
      },
      ...(columns === undefined ? {} : { columns }),
    },
  )
}

function wordOf(word: object): string {
  return 'pattern' in word ? String(word.pattern) : ''
}

const toLine = ({ line }: Example) => line.replace(/^skillgate /, '')

/** What a person at a terminal has no use for. */
const REST_WORDS = /\/v1\/admin|\b(GET|POST|PUT|PATCH|DELETE) \/|X-Admin-Key|"[a-z][A-Za-z]+": /
/** Operations of the trail that change nothing. */
const READS = /^(plan|check|dryRun)/

const STACK = /\n\s+at \S+ \(|node:internal|\bError: /
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with ESC.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\u009b]/

describe('with the key of a viewer', () => {
  test.each(CASES.map((one) => [one.command.name, one] as const))(
    '%s does what it may, or says in plain words that it may not',
    async (_, { example }) => {
      for (const columns of [undefined, 80]) {
        const { code, err, out } = await run(viewerKey, toLine(example), {
          columns,
          stdin: example.stdin,
        })
        const shown = `${example.line}\n${out}${err}`
        expect([0, 1, 2, 4], shown).toContain(code)
        expect(err, shown).not.toMatch(STACK)
        if (columns === undefined) expect(`${out}${err}`, shown).not.toMatch(CONTROL)
        if (code === 0) continue
        expect(err, shown).not.toMatch(REST_WORDS)
        if (!err.includes('403')) continue
        refused.add(example.line)
        expect(err.trimEnd().split('\n').length, shown).toBeLessThanOrEqual(3)
      }
    },
  )

  const refused = new Set<string>()

  test('each writing command is refused, and nothing is changed', async () => {
    expect([...refused].length).toBeGreaterThan(30)
    const trail = await run(twin.credentials.adminKey, 'audit --who vera --all --json')
    const records: readonly { readonly outcome: string; readonly operation: string }[] = JSON.parse(
      trail.out,
    )
    const done = records.filter(({ outcome }) => outcome === 'done')
    expect(done.map(({ operation }) => operation).filter((one) => !READS.test(one))).toEqual([])
  })
})
