import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { formatHelp } from '../../../local/settings/option-table.ts'
import { readOptions } from '../../../local/settings/options.ts'

const ISSUER = { issuer: 'https://login.example', audiences: ['http://127.0.0.1:8787/mcp'] }

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function writeFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'issuers-'))
  folders.push(folder)
  writeFileSync(join(folder, 'issuers.json'), text)
  return join(folder, 'issuers.json')
}

describe('options of the twin', () => {
  // Holds: ORIGIN-2
  test('have their defaults when nothing is set', () => {
    expect(readOptions([], {})).toEqual({
      ok: true,
      value: {
        kind: 'start',
        options: {
          port: 8787,
          host: '127.0.0.1',
          data: '.local',
          memory: false,
          outboundAllow: [],
          signedAccess: [],
          login: false,
          publicOrigin: undefined,
          loginRedirects: [],
          issuers: [],
          authExtensions: [],
          eventTargets: [],
          eventsFrom: undefined,
          lowBalance: 0,
          toolList: 'all',
          callsPerMinute: 60,
          ledgerHotDays: 14,
          prefix: 'sg',
          holdLastChunk: false,
          noProfile: false,
          json: false,
        },
      },
    })
  })

  test('come from the command line, with a space or an equals sign', () => {
    const args = ['--port', '0', '--host=::1', '--data', 'd', '--memory', '--prefix=ab']
    const more = ['--outbound-allow', 'LocalHost:3000, [::1]:80', '--calls-per-minute', '1000000']
    expect(readOptions([...args, ...more, '--hold-last-chunk', '--json'], {})).toEqual({
      ok: true,
      value: {
        kind: 'start',
        options: {
          port: 0,
          host: '::1',
          data: 'd',
          memory: true,
          outboundAllow: ['localhost:3000', '[::1]:80'],
          signedAccess: [],
          login: false,
          publicOrigin: undefined,
          loginRedirects: [],
          issuers: [],
          authExtensions: [],
          eventTargets: [],
          eventsFrom: undefined,
          lowBalance: 0,
          toolList: 'all',
          callsPerMinute: 1_000_000,
          ledgerHotDays: 14,
          prefix: 'ab',
          holdLastChunk: true,
          noProfile: false,
          json: true,
        },
      },
    })
  })

  test('come from the environment, and the command line wins', () => {
    const environment = {
      SKILLGATE_PORT: '9000',
      SKILLGATE_MEMORY: '1',
      SKILLGATE_PREFIX: '',
    }
    const read = readOptions(['--port', '9001'], environment)
    expect(read).toMatchObject({
      value: { options: { port: 9001, memory: true, prefix: 'sg' } },
    })
  })

  test.each([
    [['--port', '65536'], '--port: is "65536"; give a whole number from 0 to 65535'],
    [['--port', '-1'], '--port: is "-1"; give a whole number from 0 to 65535'],
    [['--port'], '--port: is missing its value; give --port N'],
    [['--memory=maybe'], '--memory: is "maybe"; give 1 or 0'],
    [['--memo'], '--memo is not an option. Did you mean --memory? See npm start -- --help.'],
    [['9000'], '9000 is not an option. See npm start -- --help.'],
    [
      ['--calls-per-minute', '1000001'],
      '--calls-per-minute: is "1000001"; give a whole number from 1 to 1000000',
    ],
    [
      ['--outbound-allow', 'http://localhost:3000'],
      '--outbound-allow: is "http://localhost:3000"; give HOST or HOST:PORT, such as localhost:3000',
    ],
    [
      ['--outbound-allow', 'localhost:65536'],
      '--outbound-allow: is "localhost:65536"; give HOST or HOST:PORT, such as localhost:3000',
    ],
    [
      ['--outbound-allow', Array.from({ length: 101 }, (_, i) => `h${i}`).join(',')],
      '--outbound-allow: has 101 entries; give at most 100',
    ],
    [
      ['--prefix', 'abcdefghijklmnopq'],
      '--prefix: is "abcdefghijklmnopq"; give 1 to 16 characters of a-z and 0-9, a letter first, without the underscore',
    ],
    [
      ['--auth-extensions', 'client-credentials,tasks'],
      '--auth-extensions: is "tasks"; give client-credentials or enterprise-managed',
    ],
    [
      ['--auth-extensions', 'client-credentials'],
      '--auth-extensions: needs --issuers FILE, the issuers that serve them',
    ],
    [
      ['--host', 'a b'],
      '--host: is "a b"; give an address to listen on, such as 127.0.0.1, ::1 or 0.0.0.0',
    ],
  ])('the options %j are refused with one line that names the right form', (args, line) => {
    expect(readOptions(args, {})).toEqual({ ok: false, error: line })
  })

  test('a wrong environment variable is named by its own name', () => {
    expect(readOptions([], { SKILLGATE_CALLS_PER_MINUTE: '0' })).toEqual({
      ok: false,
      error: 'SKILLGATE_CALLS_PER_MINUTE: is "0"; give a whole number from 1 to 1000000',
    })
  })

  test('the list of issuers is read from a file', () => {
    expect(readOptions(['--issuers', writeFile(JSON.stringify([ISSUER]))], {})).toMatchObject({
      value: { options: { issuers: [ISSUER] } },
    })
  })

  test.each([
    ['[{]', 'issuers: is not JSON'],
    ['[{"issuer":"https://login.example"}]', 'issuers[0].audiences: is empty; give'],
    [JSON.stringify([{ ...ISSUER, tier: 'team' }]), 'issuers[0].tier: is "team"; give free or pro'],
    [JSON.stringify([ISSUER]).padEnd(16_385), 'issuers: is over 16384 bytes'],
  ])('a file of issuers that is %s is refused by its name', (text, line) => {
    const file = writeFile(text)
    const read = readOptions([], { SKILLGATE_ISSUERS: file })
    expect(read.ok ? '' : read.error).toContain(`SKILLGATE_ISSUERS ${file}: ${line}`)
  })

  test('a file of issuers that is missing, and a folder, are refused by their names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'issuers-'))
    const remedy = 'give a file with a JSON list of authorization servers'
    expect(
      [join(folder, 'none'), folder].map((file) => readOptions(['--issuers', file], {})),
    ).toEqual([
      {
        ok: false,
        error: `--issuers: ${join(folder, 'none')} cannot be read (ENOENT); ${remedy}`,
      },
      { ok: false, error: `--issuers: ${folder} cannot be read (EISDIR); ${remedy}` },
    ])
    rmSync(folder, { recursive: true })
  })

  test('options that npm took for itself are refused instead of ignored', () => {
    const environment = { npm_lifecycle_event: 'start', npm_config_memory: 'true' }
    expect(readOptions([], environment)).toEqual({
      ok: false,
      error: '--memory: npm took this option; put two dashes before it: npm start -- --memory',
    })
    expect(readOptions([], { ...environment, npm_lifecycle_event: 'test' }).ok).toBe(true)
    const always = { npm_lifecycle_event: 'start', npm_config_prefix: '/usr' }
    expect(readOptions([], always).ok).toBe(true)
  })

  test('the option --help wins over the others and lists them with their variables, in 80 columns', () => {
    expect(readOptions(['--help', '--port'], {})).toEqual({ ok: true, value: { kind: 'help' } })
    const help = formatHelp('1.2.3')
    for (const flag of [
      '--port N',
      '--host HOST',
      '--data FOLDER',
      '--memory',
      '--outbound-allow HOST[:PORT],…',
      '--calls-per-minute N',
      '--prefix NAME',
      '--hold-last-chunk',
      '--json',
    ]) {
      expect(help).toContain(`  ${flag} `)
    }
    expect(help).toContain('SKILLGATE_OUTBOUND_ALLOW')
    expect(help.split('\n').filter((row) => row.length > 80)).toEqual([])
  })
})
