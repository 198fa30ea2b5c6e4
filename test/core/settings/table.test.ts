/** Each row of the table of settings at its limits and one past them, as each of its readers meets it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'
import { CREDITS_MAX } from '../../../core/ledger/amount.ts'
import { parseEventTarget } from '../../../core/settings/event-target.ts'
import { findSettingErrors, readText } from '../../../core/settings/read-setting.ts'
import type { Setting } from '../../../core/settings/setting.ts'
import {
  FUNCTION_SETTINGS,
  SETTINGS,
  STAGE_SETTINGS,
  TWIN_SETTINGS,
} from '../../../core/settings/table.ts'
import { findStageErrors } from '../../../lib/stage-rules.ts'
import { getStage } from '../../../lib/stages.ts'
import { OPTION_ROWS } from '../../../local/settings/option-table.ts'
import { readOptions } from '../../../local/settings/options.ts'

type Row = readonly [name: string, row: Setting]

const ROWS: readonly Row[] = Object.entries<Setting>({
  ...SETTINGS,
  ...STAGE_SETTINGS,
  ...FUNCTION_SETTINGS,
  ...TWIN_SETTINGS,
})
const OF_FUNCTIONS = Object.entries<Setting>(SETTINGS)

/** Texts at the limits of a row, and one past each of them. */
type Edge = { readonly name: string; readonly fits: string; readonly past: string }

function edgesOf([name, row]: Row): readonly Edge[] {
  switch (row.kind) {
    case 'whole':
      return [
        { name, fits: String(row.min), past: String(row.min - 1) },
        { name, fits: String(row.max), past: String(row.max + 1) },
        { name, fits: String(row.max), past: `${row.min}.5` },
      ]
    case 'credits':
      return [
        { name, fits: '0', past: '-1' },
        { name, fits: String(row.max), past: `${row.max}.000001` },
        { name, fits: '0.000001', past: '0.0000001' },
      ]
    case 'choice':
      return row.choices.map((choice) => ({ name, fits: String(choice), past: `${choice}x` }))
    case 'list':
      return [{ name, fits: entries(row.entriesMax, row), past: entries(row.entriesMax + 1, row) }]
    default:
      return []
  }
}

function entries(count: number, row: Extract<Setting, { readonly kind: 'list' }>): string {
  const forms = [
    'h.example',
    'arn:aws:iam::111111111111:role/r',
    'https://h.example',
    '203.0.113.0/24',
    'client-credentials',
    'subnet-01234567',
    'sg-01234567',
  ]
  const form = forms.find((text) => row.form.fits(text)) ?? ''
  return Array.from({ length: count }, () => form).join(',')
}

/** The value that the text of an edge stands for, in a stage. */
function stageValue(row: Setting, text: string): unknown {
  if (row.kind === 'list') return text.split(',')
  return row.kind === 'text' || Number.isNaN(Number(text)) ? text : Number(text)
}

const firstLine = (lines: readonly string[]) => lines[0] ?? ''

describe.each(ROWS.flatMap(edgesOf))('$name at $fits', ({ name, fits, past }) => {
  const row = ROWS.find(([one]) => one === name)?.[1]
  if (row === undefined) throw new Error(`no row ${name}`)

  test('a value at the limit is accepted, as text and in a stage', () => {
    expect(readText(name, row, { reader: 'function', text: fits }).ok).toBe(true)
    expect(findSettingErrors(name, row, stageValue(row, fits))).toEqual([])
  })

  test('a value past the limit is refused by the name of the setting and with what to give', () => {
    const read = readText(name, row, { reader: 'function', text: past })
    const lines = [read.ok ? [] : read.error, findSettingErrors(name, row, stageValue(row, past))]
    for (const line of lines.map(firstLine)) {
      expect(line).toMatch(/^\w+: (is|has) .*; give .+/)
      expect(line.startsWith(`${name}: `)).toBe(true)
    }
  })
})

describe.each(OF_FUNCTIONS.flatMap(edgesOf))(
  'the variable of $name past $fits',
  ({ name, past }) => {
    test('a function refuses it by the name of the variable', () => {
      const row = OF_FUNCTIONS.find(([one]) => one === name)?.[1]
      const variable = row?.env ?? ''
      const config = readConfig({ [variable]: past }, ['settings'])
      expect(config.ok ? '' : firstLine(config.error)).toContain(`${variable}: `)
    })
  },
)

const FOLDER = mkdtempSync(join(tmpdir(), 'table-'))
const ISSUERS_FILE = join(FOLDER, 'issuers.json')
beforeAll(() => {
  const issuer = { issuer: 'https://login.example', audiences: ['https://mcp.example/mcp'] }
  writeFileSync(ISSUERS_FILE, JSON.stringify([issuer]))
})
afterAll(() => rmSync(FOLDER, { recursive: true }))

describe.each(
  OPTION_ROWS.flatMap(({ env, flag, setting }) =>
    edgesOf([flag, setting]).map((edge) => ({ ...edge, env })),
  ),
)('the option --$name at $fits', ({ env, name, fits, past }) => {
  test('the option takes the limit and refuses one past it by its own name, as does its variable', () => {
    // An extension needs an issuer that serves it.
    expect(readOptions([`--${name}=${fits}`, `--issuers=${ISSUERS_FILE}`], {}).ok).toBe(true)
    const [ofFlag, ofVariable] = [
      readOptions([`--${name}=${past}`], {}),
      readOptions([], { [env]: past }),
    ].map(errorOf)
    expect(ofFlag?.startsWith(`--${name}: `)).toBe(true)
    expect(ofVariable?.startsWith(`${env}: `)).toBe(true)
  })
})

