import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { billLines, CALLS_MAX, readCalls } from '../../scripts/cost/bill.ts'
import { startMeteredLine } from '../../scripts/cost/metered-line.ts'
import {
  billedMs,
  costOf,
  type FunctionUse,
  streamHourOf,
  totalOf,
} from '../../scripts/cost/model.ts'
import { newUsersUsd, usageMonth } from '../../scripts/cost/usage.ts'

const PRICES = {
  usd: {
    lambdaPerMillionRequests: 0.2,
    lambdaArmPerGbSecond: 0.00001,
    writePerMillionUnits: 0.5,
    readPerMillionUnits: 0.1,
    logsPerGb: 0.5,
    transferOutPerGb: 0.1,
  },
  assumptions: { memoryMbOfOneVcpu: 2048 },
}

const USE: FunctionUse = {
  door: 'execute',
  memoryMb: 512,
  invocations: 1,
  measuredMs: 110,
  cpuMs: 10,
  writeUnits: 4,
  readUnits: 1.5,
  logBytes: 400,
  bytesOut: 2_000,
}

describe('the time that Lambda bills', () => {
  test('the time of waiting stays as it is, and CPU time stretches by the share of a vCPU', () => {
    expect(billedMs(USE, PRICES)).toBe(140)
  })

  test('no memory makes a function faster than it was measured', () => {
    expect(billedMs({ ...USE, memoryMb: 4096 }, PRICES)).toBe(110)
  })
})

describe('the cost of a million calls', () => {
  test('a million calls cost the sum of their items', () => {
    expect(costOf([USE], PRICES)).toEqual([
      { item: 'Lambda requests', usdPerMillion: 0.2 },
      { item: 'Lambda GB-seconds', usdPerMillion: expect.closeTo(0.7, 9) },
      { item: 'DynamoDB writes', usdPerMillion: 2 },
      { item: 'DynamoDB reads, polling included', usdPerMillion: expect.closeTo(0.15, 9) },
      { item: 'logs', usdPerMillion: expect.closeTo(0.2, 9) },
      { item: 'transfer out', usdPerMillion: expect.closeTo(0.2, 9) },
    ])
    expect(totalOf(costOf([USE], PRICES))).toBeCloseTo(3.45, 9)
  })

  test('a million calls through two functions cost both', () => {
    expect(totalOf(costOf([USE, USE], PRICES))).toBeCloseTo(6.9, 9)
  })
})

test('an hour of a stream costs its memory, its polls, its beats and its opens', () => {
  const hour = { memoryMb: 256, readUnits: 5_000, writeUnits: 300, opens: 4 }
  expect(streamHourOf(hour, PRICES)).toEqual([
    { item: 'Lambda GB-seconds', usdPerMillion: expect.closeTo(0.009, 9) },
    { item: 'DynamoDB reads (polling)', usdPerMillion: expect.closeTo(0.0005, 9) },
    { item: 'DynamoDB writes', usdPerMillion: expect.closeTo(0.00015, 9) },
    { item: 'Lambda requests', usdPerMillion: expect.closeTo(0.0000008, 12) },
  ])
})

