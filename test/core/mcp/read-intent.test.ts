import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import { CURSOR_LENGTH_MAX, TOOL_NAME_LENGTH_MAX } from '../../../core/mcp/read-params.ts'
import { SSE_REVISION } from '../../../core/mcp/revisions.ts'
import { readIntent } from '../../../core/mcp/to-work.ts'

function intent(method: string, params?: Json) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return readIntent(SSE_REVISION, { kind: 'request', id: '1', method, params }, text)
}

function bad(message: string) {
  return { ok: false, error: { code: -32602, message } }
}

describe('the methods of a request', () => {
  test('initialize and ping need no params', () => {
    expect(intent('initialize', { protocolVersion: '2099-01-01', capabilities: {} })).toEqual({
      ok: true,
      value: { kind: 'initialize', version: '2099-01-01' },
    })
    expect(intent('initialize', { protocolVersion: null })).toEqual({
      ok: true,
      value: { kind: 'initialize', version: undefined },
    })
    expect(intent('ping')).toEqual({ ok: true, value: { kind: 'ping' } })
  })

  test('an unknown method is -32601 with the list of known ones', () => {
    expect(intent('completion/complete')).toEqual({
      ok: false,
      error: {
        code: -32601,
        message:
          'method: "completion/complete" is not served here; use one of initialize, ping, tools/list, tools/call, resources/list, resources/templates/list, resources/read, prompts/list, prompts/get, skills/list, skills/get, resources/directory/read',
      },
    })
  })

  test('inherited names of objects are not methods', () => {
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

describe('a request of tools/list', () => {
  test('a cursor is passed on unchanged; null counts as absent', () => {
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
        bad(
          'params.cursor: must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning',
        ),
      )
    }
  })
})

describe('a request of tools/call', () => {
  test('name and arguments are passed on', () => {
    expect(intent('tools/call', { name: 'sg_echo', arguments: { a: [1] }, _meta: {} })).toEqual({
      ok: true,
      value: { kind: 'call-tool', name: 'sg_echo', arguments: { a: [1] } },
    })
  })

  test('missing and null arguments count as empty', () => {
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

  test('arguments other than an object are refused', () => {
    for (const given of [[], 0, false]) {
      expect(intent('tools/call', { name: 'a', arguments: given })).toEqual(
        bad('params.arguments: must be an object with the arguments by name'),
      )
    }
    expect(intent('tools/call', { name: 'a', arguments: '{"city":"Oslo"}' })).toEqual(
      bad(
        'params.arguments: was sent as a text; send the JSON object itself, without quotes around it',
      ),
    )
  })

  function tokenOf(progressToken: string) {
    const text = `{"jsonrpc":"2.0","id":1.5e0,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":${progressToken}}}}`
    const { params } = JSON.parse(text)
    return readIntent(
      SSE_REVISION,
      { kind: 'request', id: '1', method: 'tools/call', params },
      text,
    )
  }

  test('a progress token is a string or an integer, kept as it was written', () => {
    for (const token of ['0', '-7', '1.0', '12345678901234567890', '"a"', '""', '"0"']) {
      expect(tokenOf(token)).toMatchObject({ value: { progressToken: token } })
    }
    expect(tokenOf('null')).toEqual({
      ok: true,
      value: { kind: 'call-tool', name: 'a', arguments: {} },
    })
  })

  test('any other progress token is refused', () => {
    for (const token of ['1.5', '1e2', 'true', '{}', '[0]']) {
      expect(tokenOf(token)).toMatchObject({
        error: { code: -32602, message: expect.stringMatching(/^params\._meta\.progressToken: /) },
      })
    }
  })

  test('a progress token of 256 characters passes and one more is refused', () => {
    expect(tokenOf(`"${'t'.repeat(256)}"`).ok).toBe(true)
    expect(tokenOf(`"${'t'.repeat(257)}"`)).toMatchObject({ error: { code: -32602 } })
  })

  test('_meta is an object or absent', () => {
    expect(intent('tools/call', { name: 'a', _meta: null }).ok).toBe(true)
    for (const meta of [[], 'x', 0]) {
      expect(intent('tools/call', { name: 'a', _meta: meta })).toEqual(
        bad('params._meta: must be an object; leave it out'),
      )
    }
  })
})
