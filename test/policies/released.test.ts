/**
 * A permission goes one release after its last use: a roll-back brings the code of the last release
 * back, under the roles of this one.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeGrant, type FunctionGrants, findWithdrawn, type Grant } from './grants.ts'
import { readReleased, writeReleased } from './released.ts'
import { readAllGrants } from './stages.ts'

const RELEASED = readReleased()
const NOW = readAllGrants()

describe('the policies of the last release', () => {
  test('are of the version in package.json', () => {
    expect(RELEASED.release).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
  })

  test('are still granted, unless that release had no use for them any more', () => {
    const lines = findWithdrawn(RELEASED.functions, NOW)
    expect(lines.filter((line) => RELEASED.withdrawn[line] === undefined)).toEqual([])
  })

  test('lose nothing that is granted still, and nothing that the last release used', () => {
    const lines = findWithdrawn(RELEASED.functions, NOW)
    const idle = Object.keys(RELEASED.withdrawn).filter((line) => !lines.includes(line))
    expect(idle).toEqual([])
    const early = Object.values(RELEASED.withdrawn).filter(
      ({ unusedIn }) => unusedIn.localeCompare(RELEASED.release, 'en', { numeric: true }) > 0,
    )
    expect(early).toEqual([])
  })

  test('are read as they are written', () => {
    const text = writeReleased('1.2.3', NOW)
    expect(JSON.parse(text)).toEqual({ release: '1.2.3', withdrawn: {}, functions: NOW })
  })
})

describe('a grant of the last release', () => {
  test.each(Object.keys(NOW))('of %s is missed, whichever it is', (name) => {
    const grants = NOW[name] ?? []
    const allowed = grants.filter(({ effect }) => effect === 'Allow')
    expect(allowed.length).toBeGreaterThan(0)
    const unseen = allowed.filter((grant) => {
      const others = grants.filter((one) => !isCoveredBy(grant, one))
      return findWithdrawn(NOW, { ...NOW, [name]: others }).length === 0
    })
    expect(unseen.map((one) => describeGrant(name, one))).toEqual([])
  })

  test('of a function that is gone is missed', () => {
    const { execute: _, ...others } = NOW
    expect(findWithdrawn(NOW, others).length).toBeGreaterThan(10)
  })
})

describe('a statement', () => {
  const read: Grant = {
    action: 'dynamodb:GetItem',
    resource: '<DynamoDB::GlobalTable Gateway Arn>',
    effect: 'Allow',
    conditions: {
      'ForAllValues:StringLike dynamodb:LeadingKeys': ['profile:*'],
      'ForAllValues:StringEquals dynamodb:Attributes': ['pk', 'sk', 'credits'],
    },
  }
  const withdrawn = (...now: readonly Grant[]) =>
    findWithdrawn({ mcp: [read] } satisfies FunctionGrants, { mcp: now })
  const LOST = [
    'mcp dynamodb:GetItem on <DynamoDB::GlobalTable Gateway Arn> [ForAllValues:StringLike dynamodb:LeadingKeys: profile:*] [ForAllValues:StringEquals dynamodb:Attributes: pk, sk, credits]',
  ]
  const limited = (conditions: Grant['conditions']): Grant => ({
    ...read,
    conditions: { ...read.conditions, ...conditions },
  })

  test.each([
    ['the same', read],
    ['one without conditions', { ...read, conditions: {} }],
    ['one with more keys', limited({ 'ForAllValues:StringLike dynamodb:LeadingKeys': ['pro*'] })],
    [
      'one with more attributes',
      limited({ 'ForAllValues:StringEquals dynamodb:Attributes': ['pk', 'sk', 'credits', 'tier'] }),
    ],
    ['one for every resource', { ...read, resource: '*' }],
  ])('is covered by %s', (_, now) => {
    expect(withdrawn(now)).toEqual([])
  })

  test.each([
    ['another action', { ...read, action: 'dynamodb:Query' }],
    ['another resource', { ...read, resource: '<DynamoDB::GlobalTable Sessions Arn>' }],
    ['other keys', limited({ 'ForAllValues:StringLike dynamodb:LeadingKeys': ['profile:a*'] })],
    [
      'fewer attributes',
      limited({ 'ForAllValues:StringEquals dynamodb:Attributes': ['pk', 'credits'] }),
    ],
    ['a new condition', limited({ 'StringEquals dynamodb:Select': ['COUNT'] })],
  ])('is not covered by one with %s', (_, now) => {
    expect(withdrawn(now)).toEqual(LOST)
  })

  test('is withdrawn by a denial that the last release did not have', () => {
    const denial: Grant = { ...read, effect: 'Deny', conditions: {} }
    expect(withdrawn(read, denial)).toEqual([
      'mcp denied dynamodb:GetItem on <DynamoDB::GlobalTable Gateway Arn>',
    ])
    expect(findWithdrawn({ mcp: [read, denial] }, { mcp: [read, denial] })).toEqual([])
  })
})

/** Tells whether `one` alone would cover the grant. */
function isCoveredBy(grant: Grant, one: Grant): boolean {
  return findWithdrawn({ x: [grant] }, { x: [one] }).length === 0
}
