/** A file as the whole body of a request: `body_as: "binary"`. */
import { describe, expect, test } from 'vitest'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'
import { okOf, refusalOf, skillJson } from '../flow/world.ts'

const FILE = { in: 'body', name: '', style: 'file' }
const PNG = { base64: 'iVBORw0KGgo=', filename: 'a.png' }

function skillOf(config: object) {
  const parameters = { type: 'object', properties: { image: {}, size: {} } }
  const all = { method: 'POST', body_as: 'binary', ...config }
  return readSkill(skillJson('sg_up', { config: all, parameters }), { prefix: 'sg' })
}

function requestOf(args: object, place: object = {}, config: object = {}) {
  const { skill } = okOf(skillOf({ arguments: { image: { ...FILE, ...place } }, ...config }))
  const draft = okOf(draftRequest(skill, { ...args }))
  return okOf(draft.complete(new Map()))
}

describe('a file as the whole body', () => {
  test('is sent as its bytes, with the type of its place or of its caller', () => {
    const sent = requestOf({ image: PNG }, { content_type: 'image/png' })
    expect([...(sent.body ?? [])]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    expect(sent.headers['content-type']).toBe('image/png')
    const own = requestOf({ image: { ...PNG, contentType: 'image/x-own' } })
    expect(own.headers['content-type']).toBe('image/x-own')
    expect(requestOf({ image: PNG }).headers['content-type']).toBe('application/octet-stream')
  })

  test('has the content type that the skill fixes, whatever its caller names', () => {
    const fixed = { headers: { 'content-type': 'application/pdf' } }
    const sent = requestOf({ image: { ...PNG, contentType: 'text/html' } }, {}, fixed)
    expect(sent.headers['content-type']).toBe('application/pdf')
  })

  test('leaves other arguments to the query', () => {
    expect(requestOf({ image: PNG, size: 3 }).url).toContain('?size=3')
  })

  test('may be absent: then there is no body', () => {
    expect(requestOf({}).body).toBeUndefined()
  })

  test.each([
    ['a text', 'iVBORw0KGgo=', 'must be a file'],
    ['base64 that is none', { base64: 'a?' }, 'base64 is not base64'],
    ['a file of over 1,000,000 bytes', { base64: 'AAAA'.repeat(333_335) }, 'over 1000000 bytes'],
    ['a type with a line break', { base64: '', contentType: 'a/b\r\nx: y' }, 'not a media type'],
  ])('refuses %s', (_, image, why) => {
    const { skill } = okOf(skillOf({ arguments: { image: FILE } }))
    expect(refusalOf(draftRequest(skill, { image })).detail).toContain(why)
  })

  test('takes a file of 1,000,000 bytes', () => {
    const sent = requestOf({ image: { base64: `${'AAAA'.repeat(333_333)}AA==` } })
    expect(sent.body?.length).toBe(1_000_000)
  })

  test('is refused in a skill without a file that is the whole body', () => {
    for (const config of [{}, { arguments: { image: { in: 'body', name: '' } } }]) {
      expect(refusalOf(skillOf(config)).faults).toContainEqual(
        expect.objectContaining({ pointer: '/config/arguments' }),
      )
    }
  })
})
