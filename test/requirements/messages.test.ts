/** Messages, versions and the list, as every revision must have them, over the real door. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ERRORS, ok } from '../../core/errors.ts'
import { replaceList } from '../../core/flow/registry/change-tool-list.ts'
import * as rpcErrors from '../../core/mcp/rpc-errors.ts'
import { PLAIN, WEATHER } from '../core/mcp/tools.ts'
import { modern, post, withKey } from '../lambdas/mcp/agent.ts'
import { LEGACY_VERSIONS, memberOf, type Ready, ready, toolsOf, VERSIONS } from './door.ts'

let at: Ready

beforeEach(async () => {
  at = await ready()
})

const call = { name: 'sg_sunny', arguments: {} }

describe('a message', () => {
  // Holds: RPC-1
  test.each([
    '7',
    '"ping"',
    'null',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
    '{"jsonrpc":"2.0","id":1}',
  ])('the message %s is refused with 400 and -32600', async (body) => {
    const out = await post(at.door, { body })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
  })

  // Holds: RPC-5
  test.each(VERSIONS)('our messages in %s have a result or an error', async (version) => {
    at.world.upstream.next({ kind: 'answer', status: 500, body: '{}' })
    const replies = [
      await at.ask(version, 'tools/call', call),
      await at.ask(version, 'tools/list'),
      await at.ask(version, 'tools/list', { cursor: 'x' }),
      await at.ask(version, 'tools/call', { name: 'sg_nobody' }),
      await at.ask(version, 'no/such'),
    ].map((out) => out.json())
    expect(replies.map((reply) => Object.keys(reply))).toEqual([
      ['jsonrpc', 'id', 'result'],
      ['jsonrpc', 'id', 'result'],
      ['jsonrpc', 'id', 'error'],
      ['jsonrpc', 'id', 'error'],
      ['jsonrpc', 'id', 'error'],
    ])
    for (const reply of replies.slice(2)) {
      const { code, message } = memberOf(reply, 'error')
      expect([Number.isInteger(code), typeof message]).toEqual([true, 'string'])
    }
  })

  // Holds: RPC-11
  test('of ours has none of the codes that MCP reserves, but three, and one of 2025-11-25', () => {
    const codes = [
      ...Object.values(ERRORS).map(({ rpcCode }) => rpcCode),
      ...Object.values<unknown>(rpcErrors).filter((value) => typeof value === 'number'),
    ]
    const kept = codes.filter((code) => (code <= -32020 && code >= -32099) || code === -32042)
    expect([...new Set(kept)].sort()).toEqual([-32020, -32021, -32022, -32042])
  })

  // Holds: RPC-11
  test('with -32002 over REST is a result over MCP', async () => {
    const bob = await at.world.user('bob', { credits: 0 })
    const out = await post(at.door, withKey(bob, modern('tools/call', call)))
    expect(out.json()).toMatchObject({ id: 1, result: { isError: true } })
  })
})

describe('a method of an undeclared capability', () => {
  const METHODS = [
    'resources/subscribe',
    'resources/unsubscribe',
    'completion/complete',
    'logging/setLevel',
    'tasks/list',
    'tasks/list',
  ]

  // Holds: LIFE-10
  test.each(LEGACY_VERSIONS)('an undeclared method is -32601 in band in %s', async (version) => {
    for (const method of METHODS) {
      const out = await at.ask(version, method, { name: 'x', uri: 'x' })
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({ error: { code: -32601 } })
    }
  })

  // Holds: LIFE-10
  test('is 404 and -32601 in 2026-07-28', async () => {
    for (const method of METHODS) {
      const out = await at.ask('2026-07-28', method, { name: 'x' })
      expect(out.status).toBe(404)
      expect(out.json()).toMatchObject({ id: 1, error: { code: -32601 } })
    }
  })

  // Holds: LIFE-11
  test('a call that asks for a task is run as any other call', async () => {
    const out = await at.ask('2025-11-25', 'tools/call', { ...call, task: { ttl: 60_000 } })
    expect(memberOf(out.json(), 'result')).toMatchObject({
      isError: false,
      structuredContent: { sunny: true },
    })
    expect(memberOf(out.json(), 'result')).not.toHaveProperty('task')
  })
})

describe('a list', () => {
  /** Names of members that are null, and keys of any `_meta`, in a whole answer. */
  function found(text: string) {
    const nulls: string[] = []
    const metaKeys: string[] = []
    JSON.parse(text, (name, value) => {
      if (value === null) nulls.push(name)
      if (name === '_meta') metaKeys.push(...Object.keys(value))
      return value
    })
    return { nulls, metaKeys }
  }

  // Holds: LIST-5, RPC-13
  test.each(VERSIONS)(
    'and a result in %s have no null, and in _meta good keys',
    async (version) => {
      await replaceList(at.world.ports, async () => ok([PLAIN, WEATHER]))
      const listed = found((await at.ask(version, 'tools/list')).text)
      const called = found((await at.ask(version, 'tools/call', call)).text)
      expect([...listed.nulls, ...called.nulls]).toEqual([])
      expect(called.metaKeys).toContain('skillgate/credits')
      for (const key of [...listed.metaKeys, ...called.metaKeys]) {
        if (key === 'io.modelcontextprotocol/serverInfo') continue
        expect(key).toMatch(
          /^(?:[a-z](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?\/\w+$/,
        )
        expect(key.split('/')[0]?.split('.')[1] ?? '').not.toMatch(/^(?:mcp|modelcontextprotocol)$/)
      }
    },
  )

  // Holds: LIST-7, LIST-12
  test.each(VERSIONS)('in %s has each name once, always in one order', async (version) => {
    await at.world.skill('sg_b', { source: 'private', uid: 'ada' })
    await at.world.skill('sg_a')
    const names = async () => toolsOf(await at.ask(version, 'tools/list')).map(({ name }) => name)
    const first = await names()
    expect(first).toContain('ada_sg_b')
    expect(new Set(first).size).toBe(first.length)
    expect(await names()).toEqual(first)
  })
})

describe('params of a call', () => {
  // Holds: CALL-2
  test.each(VERSIONS)('a call in %s needs a name, and an object if any', async (version) => {
    const bad = [{}, { name: 7 }, { ...call, arguments: [] }, { ...call, arguments: 'x' }]
    for (const params of bad) {
      const out = await at.ask(version, 'tools/call', params)
      expect(out.json()).toMatchObject({ id: 1, error: { code: -32602 } })
    }
    const bare = await at.ask(version, 'tools/call', { name: 'sg_sunny' })
    expect(bare.json()).toMatchObject({ result: { isError: false } })
  })
})
