/** Placeholders that lead into an argument: `{{args.range.from}}`. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { body, type Part, skill, template } from './parts.ts'

const ARGS = { range: { from: '2026-01-01', to: null, days: [1, 2] }, other: 'o' }

function request(more: Partial<Part>, args: JsonObject = ARGS) {
  const drafted = draftRequest(skill('https://a.example/', more), args)
  const completed = drafted.ok ? drafted.value.complete(new Map()) : drafted
  if (!completed.ok) throw new Error(JSON.stringify(completed.error))
  return completed.value
}

describe('a place inside an argument', () => {
  test('fills the query, and the argument is sent nowhere else', () => {
    const query = { f: template('{{args.range.from}}'), d: template('{{args.range.days}}') }
    expect(request({ query }).url).toBe('https://a.example/?f=2026-01-01&d=1&d=2&other=o')
  })

  test('fills headers, items of lists by their position', () => {
    const headers = { 'x-first': template('day {{args.range.days.0}} of {{args.range.from}}') }
    expect(request({ headers }).headers['x-first']).toBe('day 1 of 2026-01-01')
  })

  test('that is the whole body takes the value as it is', () => {
    const posted = request({
      method: 'POST',
      body: body({ days: '{{args.range.days}}', text: 'from {{args.range.from}}' }),
    })
    expect(posted.body).toBe('{"days":[1,2],"text":"from 2026-01-01"}')
  })

  test.each([
    ['a member that is not there', 'range.till'],
    ['null', 'range.to'],
    ['a member of a text', 'range.from.length'],
    ['a member of the prototype', 'range.constructor'],
    ['a position past the end', 'range.days.2'],
    ['the length of a list', 'range.days.length'],
    ['an argument that is not there', 'q.from'],
  ])('a place that leads to %s sends nothing, as a missing argument does', (_what, path) => {
    const place = template(`{{args.${path}}}`)
    const sent = request({ query: { a: place }, headers: { 'x-a': place } })
    expect(sent.url).not.toContain('a=')
    expect(sent.headers).not.toHaveProperty('x-a')
  })

  test('that no header can carry is refused by its pointer', () => {
    const part = skill('https://a.example/', {
      headers: { 'x-a': template('{{args.range.from}}') },
    })
    const drafted = draftRequest(part, { range: { from: 'a\nb' } })
    expect(drafted).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', faults: [{ pointer: '/range/from' }] },
    })
  })
})
