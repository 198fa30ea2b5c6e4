/** The schema for editors agrees with the reader of the file. */
import { readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, test } from 'vitest'
import { readStageRecords } from '../../core/settings/stage-records.ts'
import { findStageErrors } from '../../lib/stage-rules.ts'
import { getStage } from '../../lib/stages.ts'
import { formatConfigSchema, SCHEMA_FILE } from '../../scripts/config-schema.ts'
import { blocksOf, readText } from '../docs/markdown.ts'

const SCHEMA = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))
const validator = new Validator(SCHEMA, '7')

const judge = (stages: object) => {
  const file = JSON.parse(JSON.stringify({ stages }))
  return [validator.validate(file).valid, readStageRecords(file).ok]
}

test('the schema is what npm run settings:page writes', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(formatConfigSchema())
})

test('the file that docs/deploy.md shows fits the schema, and each of its stages the rules', () => {
  const block = blocksOf(readText('docs/deploy.md')).find(({ text }) => text.includes('"$schema"'))
  const file = JSON.parse(block?.text ?? '{}')
  expect(validator.validate(file).errors).toEqual([])
  const records = readStageRecords(file)
  if (!records.ok) throw new Error(records.error.join('\n'))
  expect([...records.value.keys()]).toEqual(['dev', 'prod', 'prod-us'])
  const faults = [...records.value.keys()].flatMap((name) =>
    findStageErrors(getStage(name, records.value)),
  )
  expect(faults).toEqual([])
})

test.each(['test/localstack/skillgate.config.json'])('the schema admits %s', (path) => {
  expect(validator.validate(JSON.parse(readFileSync(path, 'utf8'))).errors).toEqual([])
})

describe('schema and reader', () => {
  test.each([
    {},
    { dev: {}, prod: { account: '111111111111', alarmEmail: null } },
    { 'eu-1': { like: 'prod', login: true, publicOrigin: 'https://mcp.example.com' } },
    { dev: { tierLimits: ['pro:900'], lowBalance: 0.5, logRetentionDays: 30 } },
    { dev: { reservedConcurrency: { execute: 5 }, tableUnitsPerSec: { write: 1, read: 1 } } },
    { dev: { issuers: [{ issuer: 'https://login.example', audiences: ['api'] }] } },
  ])('admit %j', (stages) => {
    expect(judge(stages)).toEqual([true, true])
  })

  test.each([
    { dev: { like: 'prod' } },
    { eu: {} },
    { Eu: { like: 'dev' } },
    { dev: { logn: true } },
    { dev: { login: 'yes' } },
    { dev: { holdsMax: 201 } },
    { dev: { holdsMax: null } },
    { dev: { capacity: 'reserved' } },
    { dev: { account: 111111111111 } },
    { dev: { allowedOrigins: 'https://app.example' } },
    { dev: { outboundAllow: [5] } },
    { dev: { tierLimits: [{ tier: 'pro', callsPerMinute: 1 }] } },
    { dev: { reservedConcurrency: { exec: 5 } } },
    { dev: { tableUnitsPerSec: { write: 1 } } },
    { dev: { provisionedUnitsMin: null } },
    { dev: { issuers: {} } },
  ])('refuse %j', (stages) => {
    expect(judge(stages)).toEqual([false, false])
  })
})
