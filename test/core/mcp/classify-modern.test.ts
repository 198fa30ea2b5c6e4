import { describe, expect, test } from 'vitest'
import * as execute from '../../../core/call/limits.ts'
import * as revision from '../../../core/mcp/rev2026-07-28/read-call.ts'
import { INPUT_RESPONSES_MAX } from '../../../core/mcp/rev2026-07-28/read-responses.ts'
import {
  classified,
  MODERN_META,
  modern,
  modernHeaders,
  request,
  shortly,
  workOf,
} from './posted.ts'

const CALL = { name: 'sg_echo', arguments: {} }
const LEVEL = 'io.modelcontextprotocol/logLevel'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const VERSION = 'io.modelcontextprotocol/protocolVersion'

function call(more: object = {}, meta: object = {}) {
  return classified(
    modern('tools/call', { ...CALL, ...more }, meta),
    modernHeaders('tools/call', { 'mcp-name': 'sg_echo' }),
  )
}

describe('methods', () => {
  // Holds: DISC-1
  test.each([
    ['server/discover', {}, 'discover'],
    ['tools/list', {}, 'list-tools'],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }, 'listen'],
  ])('the method %s is served', (method, params, kind) => {
    expect(shortly(classified(modern(method, params), modernHeaders(method)))).toBe(
      `request 2026-07-28 ${kind}`,
    )
  })

  // Holds: DISC-4, LIFE-10, STR-17
  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'completion/complete',
    'no/such',
    '__proto__',
  ])('the method %s does not exist and is 404', (method) => {
    expect(shortly(classified(modern(method), modernHeaders(method)))).toBe(
      'refused 404 -32601 id 1',
    )
  })

  test('a listen without its filter is refused in band', () => {
    for (const params of [
      {},
      { notifications: null },
      { notifications: { toolsListChanged: 1 } },
    ]) {
      const classification = classified(
        modern('subscriptions/listen', params),
        modernHeaders('subscriptions/listen'),
      )
      expect(shortly(classification)).toBe('refused 200 -32602 id 1')
    }
  })

  test('kinds of notification that we never send are dropped from a listen', () => {
    const params = { notifications: { promptsListChanged: true, resourceSubscriptions: ['a'] } }
    const work = workOf(
      modern('subscriptions/listen', params),
      modernHeaders('subscriptions/listen'),
    )
    expect(work.intent).toEqual({ kind: 'listen', toolsListChanged: false })
  })
})

describe('the envelope of a request', () => {
  // Holds: META-3
  test.each<[string, object]>([
    ['a version that is no string', { [VERSION]: 20260728 }],
    ['a version that is null', { [VERSION]: null }],
    ['a version that is empty', { [VERSION]: '' }],
    ['a version of 65 characters', { [VERSION]: 'v'.repeat(65) }],
    ['no capabilities', { [CAPABILITIES]: undefined }],
    ['capabilities that are a list', { [CAPABILITIES]: [] }],
    ['a client that is a text', { [CLIENT]: 'me' }],
    ['a client without a version', { [CLIENT]: { name: 'me' } }],
  ])('an envelope with %s is 400', (_what, meta) => {
    const classification = classified(modern('tools/list', {}, meta), modernHeaders('tools/list'))
    expect(shortly(classification)).toBe('refused 400 -32602 id 1')
  })

  // Holds: META-5
  test('the envelope may name its client, or not', () => {
    const meta = { [CLIENT]: { name: 'me', version: '1' } }
    expect(workOf(modern('tools/list', {}, meta), modernHeaders('tools/list')).id).toBe('1')
  })

  test('the envelope that is missing is named in the refusal', () => {
    expect(classified(request('ping'), modernHeaders('ping'))).toMatchObject({
      error: { message: expect.stringContaining(VERSION) },
    })
  })
})

