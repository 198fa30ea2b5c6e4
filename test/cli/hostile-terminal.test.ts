/** No command shows a terminal what would control it or hide, whatever the gateway answers and a person types. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../cli/commands/commands.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { HOSTILE, type HostileGateway, startHostileGateway } from './hostile-gateway.ts'
import { runLine } from './test-shell.ts'

/** Sequences of the command line itself. */
const OWN = ['\r\u001b[K', '\u001b[31m', '\u001b[32m', '\u001b[33m', '\u001b[0m']
/** First and last of those that must not arrive. */
const UNSAFE = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x061c, 0x061c],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe01ef],
] as const

const EXAMPLES = COMMANDS.flatMap(({ examples, name }) =>
  examples
    // dev is another program, the twin.
    .filter(({ untested }) => untested === undefined && name !== 'dev')
    .map(({ line, stdin }) => ({ name, line, stdin })),
)

let home = ''
let twin: Twin
const gateways: HostileGateway[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-hostile-'))
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: home,
    memory: true,
    dynamodbEndpoint: undefined,
  }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
  for (const names of [false, true]) {
    gateways.push(await startHostileGateway(twin.origin, { names }))
  }
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop()
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

function run(words: readonly string[], gateway: number, columns?: number, stdin?: string) {
  return runLine(words, {
    home,
    cwd: process.cwd(),
    programs: toPrograms({ PATH: join(home, 'bin') }),
    env: {
      XDG_CONFIG_HOME: join(home, 'config'),
      // Where init writes: stages of the clone stay as they are.
      SKILLGATE_CONFIG: join(home, 'skillgate.config.json'),
      SKILLGATE_URL: gateways[gateway]?.origin,
      SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
      SKILLGATE_KEY: twin.credentials.key,
      API_KEY: 'the key of the upstream',
    },
    ...(columns === undefined ? {} : { columns }),
    ...(stdin === undefined ? {} : { stdin }),
  })
}

function wordsOf(line: string): readonly string[] {
  const words = line.replace(/^skillgate /, '').match(/'[^']*'|\S+/g) ?? []
  return words.map((word) => word.replace(/^'(.*)'$/, '$1'))
}

function unsafeIn(text: string): string | undefined {
  const others = OWN.reduce((left, sequence) => left.replaceAll(sequence, ''), text)
  const points = [...others].map((character) => character.codePointAt(0) ?? 0)
  const isUnsafe = points.some((point) => UNSAFE.some(([from, to]) => point >= from && point <= to))
  return isUnsafe ? JSON.stringify(others) : undefined
}

describe.each([
  { gateway: 0, changed: 'texts', forms: [[], ['--json', '--verbose']] },
  { gateway: 1, changed: 'texts and names', forms: [[]] },
])('a gateway with hostile $changed', { timeout: 120_000 }, ({ forms, gateway }) => {
  test('each example of each command shows nothing unsafe on a terminal, as a table and as JSON', async () => {
    const unsafe: string[] = []
    const escaped = new Set<string>()
    const lines = EXAMPLES.flatMap((example) => forms.map((more) => ({ ...example, more })))
    for (const { line, more, name, stdin } of lines) {
      const { err, out } = await run([...wordsOf(line), ...more], gateway, 100, stdin)
      const found = unsafeIn(out + err)
      if (found !== undefined) unsafe.push(`${line} ${more.join(' ')}: ${found}`)
      if (/\\u\{?0*9b/.test(out + err)) escaped.add(name)
    }
    expect(unsafe).toEqual([])
    // Most of them had something to escape.
    expect(escaped.size).toBeGreaterThan(30)
  })

  test('words of a person come back escaped from each command', async () => {
    const unsafe: string[] = []
    for (const { name } of COMMANDS) {
      const { code, err, out } = await run([...name.split(' '), `--no${HOSTILE}`], gateway, 100)
      expect([name, code]).toEqual([name, 2])
      const found = unsafeIn(out) ?? unsafeIn(err)
      if (found !== undefined) unsafe.push(`${name}: ${found}`)
    }
    expect(unsafe).toEqual([])
  })
})

test.each([
  'tools --json',
  'users show demo --json',
  'api GET users/demo',
  'call sg_echo text=hi --json',
])(
  'the JSON of %s is the same value on a terminal and in a pipe, where no byte is changed',
  async (line) => {
    const shown = await run(wordsOf(line), 0, 100)
    const piped = await run(wordsOf(line), 0)
    expect(shown.out).toContain('\\u009b')
    expect(piped.out).toContain(HOSTILE.slice(HOSTILE.indexOf('\u009b'), -5))
    const ids = /"(callId|durationMs|remaining|credits|charged)[^,}]*/g
    const value = (text: string) => JSON.stringify(JSON.parse(text)).replaceAll(ids, '')
    expect(value(shown.out)).toBe(value(piped.out))
  },
)

test('the text of a result is unchanged in a pipe', async () => {
  const { out } = await run(wordsOf('call sg_weather city=Oslo'), 0)
  expect(out).toContain(HOSTILE)
})

test('a file of a client with hostile text is shown escaped, and stays valid JSON', async () => {
  const cwd = join(home, 'project')
  mkdirSync(join(cwd, '.cursor'), { recursive: true })
  writeFileSync(
    join(cwd, '.cursor/mcp.json'),
    JSON.stringify({ mcpServers: {}, [`x${HOSTILE}`]: HOSTILE }),
  )
  const options = { home, cwd, columns: 100, env: { SKILLGATE_URL: twin.origin } }
  const { err, out } = await runLine(wordsOf('connect cursor --scope project --print'), options)
  expect([unsafeIn(out), unsafeIn(err)]).toEqual([undefined, undefined])
  expect(JSON.parse(out)[`x${HOSTILE}`]).toBe(HOSTILE)
})