function errorOf(read: ReturnType<typeof readOptions>): string {
  return read.ok ? '' : read.error
}

describe('the words of a switch', () => {
  const row = SETTINGS.callExcerpts

  test.each([
    ['function', 'on', true],
    ['function', 'off', false],
    ['twin', 'yes', true],
    ['twin', '0', false],
  ] as const)('for a %s the word %s stands for %s', (reader, text, value) => {
    expect(readText('s', row, { reader, text })).toEqual({ ok: true, value })
  })

  test.each([
    ['function', 'yes', 's: is "yes"; give on or off'],
    ['twin', 'maybe', 's: is "maybe"; give 1 or 0'],
  ] as const)('a %s refuses the word %s in the words of its reader', (reader, text, line) => {
    expect(readText('s', row, { reader, text })).toEqual({ ok: false, error: [line] })
  })

  test('a stage refuses a switch that is neither true nor false', () => {
    expect(findSettingErrors('s', row, 'on')).toEqual(['s: is "on"; give true or false'])
  })
})

describe('an event bus', () => {
  const NAME = 'b'.repeat(256)
  const ARN = 'arn:aws:events:eu-central-1:123456789012:event-bus/alerts'
  const BUSES: readonly (readonly [string, boolean])[] = [
    ['bus:alerts', true],
    [`bus:${ARN}`, true],
    [`bus:arn:aws-us-gov:events:us-gov-west-1:123456789012:event-bus/aws.partner/shop_1`, true],
    [`bus:${NAME}`, true],
    [`bus:${NAME}b`, false],
    [`bus:${ARN.replace('alerts', NAME)}b`, false],
    ['bus:', false],
    ['bus:*', false],
    [`bus:${ARN}*`, false],
    ['bus:alerts:1', false],
    ['bus:arn:aws:sqs:eu-central-1:123456789012:alerts', false],
    ['bus:arn:aws:events:eu-central-1:12345678901:event-bus/alerts', false],
  ]

  test.each(BUSES)(
    'the bus %s is judged alike (%s) by a stage, a function and the twin',
    (text, fits) => {
      const role = {
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'ASIAX',
        AWS_SECRET_ACCESS_KEY: 's',
      }
      const stage = { ...getStage('dev'), eventTargets: [text] }
      expect(findStageErrors(stage).length === 0).toBe(fits)
      expect(readConfig({ EVENTS_TARGETS: text, ...role }, ['eventTargets']).ok).toBe(fits)
      expect(readOptions(['--events', text], {}).ok).toBe(fits)
    },
  )

  test('a webhook has https, and on the twin http as well, and no reader takes a password in it', () => {
    expect(readOptions(['--events', 'http://localhost:3000/'], {}).ok).toBe(true)
    expect(readConfig({ EVENTS_TARGETS: 'http://localhost:3000/' }, ['eventTargets']).ok).toBe(
      false,
    )
    expect(parseEventTarget('https://ada:word@hook.example/')).toBeUndefined()
    expect(readOptions(['--events', 'https://ada:word@hook.example/'], {}).ok).toBe(false)
  })
})

describe('a host that skills may reach', () => {
  test.each([
    ['localhost', true],
    ['LocalHost:3000', true],
    ['my_service:65535', true],
    ['[::1]:80', true],
    ['10.0.0.7:1', true],
    ['localhost:0', false],
    ['localhost:65536', false],
    ['localhost:', false],
    ['http://localhost', false],
    ['ada@localhost', false],
    ['localhost/path', false],
  ])('the host %s is judged alike (%s) by a stage, a function and the twin', (text, fits) => {
    expect(findStageErrors({ ...getStage('dev'), outboundAllow: [text] }).length === 0).toBe(fits)
    const config = readConfig({ OUTBOUND_ALLOW: text }, ['settings'])
    expect(config.ok).toBe(fits)
    expect(readOptions(['--outbound-allow', text], {}).ok).toBe(fits)
    if (config.ok) expect(config.value.settings.outboundAllow).toEqual([text.toLowerCase()])
  })
})

test('a message shows 80 characters of a long value', () => {
  expect(readText('s', SETTINGS.prefix, { reader: 'twin', text: 'A'.repeat(81) })).toMatchObject({
    error: [expect.stringContaining(`is "${'A'.repeat(80)}";`)],
  })
})

test('a balance may be low at no more credits than a user may have', () => {
  expect(SETTINGS.lowBalance.max * 1_000_000).toBe(CREDITS_MAX)
})

test.each(['10.0.0.0/8', '::/0', '2001:db8::1.2.3.4/128'])('the block %s is accepted', (block) => {
  expect(findSettingErrors('c', STAGE_SETTINGS.adminAllowedCidrs, [block])).toEqual([])
})

test.each([
  '010.0.0.0/8',
  '10.0.0/8',
  '10.0.0.0.0/8',
  '256.0.0.0/8',
  'fe80::1%eth0/64',
  ':/8',
  '::/',
])('the block %s is refused', (block) => {
  expect(findSettingErrors('c', STAGE_SETTINGS.adminAllowedCidrs, [block])).toHaveLength(1)
})

test.each([
  ['[::1]', '::1'],
  ['LocalHost', 'localhost'],
  ['0.0.0.0', '0.0.0.0'],
  ['FE80::1%eth0', 'fe80::1%eth0'],
])('the twin listens on the host %s as %s', (text, host) => {
  expect(readOptions(['--host', text], {})).toMatchObject({ value: { options: { host } } })
})
