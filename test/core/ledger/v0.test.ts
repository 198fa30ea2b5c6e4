import { describe, expect, test } from 'vitest'
import {
  IDENTIFIER_PATTERN,
  isUsername,
  USERNAME_CHARS_MAX,
} from '../../../core/access/user-names.ts'
import { toIdentifier } from '../../../core/json/identifier-text.ts'
import {
  isMovableUid,
  readV0Credits,
  readV0Tier,
  toV0Profile,
  toV0View,
  type V0Value,
} from '../../../core/ledger/v0.ts'
import { planMigration } from '../../../core/ledger/v0-plan.ts'
import { profileOf } from '../../contracts/fresh.ts'

const number = (text: string): V0Value => ({ kind: 'number', text })
const text = (value: string): V0Value => ({ kind: 'text', text: value })
const OTHER: V0Value = { kind: 'other' }

function split(value: V0Value): readonly [number, string] | string {
  const read = readV0Credits(value)
  if (!read.ok) return read.error
  const { rest, whole } = read.value
  return [whole, rest.kind === 'other' ? '' : rest.text]
}

describe('an amount of the earlier service', () => {
  test.each([
    ['0', 0, '0'],
    ['-0', 0, '0'],
    ['12.5', 12_500_000, '0'],
    ['12', 12_000_000, '0'],
    ['1e2', 100_000_000, '0'],
    ['1.5E-3', 1_500, '0'],
    ['0.000001', 1, '0'],
    ['0.0000009', 0, '0.0000009'],
    ['0.30000000000000004', 300_000, '0.00000000000000004'],
    ['1e-7', 0, '0.0000001'],
    ['12.3456789', 12_345_678, '0.0000009'],
    ['100000000', 100_000_000_000_000, '0'],
    ['100000000.0000009', 100_000_000_000_000, '0.0000009'],
  ])('the amount %s is %i millionths, and %s stays', (written, whole, rest) => {
    expect(split(number(written))).toEqual([whole, rest])
    expect(split(text(written))).toEqual([whole, rest])
  })

  test('may have spaces around it as a text, and its rest stays a text', () => {
    expect(readV0Credits(text(' 2.5\n'))).toEqual({
      ok: true,
      value: { whole: 2_500_000, rest: text('0') },
    })
  })

  test.each([
    ['-0.5', /^is negative; settle the debt/],
    ['-0.0000001', /^is negative/],
    ['NaN', /^is not a decimal number; write a number of credits such as 12.5$/],
    ['Infinity', /^is not a decimal number/],
    ['', /^is not a decimal number/],
    ['1,5', /^is not a decimal number/],
    ['0x10', /^is not a decimal number/],
    ['.5', /^is not a decimal number/],
    ['100000000.000001', /^is over the limit of 100000000 credits; lower it$/],
    ['1e125', /^is over the limit/],
    ['1e999', /^has too many digits/],
  ])('the amount %j cannot be moved', (written, why) => {
    expect(split(text(written))).toMatch(why)
  })

  test('that is neither a number nor a text cannot be moved', () => {
    expect(split(OTHER)).toMatch(/^is neither a number nor a text/)
  })

  test('that is refused is never shown', () => {
    expect(split(text('-4711'))).not.toContain('4711')
  })
})

describe('a tier of the earlier service', () => {
  test('is free when none was stored, and unchanged when it is a valid name', () => {
    expect(readV0Tier(undefined)).toEqual({ ok: true, value: 'free' })
    expect(readV0Tier(text('pro-2'))).toEqual({ ok: true, value: 'pro-2' })
    expect(readV0Tier(text('a'.repeat(64)))).toMatchObject({ ok: true })
  })

  test.each([text(''), text('a'.repeat(65)), text('pro tier'), number('3'), OTHER])(
    'is none when it is %j',
    (value) => {
      expect(readV0Tier(value)).toMatchObject({ ok: false })
    },
  )
})

test('a uid that can be moved follows the rule of identifiers', () => {
  const identifier = new RegExp(IDENTIFIER_PATTERN)
  for (const uid of ['u1', 'a'.repeat(64), 'a'.repeat(65), '', 'a@b.c', 'a:b', 'é']) {
    expect(isMovableUid(uid)).toBe(identifier.test(uid))
  }
})

