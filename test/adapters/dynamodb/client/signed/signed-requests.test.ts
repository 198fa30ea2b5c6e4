/** What the light client does about each kind of trouble, with a real server that makes it. */
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { IDLE_SOCKET_MS } from '../../../../../adapters/dynamodb/client/signed/store-service.ts'
import { failing, JSON_TYPE, ok, storeServer } from './store-server.ts'

const GET = { TableName: 'Gateway', Key: { pk: 'p', sk: '-' } }
const ITEM = { Item: { pk: { S: 'p' } } }
const PLAIN = { Item: { pk: 'p' } }
/** Long enough for an answer on a busy machine. */
const LATE_MS = 1_000

beforeEach(() => {
  // Of a pause that doubles, a hundredth.
  vi.spyOn(Math, 'random').mockReturnValue(0.01)
})
afterEach(() => vi.restoreAllMocks())

describe('a request', () => {
  test('is one JSON body with its target, and no member of it is undefined', async () => {
    const { asked, requests } = await storeServer([ok(ITEM)])
    const input = { ...GET, ConsistentRead: undefined }
    expect(await requests.send('GetItem', input)).toEqual(PLAIN)
    expect(asked[0]?.body).toBe('{"TableName":"Gateway","Key":{"pk":{"S":"p"},"sk":{"S":"-"}}}')
    expect(asked[0]?.headers).toMatchObject({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(asked[0]?.body.length),
    })
  })

  test.each([
    ['a server error', failing('InternalServerError', { status: 500 })],
    ['a page of a proxy', failing('', { status: 503 })],
    ['throttling', failing('ProvisionedThroughputExceededException')],
    ['another kind of throttling', failing('ThrottlingException')],
    ['a transaction under way', failing('TransactionInProgressException')],
    ['a connection that is cut before the answer', cutAfter('')],
    ['a connection that is cut in the middle of the answer', cutAfter('{"Item":')],
    ['an answer whose bytes have another checksum', ok(ITEM, { 'x-amz-crc32': '1' })],
    ['an answer that is no JSON', text('<html>')],
    ['an answer that is no JSON object', text('7')],
  ])('is sent again after %s', async (_what, trouble) => {
    const { asked, requests } = await storeServer([trouble, trouble, ok(ITEM)])
    expect(await requests.send('GetItem', GET)).toEqual(PLAIN)
    expect(asked.map(({ body }) => body)).toEqual(Array(3).fill(asked[0]?.body))
  })

  test('is sent again when no answer comes in time', async () => {
    const { asked, requests } = await storeServer([() => {}, ok(ITEM)], {
      requestTimeoutMs: LATE_MS,
    })
    expect(await requests.send('GetItem', GET)).toEqual(PLAIN)
    // On a busy machine the second answer may be late too.
    expect(asked.length).toBeGreaterThan(1)
  })

  test('is sent again when the end of its answer does not come in time', async () => {
    const slow = (response: Parameters<ReturnType<typeof ok>>[0]) =>
      void response.writeHead(200, JSON_TYPE).write('{')
    const { asked, requests } = await storeServer([slow, ok(ITEM)], { requestTimeoutMs: LATE_MS })
    expect(await requests.send('GetItem', GET)).toEqual(PLAIN)
    expect(asked.length).toBeGreaterThan(1)
  })

  test('fails with the last error after three tries', async () => {
    const { asked, requests } = await storeServer([failing('ThrottlingException')])
    await expect(requests.send('GetItem', GET)).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'no',
      $metadata: { httpStatusCode: 400 },
    })
    expect(asked).toHaveLength(3)
  })

  test('takes an answer whose checksum is right', async () => {
    const sum = String(crc32(JSON.stringify(ITEM)))
    const { asked, requests } = await storeServer([ok(ITEM, { 'x-amz-crc32': sum })])
    await requests.send('GetItem', GET)
    expect(asked).toHaveLength(1)
  })

  test('waits as long as the store asks for', async () => {
    const busy = failing('ThrottlingException', { headers: { 'x-amz-retry-after': '120' } })
    const { requests } = await storeServer([busy, ok(ITEM)])
    const startedAt = performance.now()
    await requests.send('GetItem', GET)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119)
  })

  test.each([
    'ValidationException',
    'ResourceNotFoundException',
    'AccessDeniedException',
    'TransactionConflictException',
  ])('is not sent again after %s', async (name) => {
    const { asked, requests } = await storeServer([failing(name)])
    await expect(requests.send('GetItem', GET)).rejects.toMatchObject({ name })
    expect(asked).toHaveLength(1)
  })

  test('to nobody fails with the name of the trouble', async () => {
    const { requests } = await storeServer([], { endpoint: new URL('http://127.0.0.1:1') })
    await expect(requests.send('GetItem', GET)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('a refusal', () => {
  test('a refused condition has the item that refused it, with bytes decoded', async () => {
    const Item = { data: { B: 'aGk=' }, list: { L: [{ B: 'aGk=' }, { N: '1' }] }, n: { N: '0.1' } }
    const { asked, requests } = await storeServer([
      failing('ConditionalCheckFailedException', { more: { Item } }),
    ])
    const hi = new Uint8Array([104, 105])
    await expect(requests.send('GetItem', GET)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: { data: { B: hi }, list: { L: [{ B: hi }, { N: '1' }] }, n: { N: '0.1' } },
    })
    expect(asked).toHaveLength(1)
  })

  test('a canceled transaction has a reason for each write, with its item', async () => {
    const CancellationReasons = [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'no', Item: { data: { B: 'aGk=' } } },
    ]
    const { requests } = await storeServer([
      failing('TransactionCanceledException', { more: { CancellationReasons } }),
    ])
    await expect(requests.send('TransactWriteItems', { TransactItems: [] })).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Item: { data: { B: new Uint8Array([104, 105]) } } },
      ],
    })
  })
})