test('the price table is dated and complete: every price is a positive number', () => {
  const file = JSON.parse(readFileSync('scripts/cost/prices.json', 'utf8'))
  expect(file.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(Object.keys(file.usd)).toEqual(expect.arrayContaining(Object.keys(PRICES.usd)))
  const all = [...Object.values(file.usd), ...Object.values(file.assumptions)]
  expect(all.filter((price) => typeof price !== 'number' || price <= 0)).toEqual([])
})

describe('the metered line', () => {
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })

  async function lineTo(answer: object, asked: object[] = []) {
    const store = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(JSON.parse(body))
      response.end(JSON.stringify(answer))
    })
    await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening))
    open.push(() => new Promise((closed) => store.close(() => closed())))
    const address = store.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const line = await startMeteredLine(`http://127.0.0.1:${port}`)
    open.unshift(() => line.stop())
    return line
  }

  async function ask(endpoint: string, action: string): Promise<unknown> {
    const headers = { 'x-amz-target': `DynamoDB_20120810.${action}` }
    return (await fetch(endpoint, { method: 'POST', headers, body: '{"TableName":"T"}' })).json()
  }

  test('the metered line asks for the units that a request used, and passes everything on', async () => {
    const asked: object[] = []
    const line = await lineTo({ Item: {}, ConsumedCapacity: { CapacityUnits: 0.5 } }, asked)
    expect(await ask(line.endpoint, 'GetItem')).toEqual({
      Item: {},
      ConsumedCapacity: { CapacityUnits: 0.5 },
    })
    expect(asked).toEqual([{ TableName: 'T', ReturnConsumedCapacity: 'TOTAL' }])
    expect(line.units()).toEqual({ read: 0.5, write: 0, requests: 1 })
  })

  test('the metered line sums the tables of a batch and of a transaction', async () => {
    const capacities = [{ CapacityUnits: 2 }, { CapacityUnits: 4 }]
    const line = await lineTo({ ConsumedCapacity: capacities })
    await ask(line.endpoint, 'TransactWriteItems')
    await ask(line.endpoint, 'BatchGetItem')
    expect(line.units()).toEqual({ read: 6, write: 6, requests: 2 })
  })

  test('the metered line counts a write that its condition refused as one unit', async () => {
    const line = await lineTo({
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    })
    await ask(line.endpoint, 'PutItem')
    expect(line.units()).toEqual({ read: 0, write: 1, requests: 1 })
  })
})

describe('the bill of a month', () => {
  const ways = [{ name: 'POST /v1/execute', uses: [USE] }]

  test('the bill of a month has each item for as many calls as were asked for, and the stage itself', () => {
    expect(billLines({ calls: 2_000_000, ways, behindUsd: 0.5, idleUsd: 5.79 }, PRICES)).toEqual([
      '| $ a month for 2,000,000 calls | POST /v1/execute |',
      '| --- | ---: |',
      '| Lambda requests | 0.40 |',
      '| Lambda GB-seconds | 1.40 |',
      '| DynamoDB writes | 4.00 |',
      '| DynamoDB reads, polling included | 0.30 |',
      '| logs | 0.40 |',
      '| transfer out | 0.40 |',
      '| usage function and archive, as below | 0.50 |',
      '| the stage itself, with or without calls | 5.79 |',
      '| **sum** | **13.19** |',
    ])
  })

  test('the bill of a month is for 1 to a million million calls', () => {
    expect(readCalls('1')).toBe(1)
    expect(readCalls(String(CALLS_MAX))).toBe(1_000_000_000_000)
    for (const wrong of ['0', '1000000000001', '-1', '1e6', '1.5', '', 'many']) {
      expect(readCalls(wrong)).toBeUndefined()
    }
  })
})

describe('the usage function and archive of a month', () => {
  const prices = {
    usd: { ...PRICES.usd, putPerMillion: 5, storedPerGbMonth: 0.02 },
    assumptions: { usageBatchMs: 100 },
  }
  const batchesOf = (calls: number) =>
    /: (.*) batches/.exec(usageMonth(calls, prices)[0]?.item ?? '')?.[1]

  test('each call is a batch where calls are rare, and a batch has a thousand at most', () => {
    expect([1, 131_400, 131_401, 131_400_000, 131_400_001].map(batchesOf)).toEqual([
      '1',
      '131,400',
      '131,400',
      '131,400',
      '131,401',
    ])
  })

  test('a million calls in waiting batches cost their batches, pages, PUTs and lines', () => {
    expect(usageMonth(1_000_000, prices).map(({ usd }) => usd)).toEqual([
      // 131,400 requests; 6,570 GB-seconds.
      expect.closeTo(0.02628 + 0.0657, 6),
      // A unit a batch, and six for each of 730 hours.
      expect.closeTo((131_400 + 4_380) * 0.5e-6, 9),
      expect.closeTo(0.657, 9),
      expect.closeTo((12 * (60e6 + 131_400 * 240) * 0.02) / 1e9, 9),
    ])
  })

  test('full batches have pages of 22 units', () => {
    const pages = usageMonth(1_000_000_000, prices)[1]?.usd
    expect(pages).toBeCloseTo((1_000_000 * 22 + 4_380) * 0.5e-6, 6)
  })

  test('a new user costs six units once', () => {
    expect(newUsersUsd(1_000, prices)).toBeCloseTo(0.003, 9)
  })
})