describe('the user name of a moved user', () => {
  const nameOf = (uid: string) => toV0Profile({ uid, tier: 'free', credits: 1, nowMs: 5 }).username
  const uidOf = (text: string) => toIdentifier(text) ?? ''

  test('the user name is the id that the earlier service knew, if it fits', () => {
    expect(USERNAME_CHARS_MAX).toBe(40)
    expect(nameOf('u'.repeat(40))).toBe('u'.repeat(40))
    expect(nameOf(uidOf('ada@example.com'))).toBe('ada@example.com')
  })

  test('the user name of a longer id is cut, and ends with a hash of the whole id', () => {
    expect(nameOf('u'.repeat(41))).toBe('uuuuuuuuuuuuuuuuuuuuuuuuuuu_n59rgk79utbc')
    expect(nameOf(uidOf(`${'a'.repeat(29)}@example.com`))).toMatch(/^a{27}_[0-9a-z]{12}$/)
  })

  test('ids that are alike to their last character have names of their own', () => {
    const uids = Array.from({ length: 2_000 }, (_, nth) => `auth0-${'5'.repeat(50)}${nth}`)
    const names = uids.map(nameOf)
    expect(new Set(names).size).toBe(2_000)
    expect(names.filter((name) => !isUsername(name))).toEqual([])
  })

  test('the user name has no hidden character: it is the new id where the old one has some', () => {
    const uid = uidOf('ada\u202egnp')
    expect(nameOf(uid)).toBe(uid)
    expect(nameOf(uidOf(' '))).toBe(uidOf(' '))
  })
})

const USER = { uid: 'ada', known: false, nowMs: 7 }
const NONE = { profile: undefined, credits: undefined, tier: undefined }

describe('the plan of a move', () => {
  test('the plan is empty without records, unless a key proves that the user exists', () => {
    const nothing = { birth: undefined, amount: undefined, watch: false, faults: [] }
    expect(planMigration(USER, NONE)).toEqual(nothing)
    expect(planMigration({ ...USER, known: true }, NONE)).toMatchObject({
      birth: { uid: 'ada', username: 'ada', tier: 'free', credits: 0, v0: 'moved' },
      amount: undefined,
    })
  })

  test('the plan of credits alone, or of a tier alone, is a user', () => {
    expect(planMigration(USER, { ...NONE, credits: number('2') })).toMatchObject({
      birth: { tier: 'free', credits: 0 },
      amount: { whole: 2_000_000 },
    })
    expect(planMigration(USER, { ...NONE, tier: text('pro') })).toMatchObject({
      birth: { tier: 'pro', credits: 0 },
      amount: undefined,
    })
  })

  test('the plan leaves unreadable records alone, names them, and moves the rest', () => {
    const stored = { ...NONE, credits: number('-1'), tier: text('no name') }
    const plan = planMigration(USER, stored)
    expect(plan).toMatchObject({ birth: { tier: 'free', credits: 0 }, amount: undefined })
    expect(plan.faults.map(({ record }) => record)).toEqual(['credits:ada', 'tier:ada'])
  })

  test('adds to an existing profile, whose tier stays', () => {
    const profile = profileOf('ada', { credits: 5, tier: 'small' })
    const stored = { profile, credits: number('1'), tier: text('pro') }
    expect(planMigration(USER, stored)).toMatchObject({
      birth: undefined,
      amount: { whole: 1_000_000 },
      watch: true,
      faults: [],
    })
  })

  test('the plan is empty for a watched user without late credits', () => {
    const profile = profileOf('ada', { v0: 'moved' })
    expect(planMigration(USER, { ...NONE, profile, credits: number('0.0000004') })).toEqual({
      birth: undefined,
      amount: undefined,
      watch: false,
      faults: [],
    })
  })

  test('the plan brings nobody over the limit', () => {
    const profile = profileOf('ada', { credits: 99_999_999_000_000 })
    const fits = planMigration(USER, { ...NONE, profile, credits: number('1') })
    expect(fits).toMatchObject({ amount: { whole: 1_000_000 }, faults: [] })
    const over = planMigration(USER, { ...NONE, profile, credits: number('1.000001') })
    expect(over).toMatchObject({
      amount: undefined,
      faults: [{ record: 'credits:ada', message: expect.stringContaining('over 100000000') }],
    })
  })
})

describe('the view of a function that may not move records', () => {
  test('is the profile if there is one', () => {
    const profile = profileOf('ada', { credits: 5 })
    expect(toV0View('ada', { ...NONE, profile, credits: number('1') })).toBe(profile)
  })

  test('is the readable part, and undefined without records or with an invalid uid', () => {
    expect(toV0View('ada', { ...NONE, credits: text('x'), tier: text('pro') })).toMatchObject({
      tier: 'pro',
      credits: 0,
      v0: 'unmoved',
    })
    expect(toV0View('ada', NONE)).toBeUndefined()
    expect(toV0View('a b', { ...NONE, credits: number('1') })).toBeUndefined()
  })
})
