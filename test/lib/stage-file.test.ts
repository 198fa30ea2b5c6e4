/** Stages of skillgate.config.json: what they have of the built-in ones, and their rules. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { STAGE_SETTINGS } from '../../core/settings/table.ts'
import { FUNCTIONS } from '../../lib/doors.ts'
import { isEmulated } from '../../lib/stage.ts'
import { loadStage } from '../../lib/stage-file.ts'
import { getStage } from '../../lib/stages.ts'

const cwd = mkdtempSync(join(tmpdir(), 'skillgate-stages-'))
afterAll(() => rmSync(cwd, { recursive: true }))

function load(name: string, stages: object) {
  writeFileSync(join(cwd, 'skillgate.config.json'), JSON.stringify({ stages }))
  return loadStage(name, { env: {}, cwd })
}

describe('a stage of the file', () => {
  test('has the fields of the stage that it is like, and its own', () => {
    const stages = { 'prod-eu': { like: 'prod', account: '111111111111', prefix: 'eu' } }
    expect(load('prod-eu', stages)).toEqual({
      ...getStage('prod'),
      name: 'prod-eu',
      account: '111111111111',
      prefix: 'eu',
    })
  })

  test('that is built in keeps the fields that the file does not name', () => {
    expect(load('dev', { dev: { login: false, logRetentionDays: 7 } })).toEqual({
      ...getStage('dev'),
      logRetentionDays: 7,
    })
  })

  test('like prod reserves what fits its own numbers, what it gives, or nothing', () => {
    const reservedBy = (fields: object) =>
      load('big', { big: { like: 'prod', ...fields } }).reservedConcurrency
    expect(reservedBy({ accountConcurrency: 3_000, sseConcurrency: 300 })).toEqual({
      sse: 300,
      messages: 300,
      mcp: 1_140,
      execute: 570,
      admin: 20,
    })
    expect(reservedBy({ reservedConcurrency: { execute: 7 } })).toEqual({ execute: 7 })
    expect(reservedBy({ reservedConcurrency: null })).toBe(undefined)
    expect(reservedBy({ accountConcurrency: 300 })).toBe(undefined)
  })

  test('is for an emulator if its account is that of emulators', () => {
    expect(isEmulated(load('local', { local: { like: 'dev', account: '000000000000' } }))).toBe(
      true,
    )
    expect(isEmulated(load('dev', {}))).toBe(false)
  })
})

test('a stage on an emulator alone has issuers without TLS', () => {
  const login = {
    like: 'dev',
    login: true,
    publicOrigin: 'http://127.0.0.1:8443',
    issuers: [{ issuer: 'http://127.0.0.1:4000', audiences: ['api'] }],
  }
  expect(load('local', { local: { ...login, account: '000000000000' } }).issuers).toHaveLength(1)
  expect(() => load('local', { local: { ...login, account: '111111111111' } })).toThrow(
    'stages.local.issuers[0].issuer: is "http://127.0.0.1:4000"; give an https URL',
  )
})

test('rules between fields are checked in every stage of the file', () => {
  expect(() =>
    load('dev', {
      dev: { monthlyBudgetUsd: 5 },
      staging: { like: 'prod', retainData: false, reservedConcurrency: { mcp: 7 } },
    }),
  ).toThrow(
    'skillgate.config.json does not fit:\n' +
      '  stages.dev.monthlyBudgetUsd: has nobody to mail; give an address in alarmEmail, too\n' +
      '  stages.staging.reservedConcurrency.mcp: is 7; give at least sseConcurrency (100), or none\n' +
      '  stages.staging.retainData: is false and deletionProtection true; keep the data or protect nothing',
  )
})

test('a reservation may be of any function', () => {
  expect(STAGE_SETTINGS.reservedConcurrency.namesAllowed).toEqual([...FUNCTIONS])
})
