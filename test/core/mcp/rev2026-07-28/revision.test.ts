import { describe, expect, test } from 'vitest'
import { REVISION_2026_07_28 as REVISION } from '../../../../core/mcp/rev2026-07-28/revision.ts'
import { BLOCKS, called, listed, PLAIN, SERVER, WEATHER } from '../tools.ts'

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'skillgate', version: '1.2.3' } }

// Holds: CACHE-1
test('discover names the served revisions, and may be cached publicly for an hour', () => {
  expect(
    REVISION.results.discover(SERVER, ['2026-07-28', '2025-11-25'], {
      listChanged: true,
      extensions: [],
    }),
  ).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25'],
    capabilities: {
      tools: { listChanged: true },
      resources: {},
      prompts: {},
      logging: {},
      extensions: {
        'skillgate/idempotency': { keepSec: 86_400 },
        'io.modelcontextprotocol/tasks': {},
        'io.modelcontextprotocol/skills': { directoryRead: true },
        'io.modelcontextprotocol/ui': {},
      },
    },
    instructions: 'Call tools.',
    ttlMs: 3_600_000,
    cacheScope: 'public',
    _meta: META,
  })
})

test('discover announces changed tools only where the door says so', () => {
  const { capabilities } = REVISION.results.discover(SERVER, ['2026-07-28'], {
    listChanged: false,
    extensions: [],
  })
  expect(capabilities).toEqual({
    tools: { listChanged: false },
    resources: {},
    prompts: {},
    logging: {},
    extensions: {
      'skillgate/idempotency': { keepSec: 86_400 },
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/skills': { directoryRead: true },
      'io.modelcontextprotocol/ui': {},
    },
  })
})

test('discover announces the extensions that the operator names, after those that are always there', () => {
  const extensions = ['io.modelcontextprotocol/oauth-client-credentials']
  const announced = { listChanged: false, extensions }
  const { capabilities } = REVISION.results.discover(SERVER, ['2026-07-28'], announced)
  expect(capabilities).toMatchObject({
    extensions: {
      'skillgate/idempotency': { keepSec: 86_400 },
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/oauth-client-credentials': {},
    },
  })
})

describe('tools/list', () => {
  // Holds: CACHE-1
  test('a list is private when other callers see another list', () => {
    const page = { tools: [], nextCursor: 'n', dependsOnCaller: true }
    expect(REVISION.results.listTools(page, SERVER)).toEqual({
      resultType: 'complete',
      tools: [],
      nextCursor: 'n',
      ttlMs: 60_000,
      cacheScope: 'private',
      _meta: META,
    })
  })

  test('a list is public when all callers see the same list', () => {
    const page = { tools: [], nextCursor: undefined, dependsOnCaller: false }
    const result = REVISION.results.listTools(page, SERVER)
    expect(result).toMatchObject({ cacheScope: 'public' })
    expect(result).not.toHaveProperty('nextCursor')
  })

  // Holds: SCHEMA-1
  test('a list has schemas as they are, but for $id', () => {
    const array = { ...PLAIN, outputSchema: { type: 'array', items: false } }
    expect(listed(REVISION, [WEATHER, array])).toMatchObject({
      tools: [
        {
          title: 'Weather',
          inputSchema: { properties: { city: { type: 'string' }, any: true } },
          outputSchema: { type: 'object', properties: { c: { type: 'number' }, no: false } },
          annotations: WEATHER.annotations,
          icons: [{ mimeType: 'image/svg+xml' }],
          _meta: { 'skillgate/price': { credits: 0.5 }, 'skillgate/latency': { timeoutMs: 5_000 } },
        },
        { outputSchema: { type: 'array', items: false } },
      ],
    })
    expect(JSON.stringify(listed(REVISION, [WEATHER]))).not.toContain('$id')
  })
})

describe('tools/call', () => {
  test.each([[{ c: 21 }], [[1]], ['x'], [0], [false], [null]])(
    'structured content may be %j',
    (structuredContent) => {
      expect(called(REVISION, { content: BLOCKS, structuredContent })).toEqual({
        resultType: 'complete',
        content: BLOCKS,
        structuredContent,
        isError: false,
        _meta: META,
      })
    },
  )

  // Holds: CALL-10
  test('content is present even when empty, and _meta has the cost and the server', () => {
    const credits = { charged: 1, refunded: 1, remaining: 5 }
    expect(called(REVISION, { isError: true, credits })).toEqual({
      resultType: 'complete',
      content: [],
      isError: true,
      _meta: { ...META, 'skillgate/credits': { charged: 1, refunded: 1, remaining: 5 } },
    })
  })

  // Holds: INPUT-1
  test('a call may ask the client back', () => {
    const requests = { k: { method: 'elicitation/create', params: {} } }
    expect(
      REVISION.results.inputRequired?.({ callId: 'c-1', requests, state: 's' }, SERVER),
    ).toEqual({
      resultType: 'input_required',
      inputRequests: requests,
      requestState: 's',
      _meta: { ...META, 'skillgate/call': { callId: 'c-1' } },
    })
    expect(
      REVISION.results.inputRequired?.({ callId: 'c-1', requests, state: undefined }, SERVER),
    ).toEqual({
      resultType: 'input_required',
      inputRequests: requests,
      _meta: { ...META, 'skillgate/call': { callId: 'c-1' } },
    })
  })
})

describe('a listen stream', () => {
  // Holds: SUB-2
  test('is acknowledged with the notifications it will get, under the id as posted', () => {
    expect(REVISION.notifications.listenAcknowledged?.('1.0', { toolsListChanged: true })).toBe(
      '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":' +
        '{"_meta":{"io.modelcontextprotocol/subscriptionId":1.0},"notifications":{"toolsListChanged":true}}}',
    )
    expect(REVISION.notifications.listenAcknowledged?.('"a"', { toolsListChanged: false })).toBe(
      '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":' +
        '{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"},"notifications":{}}}',
    )
  })

  test('gets changes under the id of its request', () => {
    expect(REVISION.notifications.toolsListChanged('0')).toBe(
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":' +
        '{"_meta":{"io.modelcontextprotocol/subscriptionId":0}}}',
    )
  })

  // Holds: META-6, SUB-2, SUB-4
  test('ends with a result', () => {
    expect(REVISION.results.listenEnded('12345678901234567890', SERVER)).toBe(
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"resultType":"complete","_meta":' +
        '{"io.modelcontextprotocol/subscriptionId":12345678901234567890,' +
        '"io.modelcontextprotocol/serverInfo":{"name":"skillgate","version":"1.2.3"}}}}',
    )
  })
})

test('log messages and progress are whole notifications', () => {
  const { log, progress } = REVISION.notifications
  expect(log?.({ level: 'info', logger: 'skillgate', data: { a: 1 } })).toBe(
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"skillgate","data":{"a":1}}}',
  )
  expect(progress({ token: '"t"', progress: 0, total: 15, message: 'm' })).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0,"total":15,"message":"m"}}',
  )
})

// Holds: STR-16
test('the revision has no handshake, and sends no requests', () => {
  expect(() => REVISION.results.initialize(SERVER, true)).toThrow('no initialize')
  expect([...REVISION.serverRequests]).toEqual([])
})