describe('headers', () => {
  // Holds: HDR-1, HDR-2, HDR-3, HDR-6
  test.each<[string, { [name: string]: string }]>([
    ['another version than the body', { 'mcp-protocol-version': '2025-11-25' }],
    ['the version twice', { 'mcp-protocol-version': '2026-07-28, 2026-07-28' }],
    ['the version in another case', { 'mcp-protocol-version': '2026-07-28Z' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }],
    ['the method twice', { 'mcp-method': 'tools/call, tools/call' }],
    ['another name', { 'mcp-name': 'sg_other' }],
    ['the name in another case', { 'mcp-name': 'SG_ECHO' }],
    ['the name twice', { 'mcp-name': 'sg_echo, sg_echo' }],
    ['a name in broken base64', { 'mcp-name': '=?base64?c2dfZWNobw?=' }],
    ['a name with a control character', { 'mcp-name': 'sg_echo\u0007' }],
    ['a name that is empty', { 'mcp-name': '' }],
    ['a name of 64 KiB', { 'mcp-name': 'n'.repeat(65_536) }],
  ])('with %s are 400', (_what, change) => {
    const headers = { ...modernHeaders('tools/call', { 'mcp-name': 'sg_echo' }), ...change }
    expect(shortly(classified(modern('tools/call', CALL), headers))).toBe('refused 400 -32020 id 1')
  })

  // Holds: HDR-1, HDR-2, HDR-3
  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'a request without %s is 400',
    (name) => {
      const all = modernHeaders('tools/call', { 'mcp-name': 'sg_echo' })
      const headers = Object.fromEntries(Object.entries(all).filter(([key]) => key !== name))
      expect(shortly(classified(modern('tools/call', CALL), headers))).toBe(
        'refused 400 -32020 id 1',
      )
    },
  )

  // Holds: HDR-8, HDR-9
  test('may have white space around them, and the name in base64', () => {
    const headers = {
      'mcp-protocol-version': ' 2026-07-28\t',
      'mcp-method': '\ttools/call ',
      'mcp-name': ' =?base64?c2dfZWNobw==?= ',
    }
    expect(workOf(modern('tools/call', CALL), headers).intent).toMatchObject({ name: 'sg_echo' })
  })

  test('of parameters are handed on as sent, names without their prefix', () => {
    const headers = modernHeaders('tools/call', {
      'mcp-name': 'sg_echo',
      'mcp-param-region': ' us-west1',
      'mcp-param-x': '=?base64?YQ==?=',
      'mcp-parameter': 'not one',
    })
    expect(workOf(modern('tools/call', CALL), headers).paramHeaders).toEqual(
      new Map([
        ['region', ' us-west1'],
        ['x', '=?base64?YQ==?='],
      ]),
    )
  })

  test('that repeat a name missing in the body leave the refusal to the params', () => {
    for (const headers of [{ 'mcp-name': 'sg_echo' }, undefined]) {
      const classification = classified(
        modern('tools/call', {}),
        modernHeaders('tools/call', headers),
      )
      expect(shortly(classification)).toBe('refused 200 -32602 id 1')
    }
  })

  test('are never repeated in our error texts', () => {
    const headers = modernHeaders('tools/call', { 'mcp-name': 'hunter2' })
    expect(JSON.stringify(classified(modern('tools/call', CALL), headers))).not.toContain('hunter2')
  })
})

describe('a request with several faults', () => {
  test.each<[string, object, { [name: string]: string }, number]>([
    ['envelope before headers', { [CAPABILITIES]: 1 }, { 'mcp-protocol-version': 'x' }, -32602],
    [
      'header against body before support',
      { [VERSION]: 'v999.0.0' },
      { 'mcp-protocol-version': '2026-07-28' },
      -32020,
    ],
    ['support before what is missing', { [VERSION]: 'v999.0.0' }, {}, -32022],
    [
      'support, where header and body agree',
      { [VERSION]: 'v999.0.0' },
      { 'mcp-protocol-version': 'v999.0.0' },
      -32022,
    ],
    ['a legacy version in an envelope is none', { [VERSION]: '2025-11-25' }, {}, -32022],
    ['what is missing before the method', {}, { 'mcp-protocol-version': '2026-07-28' }, -32020],
  ])('the first of several faults is reported: %s', (_what, meta, headers, code) => {
    expect(classified(modern('no/such', {}, meta), headers)).toMatchObject({
      status: 400,
      error: { code },
    })
  })

  // Holds: DISC-2
  test('an unknown version gets the list of served ones', () => {
    expect(classified(modern('ping', {}, { [VERSION]: 'v999.0.0' }))).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: 'v999.0.0' } },
    })
  })
})

