/** The key of a call as MCP has it, beside the key of REST. */
import { describe, expect, test } from 'vitest'
import {
  ANSWER_TTL_SEC,
  hashCallBody,
  IDEMPOTENCY_KEY_CHARS_MAX,
  isIdempotencyKey,
  isSameBody,
} from '../../../core/call/idempotency.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { KEEP_SEC, KEY_CHARS_MAX, readKeyMeta } from '../../../core/mcp/idempotency-key.ts'

const META = 'skillgate/idempotency-key'
const own = (text: string) => `(${text})`

describe('a key in _meta', () => {
  test('has the limits of the header of REST', () => {
    expect([KEY_CHARS_MAX, KEEP_SEC]).toEqual([IDEMPOTENCY_KEY_CHARS_MAX, ANSWER_TTL_SEC])
    const keys = ['', 'a', '~', ' ', 'a b', 'é', '\u007f', 'k'.repeat(128), 'k'.repeat(129)]
    for (const key of keys) {
      expect([key, readKeyMeta({ [META]: key }).ok]).toEqual([key, isIdempotencyKey(key)])
    }
  })

  test('that is absent or null is none', () => {
    expect(readKeyMeta({})).toEqual({ ok: true, value: undefined })
    expect(readKeyMeta({ [META]: null })).toEqual({ ok: true, value: undefined })
  })
})

describe('two requests under one key', () => {
  const hash = (args: JsonObject, input?: { responses?: JsonObject; state?: string }) =>
    hashCallBody(own, { arguments: args, ...(input === undefined ? {} : { input }) })

  test('are the same in any order of members, and differ by any value', () => {
    const nested = { a: 1, b: { c: [{ d: 1, e: 2 }], f: 'x' } }
    const other = { b: { f: 'x', c: [{ e: 2, d: 1 }] }, a: 1 }
    expect(hash(other)).toBe(hash(nested))
    for (const args of [{}, { a: 1 }, { ...nested, a: '1' }, { ...nested, z: null }]) {
      expect(isSameBody(hash(args), hash(nested))).toBe(false)
    }
    expect(isSameBody(hash({ a: [1, 2] }), hash({ a: [2, 1] }))).toBe(false)
  })

  test('are the same if one begins a dialogue that the other ended', () => {
    const ended = hash({ a: 1 }, { responses: { city: { action: 'accept' } }, state: 's' })
    expect(isSameBody(hash({ a: 1 }), ended)).toBe(true)
    expect(isSameBody(ended, hash({ a: 1 }))).toBe(false)
    expect(isSameBody(hash({ a: 2 }), ended)).toBe(false)
    expect(isSameBody(hash({ a: 1 }, { responses: { city: {} } }), ended)).toBe(false)
  })

  test('are the same whatever their clients can be asked', () => {
    const asked = { arguments: {}, input: { capabilities: { roots: {} } } }
    expect(hashCallBody(own, asked)).toBe(hash({}))
  })
})
