/** Stages as a team writes them: what fits becomes records, and each fault is one line with a remedy. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import {
  describeUnknownStage,
  listStageNames,
  readStageRecords,
  resolveRecord,
} from '../../../core/settings/stage-records.ts'

function recordsOf(stages: Json) {
  const read = readStageRecords({ stages })
  if (!read.ok) throw new Error(read.error.join('\n'))
  return read.value
}

function faultsOf(value: Json): readonly string[] {
  const read = readStageRecords(value)
  return read.ok ? [] : read.error
}

const faultsOfStages = (stages: Json) => faultsOf({ stages })

describe('records', () => {
  test('fields of the nearest stage count, from the stage itself to the built-in one', () => {
    const records = recordsOf({
      prod: { prefix: 'acme', callMemoryMb: 256, ledgerHotDays: 30 },
      staging: { like: 'prod', callMemoryMb: 512, ledgerHotDays: 14 },
      'eu-2': { like: 'staging', ledgerHotDays: 7 },
    })
    expect(resolveRecord('eu-2', records)).toEqual({
      like: 'prod',
      fields: { prefix: 'acme', callMemoryMb: 512, ledgerHotDays: 7 },
    })
    expect(resolveRecord('dev', records)).toEqual({ like: 'dev', fields: {} })
    expect(resolveRecord('eu', records)).toBe(undefined)
    expect(listStageNames(records)).toEqual(['dev', 'prod', 'staging', 'eu-2'])
  })

  test('null takes away what the other stage has', () => {
    const records = recordsOf({
      prod: { alarmEmail: 'ada@example.com', tableUnitsPerSec: { write: 9, read: 9 } },
      trial: { like: 'prod', alarmEmail: null, tableUnitsPerSec: null },
    })
    expect(resolveRecord('trial', records)?.fields).toEqual({
      alarmEmail: undefined,
      tableUnitsPerSec: undefined,
    })
  })

  test('limits of tiers are texts in the file', () => {
    const records = recordsOf({ dev: { tierLimits: ['pro:900', 'team:3000:64'] } })
    expect(resolveRecord('dev', records)?.fields).toEqual({
      tierLimits: [
        { tier: 'pro', callsPerMinute: 900 },
        { tier: 'team', callsPerMinute: 3_000, callsInFlight: 64 },
      ],
    })
  })

  test('a file without stages, and an empty stage, change nothing', () => {
    expect(readStageRecords({ $schema: 'x' })).toEqual({ ok: true, value: new Map() })
    expect(resolveRecord('prod', recordsOf({ prod: {} }))).toEqual({ like: 'prod', fields: {} })
  })

  test('names have up to 16 characters, hyphens among them', () => {
    expect(faultsOfStages({ 'a-34567890123456': { like: 'dev' } })).toEqual([])
    expect(faultsOfStages({ 'a-345678901234567': { like: 'dev' }, Dev: { like: 'dev' } })).toEqual([
      'stages.a-345678901234567: has a wrong name; give 1 to 16 characters of a-z, 0-9 and -, a letter first',
      'stages.Dev: has a wrong name; give 1 to 16 characters of a-z, 0-9 and -, a letter first',
    ])
  })
})

describe('a fault', () => {
  test('of every stage and field is told at once', () => {
    expect(
      faultsOf({
        stage: {},
        stages: {
          prod: { sseConcurency: 200, login: 'yes', holdsMax: 0, region: null },
          staging: { like: 'prod', allowedOrigins: 'https://app.example', retainData: null },
          eu: {},
        },
      }),
    ).toEqual([
      'stage: is unknown here; give $schema or stages',
      'stages.prod.sseConcurency: is no field of a stage; did you mean sseConcurrency?',
      'stages.prod.login: is "yes"; give true or false',
      'stages.prod.holdsMax: is 0; give a whole number from 1 to 200',
      'stages.staging.allowedOrigins: is "https://app.example"; give a list; each entry is an origin such as https://app.example',
      'stages.staging.retainData: is null; give true or false',
      'stages.eu.like: is missing; give dev or prod, or another stage of the file',
    ])
  })

  test.each([
    [{ zzz: 1 }, 'stages.dev.zzz: is no field of a stage; docs/settings.md lists them'],
    [{ 'a\nb': 1 }, 'stages.dev."a\\nb": is no field of a stage; docs/settings.md lists them'],
    [
      { ['f'.repeat(81)]: 1 },
      `stages.dev."${'f'.repeat(80)}": is no field of a stage; docs/settings.md lists them`,
    ],
    [
      { provisionedUnitsMin: [5, 5] },
      'stages.dev.provisionedUnitsMin: is [5,5]; give an object: write and read, each a whole number from 1 to 40000',
    ],
    [{ name: 'x' }, 'stages.dev.name: is no field of a stage; docs/settings.md lists them'],
    [{ toString: 1 }, 'stages.dev.toString: is no field of a stage; docs/settings.md lists them'],
    [
      { ledgerhotdays: 9 },
      'stages.dev.ledgerhotdays: is no field of a stage; did you mean ledgerHotDays?',
    ],
    [
      { outboundAllow: [5] },
      'stages.dev.outboundAllow: is 5; give HOST or HOST:PORT, such as localhost:3000',
    ],
    [
      { tierLimits: [null] },
      'stages.dev.tierLimits: is null; give TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to 1000000, 1 to 200)',
    ],
    [
      { tierLimits: [{ tier: 'pro', callsPerMinute: 1 }] },
      'stages.dev.tierLimits: is {"tier":"pro","callsPerMinute":1}; give TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to 1000000, 1 to 200)',
    ],
    [
      { reservedConcurrency: 100 },
      'stages.dev.reservedConcurrency: is 100; give an object: any of sse, messages, mcp, execute, admin, sweep, usage, caller, each a whole number from 1 to 100000',
    ],
    [
      { reservedConcurrency: { exec: 5 } },
      'stages.dev.reservedConcurrency.exec: is unknown; give one of sse, messages, mcp, execute, admin, sweep, usage, caller',
    ],
    [
      { tableUnitsPerSec: { write: 5 } },
      'stages.dev.tableUnitsPerSec.read: is missing; give a whole number from 1 to 40000',
    ],
    [
      { account: 111111111111 },
      'stages.dev.account: is 111111111111; give the 12 digits of an AWS account, as a text',
    ],
    [
      { like: 'prod' },
      'stages.dev.like: is not for dev, which is built in; take it away, or name the stage otherwise',
    ],
  ])('of a stage with %j names field, value and remedy', (dev, fault) => {
    expect(faultsOfStages({ dev })).toEqual([fault])
  })

  test.each([
    [[], 'the file: is no object; give {"stages": {…}}'],
    [{ stages: [] }, 'stages: is []; give an object of stages by name'],
    [{ $schema: 5 }, '$schema: is 5; give the path of the schema'],
    [
      { stages: { dev: 'prod' } },
      'stages.dev: is "prod"; give an object of fields; {} changes none',
    ],
    [
      { stages: { eu: { like: 7 } } },
      'stages.eu.like: is 7; give dev or prod, or another stage of the file',
    ],
  ])('of the form of %j is told', (value, fault) => {
    expect(faultsOf(value)).toEqual([fault])
  })

  test('of like is told where it is: a name that is unknown, or a circle', () => {
    expect(faultsOfStages({ a: { like: 'b' }, b: { like: 'porod' }, c: { like: 'c' } })).toEqual([
      'stages.b.like: is "porod"; give one of dev, prod, a, c (did you mean prod?)',
      'stages.c.like: leads back to a stage (c → c); end it at dev or prod',
    ])
    expect(faultsOfStages({ a: { like: 'b' }, b: { like: 'a' } })).toEqual([
      'stages.a.like: leads back to a stage (a → b → a); end it at dev or prod',
      'stages.b.like: leads back to a stage (b → a → b); end it at dev or prod',
    ])
  })
})

test('an unknown stage gets all names, and the one that is probably meant', () => {
  const records = recordsOf({ staging: { like: 'prod' } })
  expect(describeUnknownStage('stagin', records)).toBe(
    'stage: is "stagin"; give one of dev, prod, staging (did you mean staging?)',
  )
})
