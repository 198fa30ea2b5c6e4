import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import {
  CURSOR_LENGTH_MAX,
  intentOf,
  TOOL_NAME_LENGTH_MAX,
} from '../../../core/mcp/rev2024-11-05/read-request.ts'

function intent(method: string, params?: Json) {
  return intentOf({ kind: 'request', id: '1', method, params })
}

function bad(message: string) {
  return { ok: false, error: { code: -32602, message } }
}

describe('methods', () => {
  test('initialize and ping need nothing', () => {
    expect(intent('initialize', { protocolVersion: '2099-01-01', capabilities: {} })).toEqual({
      ok: true,
      value: { kind: 'initialize' },
    })
    expect(intent('ping')).toEqual({ ok: true, value: { kind: 'ping' } })
  })

  test('an unknown method is -32601 and told which ones there are', () => {
    expect(intent('resources/list')).toEqual({
      ok: false,
      error: {
        code: -32601,
        message:
          'method: "resources/list" is not served here; there are initialize, ping, tools/list, tools/call',
      },
    })
  })

  test('names that every object has are no methods', () => {
    for (const method of ['constructor', 'toString', '__proto__', 'Ping', 'tools/call ']) {
      expect(intent(method)).toMatchObject({ error: { code: -32601 } })
    }
  })

  test('an unknown method is repeated up to 64 characters', () => {
    const answer = intent('x'.repeat(65))
    expect(answer).toMatchObject({
      error: { message: expect.stringContaining(`"${'x'.repeat(64)}"`) },
    })
  })

  test('params that are an array fit no method', () => {
    for (const method of ['initialize', 'ping', 'tools/list', 'tools/call']) {
      expect(intent(method, ['a'])).toEqual(bad('params: must be an object, not an array'))
    }
  })
})

describe('tools/list', () => {
  test('a cursor is handed on as it came; null is none', () => {
    expect(intent('tools/list')).toEqual({
      ok: true,
      value: { kind: 'list-tools', cursor: undefined },
    })
    expect(intent('tools/list', { cursor: null })).toEqual({
      ok: true,
      value: { kind: 'list-tools', cursor: undefined },
    })
    expect(intent('tools/list', { cursor: 'abc' })).toEqual({
      ok: true,
      value: { kind: 'list-tools', cursor: 'abc' },
    })
    expect(intent('tools/list', { cursor: '' })).toEqual({
      ok: true,
      value: { kind: 'list-tools', cursor: '' },
    })
  })

  test('a cursor is a string of at most 1024 characters', () => {
    expect(CURSOR_LENGTH_MAX).toBe(1024)
    expect(intent('tools/list', { cursor: 'c'.repeat(1024) }).ok).toBe(true)
    for (const cursor of ['c'.repeat(1025), 7, {}, [], false]) {
      expect(intent('tools/list', { cursor })).toEqual(
        bad('params.cursor: must be a nextCursor of an earlier page; leave it out to start'),
      )
    }
  })
})

describe('tools/call', () => {
  test('name and arguments are handed on', () => {
    expect(intent('tools/call', { name: 'sg_echo', arguments: { a: [1] }, _meta: {} })).toEqual({
      ok: true,
      value: { kind: 'call-tool', name: 'sg_echo', arguments: { a: [1] } },
    })
  })

  test('missing and null arguments are no arguments', () => {
    for (const params of [{ name: 'a' }, { name: 'a', arguments: null }]) {
      expect(intent('tools/call', params)).toEqual({
        ok: true,
        value: { kind: 'call-tool', name: 'a', arguments: {} },
      })
    }
  })

  test('a name that is missing, empty or no string is refused', () => {
    for (const params of [undefined, {}, { name: '' }, { name: 1 }, { name: null }]) {
      expect(intent('tools/call', params)).toEqual(
        bad('params.name: must be the name of a tool from tools/list'),
      )
    }
  })

  test('a name of 128 characters passes and one more is refused', () => {
    expect(TOOL_NAME_LENGTH_MAX).toBe(128)
    expect(intent('tools/call', { name: 'n'.repeat(128) }).ok).toBe(true)
    expect(intent('tools/call', { name: 'n'.repeat(129) })).toEqual(
      bad('params.name: is over 128 characters; see tools/list'),
    )
  })

  test('arguments that are no object are refused', () => {
    for (const given of [[], 'x', 0, false]) {
      expect(intent('tools/call', { name: 'a', arguments: given })).toEqual(
        bad('params.arguments: must be an object with the arguments by name'),
      )
    }
  })
})
