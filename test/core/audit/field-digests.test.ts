import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { deriveDigestKey, digestFields } from '../../../core/audit/field-digests.ts'
import { AUDIT_FIELDS_MAX } from '../../../core/audit/limits.ts'
import type { JsonObject } from '../../../core/json/json.ts'

const digests = nodeDigests()
const key = deriveDigestKey(digests, 'internal-secret')
const of = (fields: JsonObject) => digestFields(digests, key, fields)

describe('digests of fields', () => {
  test('are equal for equal values, whatever the order of members, and differ for others', () => {
    const { a, b, c, d } = of({
      a: { x: 1, y: [2] },
      b: { y: [2], x: 1 },
      c: { x: 1 },
      d: '{"x":1}',
    })
    expect(a).toBe(b)
    expect(new Set([a, c, d]).size).toBe(3)
    expect(a).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })

  test('of one value under two secrets differ, and each names its key', () => {
    const other = deriveDigestKey(digests, 'another-secret')
    expect(other.id).not.toBe(key.id)
    expect(digestFields(digests, other, { tier: 'pro' })).not.toEqual(of({ tier: 'pro' }))
  })

  test('cannot be found by trying values without the secret', () => {
    const { tier } = of({ tier: 'pro' })
    const tried = ['pro', '"pro"'].flatMap((text) => [
      digests.sha256(text),
      digests.sha256(`${key.id}\n${text}`),
      digests.sha256(`internal-secret\n${text}`),
    ])
    expect(tried.map((one) => one.slice(0, 22))).not.toContain(tier)
  })

  test('leave keys and secrets out, whatever they are', () => {
    expect(of({ key: 'sgk_x', value: 'correct horse' })).toEqual({
      key: 'withheld',
      value: 'withheld',
    })
  })

  test('name 50 fields, and count further ones under one name', () => {
    const fieldsOf = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${100 + n}`, n]))
    expect(Object.keys(of(fieldsOf(AUDIT_FIELDS_MAX)))).toHaveLength(50)
    const past = of(fieldsOf(AUDIT_FIELDS_MAX + 1))
    expect(Object.keys(past)).toHaveLength(51)
    expect(past).toHaveProperty(['(more)'])
    expect(of({ ...fieldsOf(50), f150: 'x' })['(more)']).not.toBe(past['(more)'])
  })
})