describe('a call', () => {
  test('carries its client’s capabilities, log level and progress token', () => {
    const meta = { [CAPABILITIES]: { elicitation: {} }, [LEVEL]: 'notice', progressToken: 0 }
    expect(call({}, meta)).toMatchObject({
      intent: {
        kind: 'call-tool',
        name: 'sg_echo',
        arguments: {},
        progressToken: '0',
        logLevel: 'notice',
        capabilities: { elicitation: {} },
        input: undefined,
      },
    })
  })

  // Holds: LOG-5
  test.each(['loud', 'DEBUG', 3, null, '', 'constructor'])(
    'with the level %j is refused in band',
    (level) => {
      expect(shortly(call({}, { [LEVEL]: level }))).toBe('refused 200 -32602 id 1')
    },
  )

  test.each(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])(
    'may name the level %s',
    (level) => {
      expect(call({}, { [LEVEL]: level })).toMatchObject({ intent: { logLevel: level } })
    },
  )
})

describe('answers to the questions of the previous round', () => {
  test('come with the state, or alone, and the state may come alone too', () => {
    const inputResponses = { k1: { action: 'accept', content: { a: 1 } } }
    expect(call({ inputResponses, requestState: 's' })).toMatchObject({
      intent: { input: { responses: inputResponses, state: 's' } },
    })
    expect(call({ inputResponses })).toMatchObject({
      intent: { input: { responses: inputResponses, state: undefined } },
    })
    expect(call({ requestState: '' })).toMatchObject({
      intent: { input: { responses: {}, state: '' } },
    })
  })

  // Holds: INPUT-8
  test.each<[string, object]>([
    ['null for answers', { inputResponses: null }],
    ['a list of answers', { inputResponses: [{}] }],
    ['an answer that is null', { inputResponses: { k: null } }],
    ['an answer that is a text', { inputResponses: { k: 'yes' } }],
    ['an answer that is a list', { inputResponses: { k: [] } }],
    ['a state that is null', { requestState: null }],
    ['a state that is an object', { requestState: {} }],
  ])('a call with %s is refused in band', (_what, params) => {
    expect(shortly(call(params))).toBe('refused 200 -32602 id 1')
  })

  test('a call with 64 answers is taken, and one with 65 is refused', () => {
    const answers = (count: number) => ({
      inputResponses: Object.fromEntries(
        Array.from({ length: count }, (_, key) => [`k${key}`, {}]),
      ),
    })
    expect(shortly(call(answers(64)))).toBe('request 2026-07-28 call-tool')
    expect(shortly(call(answers(65)))).toBe('refused 200 -32602 id 1')
  })

  test('answers of 262,144 bytes are taken, and one byte more is refused', () => {
    // {"k":{"a":"…"}} has 14 bytes around its text.
    const answer = (bytes: number) => ({ inputResponses: { k: { a: 'x'.repeat(bytes - 14) } } })
    expect(shortly(call(answer(262_144)))).toBe('request 2026-07-28 call-tool')
    expect(shortly(call(answer(262_145)))).toBe('refused 200 -32602 id 1')
  })

  test('a state of 49,152 characters is taken, and one of a character more refused', () => {
    expect(shortly(call({ requestState: 's'.repeat(49_152) }))).toBe('request 2026-07-28 call-tool')
    expect(shortly(call({ requestState: 's'.repeat(49_153) }))).toBe('refused 200 -32602 id 1')
  })

  test('have the same limits as in execute', () => {
    expect([INPUT_RESPONSES_MAX, revision.INPUT_STATE_CHARS_MAX]).toEqual([
      execute.INPUT_RESPONSES_MAX,
      execute.INPUT_STATE_CHARS_MAX,
    ])
  })

  test('mean nothing in a legacy call', () => {
    const work = workOf(request('tools/call', { ...CALL, inputResponses: null, requestState: 1 }))
    expect(work.intent).toEqual({ kind: 'call-tool', name: 'sg_echo', arguments: {} })
  })
})

test('a name of 128 characters passes and one more is refused in band', () => {
  for (const [length, expected] of [
    [128, 'request 2026-07-28 call-tool'],
    [129, 'refused 200 -32602 id 1'],
  ] as const) {
    const name = 'n'.repeat(length)
    const headers = modernHeaders('tools/call', { 'mcp-name': name })
    expect(shortly(classified(modern('tools/call', { name }), headers))).toBe(expected)
  }
})

test('an envelope below another name is no envelope', () => {
  expect(shortly(classified(request('ping', { meta: MODERN_META })))).toBe(
    'request 2025-03-26 ping',
  )
})
