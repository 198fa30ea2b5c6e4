/** Skills of Lambda functions, and the tag that describes their events. */
import { describe, expect, test } from 'vitest'
import { readEventTag } from '../../../../core/flow/imports/event-tag.ts'
import { planFunctions } from '../../../../core/flow/imports/plan-functions.ts'
import type { FoundFunctions } from '../../../../core/ports/tagged-functions.ts'
import { readSkill } from '../../../../core/skills/definition/read-skill.ts'

const arnOf = (name: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}`
const ASKED = { tag: { key: 'team', value: 'shop' }, credits: 0.5 }

async function plan(
  found: FoundFunctions,
  lambdaUpstreams?: readonly string[],
  asked: Parameters<typeof planFunctions>[2] = ASKED,
) {
  const ports = { taggedFunctions: { find: async () => found } }
  const settings = {
    prefix: 'sg',
    ...(lambdaUpstreams === undefined ? {} : { lambdaUpstreams }),
  }
  return planFunctions(ports, settings, asked)
}

async function planned(
  functions: readonly { arn: string; tags: { [key: string]: string } }[],
  lambdaUpstreams?: readonly string[],
) {
  const made = await plan({ kind: 'found', functions }, lambdaUpstreams)
  if (!made.ok) throw new Error(made.error.detail)
  return made.value
}

describe('a plan of functions', () => {
  test('has a skill of each, by its tags, which a sync takes', async () => {
    const tags = {
      'skillgate:event': 'id:string days:integer:optional',
      'skillgate:description': 'Shows an order.',
    }
    const { left, notes, skills } = await planned([{ arn: arnOf('orders'), tags }])
    expect({ left, notes }).toEqual({ left: [], notes: [] })
    expect(skills).toEqual([
      {
        id: 'sg_orders',
        meta: {
          name: 'orders',
          description: 'Shows an order.',
          parameters: {
            type: 'object',
            properties: { id: { type: 'string' }, days: { type: 'integer' } },
            required: ['id'],
            additionalProperties: false,
          },
        },
        config: { lambda: { function: arnOf('orders') } },
        credits_per_call: 0.5,
      },
    ])
    expect(readSkill(skills[0] ?? {}, { prefix: 'sg', source: 'official' }).ok).toBe(true)
  })

  test('is in the order of names, with the alias that was asked for', async () => {
    const functions = ['b', 'a'].map((name) => ({ arn: arnOf(name), tags: {} }))
    const made = await plan({ kind: 'found', functions }, undefined, {
      ...ASKED,
      qualifier: 'live',
    })
    expect(made.ok && made.value.skills.map(({ config }) => config)).toEqual([
      { lambda: { function: arnOf('a'), qualifier: 'live' } },
      { lambda: { function: arnOf('b'), qualifier: 'live' } },
    ])
  })

  test('notes a function without a description of its event, and one without a right', async () => {
    const { notes, skills } = await planned([{ arn: arnOf('orders'), tags: {} }], ['stock-*'])
    expect(skills).toMatchObject([{ meta: { parameters: { type: 'object', properties: {} } } }])
    expect(notes.map(({ text }) => text)).toEqual([
      expect.stringContaining('has no tag skillgate:event'),
      expect.stringContaining('not in lambdaUpstreams'),
    ])
  })

  test('leaves out a function whose tag cannot be read, or whose id is too long', async () => {
    const { left, skills } = await planned([
      { arn: arnOf('bad'), tags: { 'skillgate:event': 'id:text' } },
      { arn: arnOf('f'.repeat(62)), tags: {} },
      { arn: arnOf('g'.repeat(61)), tags: {} },
    ])
    expect(skills.map(({ id }) => id)).toEqual([`sg_${'g'.repeat(61)}`])
    expect(left.map(({ text }) => text)).toEqual([
      expect.stringContaining('skillgate:event has id:text; write name:type'),
      expect.stringContaining('over 64 characters'),
    ])
  })

  test.each([
    [{ kind: 'too_many' }, 'conflict', 'more than 1000 functions'],
    [{ kind: 'no_right' }, 'forbidden', 'tag:GetResources'],
    [{ kind: 'no_account' }, 'forbidden', 'AWS_REGION'],
    [{ kind: 'failed', name: 'InternalServiceException' }, 'upstream_failed', 'InternalService'],
  ] as const)('is refused for %j', async (found, code, words) => {
    const made = await plan(found)
    expect(made).toMatchObject({
      ok: false,
      error: { code, detail: expect.stringContaining(words) },
    })
  })
})

describe('the tag of an event', () => {
  test.each([
    ['', {}],
    ['  a:string   b:object ', { a: { type: 'string' }, b: { type: 'object' } }],
  ])('%j names its members', (text, properties) => {
    expect(readEventTag(text)).toMatchObject({ ok: true, value: { properties } })
  })

  test.each([
    'a',
    'a:',
    ':string',
    'a:text',
    'a:string:required',
    'a:string:optional:x',
    'a.b:string',
  ])('%s is refused with the form of a member', (text) => {
    expect(readEventTag(text)).toMatchObject({
      ok: false,
      error: expect.stringContaining(`has ${text}; write name:type or name:type:optional`),
    })
  })

  test('names each member once', () => {
    expect(readEventTag('a:string a:number')).toEqual({ ok: false, error: 'has a twice' })
  })
})