describe('a signature', () => {
  const MINUTE_MS = 60_000

  test('by a clock that is off is made again by the clock of the store, and so are the next', async () => {
    const hourAgoMs = () => Date.now() - 60 * MINUTE_MS
    const now = new Date().toUTCString()
    const { asked, requests } = await storeServer(
      [failing('InvalidSignatureException', { headers: { date: now } }), ok(ITEM)],
      { nowMs: hourAgoMs },
    )
    await requests.send('GetItem', GET)
    await requests.send('GetItem', GET)
    const times = asked.map(({ headers }) => timeOf(String(headers['x-amz-date'])))
    expect(times[0]).toBeLessThan(Date.now() - 59 * MINUTE_MS)
    for (const time of times.slice(1)) {
      expect(Math.abs((time ?? 0) - Date.now())).toBeLessThan(MINUTE_MS)
    }
    expect(asked).toHaveLength(3)
  })

  test.each([
    ['the clocks agree', { date: new Date().toUTCString() }],
    ['the answer has no date', { date: '' }],
    ['the answer comes out of a cache', { date: new Date(0).toUTCString(), age: '5' }],
  ])('is not made again when %s', async (_what, headers) => {
    const { asked, requests } = await storeServer([
      failing('InvalidSignatureException', { headers }),
    ])
    await expect(requests.send('GetItem', GET)).rejects.toThrow('no')
    expect(asked).toHaveLength(1)
  })

  test('is made again with the credentials that the environment has by now, by requests at once too', async () => {
    let round = 1
    const read = () => ({
      accessKeyId: `ASIA${round}`,
      secretAccessKey: 's',
      sessionToken: `t${round}`,
    })
    const { asked, requests } = await storeServer(
      [
        (response, one) => {
          const isNew = one.headers['x-amz-security-token'] === 't2'
          const answer = isNew ? ok(ITEM) : failing('ExpiredTokenException')
          answer(response, one)
        },
      ],
      { credentials: read },
    )
    const first = requests.send('GetItem', GET)
    const second = requests.send('GetItem', GET)
    round = 2
    expect(await Promise.all([first, second])).toEqual([PLAIN, PLAIN])
    const tokens = asked.map(({ headers }) => headers['x-amz-security-token'])
    expect(tokens.sort()).toEqual(['t1', 't1', 't2', 't2'])
  })

  test('is not made again with the same credentials', async () => {
    const { asked, requests } = await storeServer([failing('ExpiredTokenException')])
    await expect(requests.send('GetItem', GET)).rejects.toMatchObject({
      name: 'ExpiredTokenException',
    })
    expect(asked).toHaveLength(1)
  })
})

describe('a connection', () => {
  test('is kept, and serves no request once it was idle for too long by the wall clock', async () => {
    let nowMs = Date.now()
    const { ports, requests } = await storeServer([ok(ITEM)], { nowMs: () => nowMs })
    await requests.send('GetItem', GET)
    nowMs += IDLE_SOCKET_MS
    await requests.send('GetItem', GET)
    nowMs += IDLE_SOCKET_MS + 1
    await requests.send('GetItem', GET)
    expect(ports[1]).toBe(ports[0])
    expect(ports[2]).not.toBe(ports[0])
  })
})

function cutAfter(part: string) {
  return (response: Parameters<ReturnType<typeof ok>>[0]) => {
    if (part === '') return void response.socket?.destroy()
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '999' })
    response.write(part, () => response.socket?.destroy())
  }
}

function text(body: string) {
  return (response: Parameters<ReturnType<typeof ok>>[0]) =>
    void response.writeHead(200, JSON_TYPE).end(body)
}

/** Of `20261123T044500Z`, in milliseconds. */
function timeOf(text: string): number {
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(text) ?? []
  const day = `${date?.slice(0, 4)}-${date?.slice(4, 6)}-${date?.slice(6)}`
  return Date.parse(`${day}T${time?.slice(0, 2)}:${time?.slice(2, 4)}:${time?.slice(4)}Z`)
}
