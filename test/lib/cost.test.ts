import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { ANSWERS_MAX } from '../../adapters/dynamodb/users/secret-cache.ts'
import { DATA_KEY_CACHE_MS, DATA_KEYS_MAX } from '../../adapters/kms/message-seals.ts'
import { METRIC_WRITE_EVERY_MS } from '../../adapters/telemetry/call-metrics.ts'
import { CALL_SLOW_MS } from '../../adapters/telemetry/call-sampling.ts'
import { TASK_POLL_MS } from '../../core/mcp/task.ts'
import { SECRET_CACHE_MS } from '../../core/secrets/limits.ts'
import { JOB_POLL_SEC_DEFAULT } from '../../core/skills/limits.ts'
import { computeAllInUsd, formatAllIn } from '../../lib/cost/all-in.ts'
import { type Bill, computeBill, formatBill } from '../../lib/cost/bill.ts'
import { METRIC_EVERY_MS, simulateMeetings } from '../../lib/cost/environments.ts'
import { type MeasuredFile, readMeasured, readPrices } from '../../lib/cost/figures.ts'
import { computeFloodDay, formatFlood, UNKNOWN_KEY_READ_UNITS } from '../../lib/cost/flood.ts'
import { countCallsPerMonth, DEFAULT_MIX, readMix } from '../../lib/cost/mix.ts'
import {
  type Costing,
  computeCost,
  computeKeptUsd,
  computeOwnMs,
  computeRefusedCallUsd,
  computeStreamHour,
  type FunctionUse,
  type Prices,
  SLOW_MS,
  sumItems,
} from '../../lib/cost/model.ts'
import { computePrivateHostsUsd, formatPrivateHosts } from '../../lib/cost/private-hosts.ts'
import { SECRET_MEMORY } from '../../lib/cost/secrets.ts'
import { computeTaskBill, POLL_SEC, QUESTION_SEC } from '../../lib/cost/tasks.ts'
import { computeNewUsersUsd, computeUsageMonth } from '../../lib/cost/usage.ts'
import { getStage } from '../../lib/stages.ts'
import { startMeteredLine } from '../../scripts/cost/metered-line.ts'

const PRICES: Prices = {
  region: 'nowhere',
  date: '2026-01-01',
  usd: {
    lambdaPerMillionRequests: 0.2,
    lambdaArmPerGbSecond: 0.00001,
    writePerMillionUnits: 0.5,
    readPerMillionUnits: 0.1,
    tablePerGbMonth: 0.25,
    restorePerGbMonth: 0.2,
    logsPerGb: 0.5,
    logsKeptPerGbMonth: 0,
    transferOutPerGb: 0.1,
    metricPerMonth: 0.3,
    keyRequestsPerMillion: 3,
  },
  assumptions: {
    memoryMbOfOneVcpu: 2048,
    storeRoundTripMs: 5,
    keyRoundTripMs: 8,
    peerHopMs: 10,
    runtimeInitMs: 100,
    environmentIdleMs: 360_000,
    environmentLifetimeMs: 7_200_000,
    upstreamRequestBytes: 1_000,
    outcomeBytes: 1_000,
    logsCompression: 1,
    refusalCodes: 6,
  },
}

const USE: FunctionUse = {
  door: 'execute',
  invocations: 1,
  cpuMs: 10,
  storeRounds: 4,
  writeUnits: 4,
  readUnits: 1.5,
  sessionsWriteUnits: 0,
  sessionsReadUnits: 0,
  logBytes: 400,
}
const FRESH = { ...USE, cpuMs: 12, storeRounds: 5, readUnits: 2.5 }
const REFUSED = { ...USE, cpuMs: 4, storeRounds: 1, writeUnits: 1, readUnits: 1.5 }
const WAY = {
  repeat: [USE],
  fresh: [FRESH],
  refused: [REFUSED],
  bytesOut: 2_000,
  bytesOutPerByte: 2,
}
const MB = 512
const MEMORY_MB = { sse: MB, messages: MB, mcp: MB, execute: MB, admin: MB, sweep: MB, usage: MB }
const COSTING: Costing = {
  mix: { ...DEFAULT_MIX, upstreamMs: 300, refused: 0 },
  prices: PRICES,
  memoryMb: MEMORY_MB,
  ways: { execute: WAY, mcp: WAY, sse: WAY },
  cold: { execute: { initMs: 50, firstCpuMs: 30 } },
  sweepEntry: { readUnits: 2, writeUnits: 1, rounds: 3, cpuMs: 2 },
  logRetentionDays: 30,
  callLogSampling: 1,
  gateway: PRICES.usd,
}

describe('the mix of calls', () => {
  test('a mix without options is a thousand users with one call a minute and upstreams of 300 ms', () => {
    expect(readMix({})).toEqual(DEFAULT_MIX)
    expect(DEFAULT_MIX).toEqual({
      users: 1_000,
      callsPerMinute: 1,
      hours: 730,
      peak: 1,
      skills: 10,
      upstreamMs: 300,
      resultBytes: 1_000,
      refused: 0.01,
      secrets: 0,
      ledgerDays: 14,
      streams: 0,
      listens: 0,
    })
    expect(countCallsPerMonth(DEFAULT_MIX)).toBe(43_800_000)
  })

  test.each([
    ['users', '1', '10000000', ['0', '10000001', '1.5', 'many', '-1', '']],
    ['calls-per-minute', '0.001', '6000', ['0', '6000.1', '1e3']],
    ['hours', '1', '744', ['0', '745']],
    ['skills', '1', '100000', ['0', '100001']],
    ['upstream-ms', '0', '15000', ['15001', '-1']],
    ['result-bytes', '0', '4194304', ['4194305']],
    ['refused', '0', '1', ['1.01', '.5']],
    ['secrets', '0', '1', ['1.01', '-1']],
    ['ledger-days', '7', '3650', ['6', '3651', '7.5']],
    ['streams', '0', '10000000', ['10000001']],
    ['listens', '0', '10000000', ['10000001']],
  ])('the option %s takes %s to %s, and says so about anything else', (option, min, max, wrong) => {
    for (const text of [min, max]) expect(() => readMix({ [option]: text })).not.toThrow()
    for (const text of wrong)
      expect(() => readMix({ [option]: text })).toThrow(
        new RegExp(`--${option} \\(.*\\): is "${text}"; give .* from ${min} to ${max}`),
      )
  })

  test('all wrong options of a mix are named at once', () => {
    expect(() => readMix({ users: '0', refused: '2' })).toThrow(/--users .*; --refused /)
  })
})

describe('the meetings of calls and environments', () => {
  const memory = { recordsMs: 30_000, recordsMax: 10, dataKeysMs: 300_000, dataKeysMax: 10 }
  const rules = { idleMs: 360_000, lifetimeMs: 7_200_000, cacheMs: 30_000, secrets: memory }
  const traffic = { users: 1_000, callsPerMinute: 1, skills: 10, busyMs: 400 }

  test('users who call once a minute find no cached key, and each call makes a sweep entry', () => {
    const meetings = simulateMeetings(traffic, rules)
    expect(meetings.unknownKeys).toBe(1)
    expect(meetings.sweepEntries).toBeCloseTo(1, 2)
    expect(meetings.unknownSkills).toBeLessThan(0.3)
    expect(meetings.coldStarts).toBeLessThan(0.001)
  })

  test('one user with a call a second is known to nearly every call, and has an entry a minute', () => {
    const meetings = simulateMeetings({ ...traffic, users: 1, callsPerMinute: 60 }, rules)
    expect(meetings.unknownKeys).toBeLessThan(0.1)
    expect(meetings.sweepEntries).toBeCloseTo(1 / 60, 3)
  })

  test('a call of a quiet environment writes a line of metrics, and a busy one shares it', () => {
    const rare = { ...traffic, users: 1, callsPerMinute: 0.1 }
    expect(simulateMeetings(rare, rules).metricLines).toBe(1)
    // Ten calls a second keep some five environments of 400 ms busy; each writes a line in 5 s.
    const busy = simulateMeetings({ ...traffic, users: 1, callsPerMinute: 600 }, rules)
    expect(busy.metricLines).toBeGreaterThan(0.05)
    expect(busy.metricLines).toBeLessThan(0.5)
  })

  test('calls that are rarer than environments live are cold starts', () => {
    const rare = { ...traffic, users: 1, callsPerMinute: 0.1 }
    expect(simulateMeetings(rare, rules).coldStarts).toBeGreaterThan(0.5)
  })

  test('an environment knows the secrets of users who call again in time, until others have taken their places', () => {
    const one = simulateMeetings(
      { ...traffic, users: 1, callsPerMinute: 60, skills: 1, busyMs: 0 },
      rules,
    )
    expect(one.unknownSecrets).toBeCloseTo(1 / 30, 2)
    expect(one.unknownDataKeys).toBeCloseTo(1 / 300, 3)
    // Ten users in turn, and one environment: the eleventh makes it forget each of them before its turn.
    const inTurn = { ...traffic, callsPerMinute: 1, skills: 1, busyMs: 0 }
    expect(simulateMeetings({ ...inTurn, users: 10 }, rules).unknownDataKeys).toBeCloseTo(1 / 5, 1)
    expect(simulateMeetings({ ...inTurn, users: 11 }, rules).unknownDataKeys).toBe(1)
  })

  test('every call of more users than calls are simulated is of another user', () => {
    const meetings = simulateMeetings({ ...traffic, users: 1_000_000 }, rules)
    expect([meetings.unknownKeys, meetings.sweepEntries]).toEqual([1, 1])
  })
})

describe('the time of its own that Lambda bills', () => {
  test('CPU time stretches by the share of a vCPU, and waiting for the store does not', () => {
    expect(computeOwnMs(USE, COSTING)).toBe(10 * 4 + 4 * 5)
  })

  test('no memory makes a function faster than it was measured', () => {
    const memoryMb = { ...MEMORY_MB, execute: 4_096 }
    expect(computeOwnMs(USE, { ...COSTING, memoryMb })).toBe(10 + 4 * 5)
  })

  test('sse waits for the hop to messages, and no other function waits for one', () => {
    const idle = { ...USE, cpuMs: 0, storeRounds: 0 }
    expect(computeOwnMs({ ...idle, door: 'sse' }, COSTING)).toBe(10)
    for (const door of ['messages', 'mcp', 'execute'] as const)
      expect(computeOwnMs({ ...idle, door }, COSTING)).toBe(0)
  })
})

describe('the cost of a million calls', () => {
  const usdOf = (item: string, costing = COSTING) =>
    computeCost('execute', costing).find((one) => one.item === item)?.usdPerMillion

  test('a million calls of users who are new to each environment cost what a new user costs', () => {
    expect(usdOf('Lambda requests')).toBeCloseTo(0.2, 9)
    expect(usdOf('DynamoDB writes')).toBeCloseTo(4 * 0.5, 9)
    // 0.3 s at half a GB.
    expect(usdOf('Lambda time waiting for the upstream')).toBeCloseTo(1.5, 9)
    expect(usdOf('Lambda time of its own')).toBeCloseTo(((12 * 4 + 5 * 5) / 1000) * 5, 6)
    expect(usdOf('sweep: reads, writes and time')).toBeCloseTo(
      0.5 + 0.2 + ((2 * 4 + 3 * 5) / 1000) * 5,
      2,
    )
    expect(usdOf('logs: calls')).toBeCloseTo(0.2, 9)
    expect(usdOf('transfer out, to agents and upstreams')).toBeCloseTo(0.3, 9)
    expect(usdOf('X-Ray: off')).toBe(0)
  })

  test('the cost of each second of an upstream is the memory that waits for it', () => {
    const slow = { ...COSTING, mix: { ...COSTING.mix, upstreamMs: 1_300 } }
    const [fast = 0, slower = 0] = [COSTING, slow].map((one) =>
      usdOf('Lambda time waiting for the upstream', one),
    )
    expect(slower - fast).toBeCloseTo(5, 9)
  })

  test('calls that are all refused cost no upstream, no hold and no sweep', () => {
    const refused = { ...COSTING, mix: { ...COSTING.mix, refused: 1 } }
    expect(usdOf('Lambda time waiting for the upstream', refused)).toBe(0)
    expect(usdOf('DynamoDB writes', refused)).toBeCloseTo(0.5, 9)
    expect(usdOf('sweep: reads, writes and time', refused)).toBe(0)
  })

  test('a secret costs its records, a request to the key service and the time of both, where the environment knows neither', () => {
    const mix = { ...COSTING.mix, users: 1_000_000, secrets: 1 }
    const perMs = 5 / 1_000
    const whole = 4 * 0.1 + 3 + ((0.5 + 0.25 + 0.6) * 4 + 8) * perMs
    const secretsUsd = (more: Partial<typeof mix>) =>
      usdOf('secrets: reads, key service and time', { ...COSTING, mix: { ...mix, ...more } })
    expect(secretsUsd({})).toBeCloseTo(whole, 9)
    expect(secretsUsd({ secrets: 0.5 })).toBeCloseTo(whole / 2, 9)
    expect(secretsUsd({ refused: 1 })).toBe(0)
    expect(secretsUsd({ secrets: 0 })).toBe(0)
  })

  test('lines of the log are counted as the functions write them', () => {
    expect([SLOW_MS, METRIC_EVERY_MS]).toEqual([CALL_SLOW_MS, METRIC_WRITE_EVERY_MS])
  })

  test('the memory of secrets in the bill is that of the functions', () => {
    expect(SECRET_MEMORY).toEqual({
      recordsMs: SECRET_CACHE_MS,
      recordsMax: ANSWERS_MAX,
      dataKeysMs: DATA_KEY_CACHE_MS,
      dataKeysMax: DATA_KEYS_MAX,
    })
  })

  test('lines that are left out of the log cost nothing, those of refused and slow calls stay', () => {
    // Half of the calls are refused; each line has 400 bytes at $0.5 a GB.
    const mix = { ...COSTING.mix, refused: 0.5 }
    expect(usdOf('logs: calls', { ...COSTING, mix, callLogSampling: 10 })).toBeCloseTo(0.11, 9)
    const slow = { ...mix, upstreamMs: 2_000 }
    expect(usdOf('logs: calls', { ...COSTING, mix: slow, callLogSampling: 10 })).toBeCloseTo(0.2, 9)
    const fast = { ...mix, upstreamMs: 1_999 }
    expect(usdOf('logs: calls', { ...COSTING, mix: fast, callLogSampling: 10 })).toBeCloseTo(
      0.11,
      9,
    )
  })

  test('metrics cost the lines that they ride on, however few calls have one of their own', () => {
    const rare = { ...COSTING.mix, users: 1, callsPerMinute: 0.1 }
    // 500 bytes a call at $0.5 a GB.
    expect(usdOf('logs: metrics', { ...COSTING, mix: rare, callLogSampling: 10 })).toBeCloseTo(
      0.25,
      9,
    )
  })

  test('an answer costs by the bytes of its result', () => {
    const large = { ...COSTING, mix: { ...COSTING.mix, resultBytes: 11_000 } }
    expect(usdOf('transfer out, to agents and upstreams', large)).toBeCloseTo(2.3, 9)
  })

  test('calls that are kept cost by how long the table keeps them', () => {
    expect(computeKeptUsd(PRICES, 30.4)).toBeCloseTo(0.45, 9)
    expect(computeKeptUsd(PRICES, 91.2)).toBeCloseTo(1.35, 9)
  })
})

test('an hour of a stream costs its memory, its polls, its beats and its opens', () => {
  const hour = { memoryMb: 256, readUnits: 5_000, writeUnits: 300, opens: 4 }
  expect(computeStreamHour(hour, PRICES)).toEqual([
    { item: 'Lambda GB-seconds', usd: expect.closeTo(0.009, 9) },
    { item: 'DynamoDB reads (polling)', usd: expect.closeTo(0.0005, 9) },
    { item: 'DynamoDB writes', usd: expect.closeTo(0.00015, 9) },
    { item: 'Lambda requests', usd: expect.closeTo(0.0000008, 12) },
  ])
})

describe('the committed figures', () => {
  test('the price table is dated and complete: every price is a positive number, and every one has its source', () => {
    const file = JSON.parse(readFileSync('lib/cost/prices.json', 'utf8'))
    expect(file.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(Object.keys(file.usd)).toEqual(expect.arrayContaining(Object.keys(PRICES.usd)))
    const all = [...Object.values(file.usd), ...Object.values(file.assumptions)]
    expect(all.filter((price) => typeof price !== 'number' || price <= 0)).toEqual([])
    for (const source of Object.values(file.sources)) expect(source).toMatch(/\d{4}-\d{2}-\d{2}/)
    const explained = Object.keys(file.assumed).flatMap((names) => names.split(', '))
    expect(explained.sort()).toEqual(Object.keys(file.assumptions).sort())
  })

  test('the measured figures say when and how they were made, and have every function of every way', () => {
    const measured = readMeasured()
    expect(measured.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(measured.command).toBe('npm run cost:measure')
    for (const { fresh, refused, repeat } of Object.values(measured.ways)) {
      const doors = repeat.map(({ door }) => door)
      expect([fresh, refused].map((uses) => uses.map(({ door }) => door))).toEqual([doors, doors])
      for (const use of [...repeat, ...fresh, ...refused]) {
        const { cpuMs, invocations, logBytes, readUnits, storeRounds, writeUnits } = use
        const numbers = [cpuMs, invocations, logBytes, readUnits, storeRounds, writeUnits]
        expect(numbers.every((one) => Number.isFinite(one) && one >= 0)).toBe(true)
      }
    }
  })
})

describe('a flood of requests without a valid key', () => {
  const stage = { ...getStage('prod'), reservedConcurrency: { sse: 1, mcp: 2, execute: 3 } }

  test('a flood costs what Lambda lets through to the reserved executions of a day', () => {
    const day = computeFloodDay(stage, COSTING)
    expect([day.executions, day.requestsPerSec]).toEqual([6, 60])
    const units = { writeUnits: 0, readUnits: UNKNOWN_KEY_READ_UNITS }
    expect(day.usd).toBeCloseTo(60 * 86_400 * computeRefusedCallUsd(COSTING, units), 9)
    const free = computeRefusedCallUsd(COSTING, { writeUnits: 0, readUnits: 0 })
    const perUnit = PRICES.usd.readPerMillionUnits / 1e6
    expect(computeRefusedCallUsd(COSTING, units) - free).toBeCloseTo(
      UNKNOWN_KEY_READ_UNITS * perUnit,
      12,
    )
    expect(free).toBeGreaterThan(PRICES.usd.lambdaPerMillionRequests / 1e6)
  })

  test('a flood takes all that the account has where a public function has no reservation', () => {
    const open = { ...stage, accountConcurrency: 1_000, reservedConcurrency: { mcp: 2, sse: 1 } }
    expect(computeFloodDay(open, COSTING).executions).toBe(1_000)
    expect(computeFloodDay({ ...open, reservedConcurrency: undefined }, COSTING).executions).toBe(
      1_000,
    )
  })

  test('the sum of a flood is said with its rate', () => {
    expect(formatFlood(stage, COSTING)).toMatch(
      /^Requests without a valid key cost stage prod at most \$\d+ a day: 60 a second, which 6 executions take\.$/,
    )
  })
})

test('a call to a private host costs one invocation more, as long as its host takes', () => {
  const memoryMb = { ...COSTING.memoryMb, execute: 1_024 }
  const costing: Costing = { ...COSTING, memoryMb, mix: { ...DEFAULT_MIX, upstreamMs: 90 } }
  // 0.20 for the requests; 100 ms of 1 GB at $0.00001 a GB-second, a million times.
  expect(computePrivateHostsUsd(costing)).toBeCloseTo(1.2, 12)
  expect(formatPrivateHosts(costing)).toBe(
    'A million calls to private hosts cost $1.20 more: the function caller runs once for each, as long as the host takes.',
  )
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
    const line = await startMeteredLine(`http://127.0.0.1:${port}`, 'T')
    open.unshift(() => line.stop())
    return line
  }

  async function ask(endpoint: string, action: string): Promise<unknown> {
    const headers = { 'x-amz-target': `DynamoDB_20120810.${action}` }
    return (await fetch(endpoint, { method: 'POST', headers, body: '{"TableName":"T"}' })).json()
  }

  test('asks for the units that a request used, and passes everything on', async () => {
    const asked: object[] = []
    const line = await lineTo({ Item: {}, ConsumedCapacity: { CapacityUnits: 0.5 } }, asked)
    expect(await ask(line.endpoint, 'GetItem')).toEqual({
      Item: {},
      ConsumedCapacity: { CapacityUnits: 0.5 },
    })
    expect(asked).toEqual([{ TableName: 'T', ReturnConsumedCapacity: 'TOTAL' }])
    const apart = { read: 0, write: 0 }
    expect(line.units()).toEqual({ read: 0.5, write: 0, apart, requests: 1, rounds: 1 })
  })

  test('sums the tables of a batch and of a transaction, and one of them apart', async () => {
    const capacities = [
      { CapacityUnits: 2, TableName: 'T' },
      { CapacityUnits: 4, TableName: 'U' },
    ]
    const line = await lineTo({ ConsumedCapacity: capacities })
    await ask(line.endpoint, 'TransactWriteItems')
    await ask(line.endpoint, 'BatchGetItem')
    const apart = { read: 2, write: 2 }
    expect(line.units()).toEqual({ read: 6, write: 6, apart, requests: 2, rounds: 2 })
  })

  test('counts a write that its condition refused as one unit', async () => {
    const line = await lineTo({
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    })
    await ask(line.endpoint, 'PutItem')
    const apart = { read: 0, write: 1 }
    expect(line.units()).toEqual({ read: 0, write: 1, apart, requests: 1, rounds: 1 })
  })
})

describe('the bill of a mix', () => {
  const measured: MeasuredFile = {
    date: '2026-01-01',
    command: 'npm run cost:measure',
    machine: 'none',
    ways: COSTING.ways,
    cold: COSTING.cold,
    idleSweep: { readUnits: 3, writeUnits: 1 },
    sweepEntry: COSTING.sweepEntry,
    streamHour: {
      sse: { readUnits: 5_000, writeUnits: 300 },
      listen: { readUnits: 7_000, writeUnits: 100 },
    },
  }
  const prices = readPrices()

  test('the bill of a month is the calls of the month by the price of a million, and the stage itself', () => {
    const mix = { ...DEFAULT_MIX, users: 100 }
    const bill = computeBill(mix, prices, measured)
    const lines = formatBill(bill)
    const [way] = bill.ways
    const stageUsd = bill.monthly.reduce((sum, { usd }) => sum + usd, 0)
    const monthUsd = (way?.usdPerMillion ?? 0) * 4.38 + stageUsd
    expect(bill.calls).toBe(4_380_000)
    expect(sumItems(way?.items ?? [])).toBeCloseTo(way?.usdPerMillion ?? 0, 9)
    expect(lines[0]).toBe(
      '| $ | POST /v1/execute, a million | a month | Streamable HTTP, a million | a month | HTTP+SSE, a million | a month |',
    )
    expect(lines.at(-1)).toContain(`| **sum** |  | **${monthUsd.toFixed(2)}** |`)
  })

  test('every item of the bill has a line: cold starts, sweep, usage function, logs, transfer and X-Ray among them', () => {
    const lines = formatBill(computeBill(DEFAULT_MIX, prices, measured))
    for (const item of [
      'Lambda requests',
      'cold starts',
      'sweep: reads, writes and time',
      'logs: calls',
      'logs: metrics',
      'transfer out, to agents and upstreams',
      'X-Ray: off',
      'usage function and archive',
      'the stage itself, with or without calls',
      'calls kept in the table for 14 days',
      '0 open SSE streams',
    ]) {
      expect(lines.filter((line) => line.startsWith(`| ${item} |`))).toHaveLength(1)
    }
  })

  test('open streams of a mix cost their hours', () => {
    const usdOf = (streams: number, listens: number) =>
      computeBill({ ...DEFAULT_MIX, streams, listens }, prices, measured)
        .monthly.filter(({ item }) => item.includes('open'))
        .map(({ usd }) => usd)
    const [sse = 0, listen = 0] = usdOf(1_000, 1_000)
    // $0.0096 to $0.01 an hour each.
    expect(sse).toBeGreaterThan(7_008)
    expect(sse).toBeLessThan(7_300)
    expect(listen).toBeGreaterThan(7_008)
    expect(usdOf(0, 0)).toEqual([0, 0])
  })
})

describe('the one figure of a bill', () => {
  const bill = (usdPerMillion: number, usd: number): Bill => ({
    calls: 4_000_000,
    ways: [
      { name: 'POST /v1/execute', items: [], usdPerMillion: 100, table: undefined },
      { name: 'Streamable HTTP', items: [], usdPerMillion, table: undefined },
    ],
    monthly: [
      { item: 'the stage itself', usd },
      { item: 'metrics', usd: 2 },
    ],
  })

  test('has the calls over POST /mcp and their share of everything that a month costs', () => {
    expect(computeAllInUsd(bill(3, 6))).toBe(5)
  })

  test('is said beside what the managed gateway takes, bare and with a decision for each call', () => {
    const usd = { ...readPrices().usd, managedCallsPerMillion: 5, managedDecisionsPerMillion: 25 }
    expect(formatAllIn({ onDemand: bill(3, 6), provisioned: bill(2, 6) }, { usd })).toEqual([
      'A million calls over POST /mcp: $5.00, all in; $4.00 with a provisioned table; of 4,000,000 a month.',
      'Amazon Bedrock AgentCore Gateway: $5.00; $30.00 if its policy engine decides about each call.',
    ])
  })

  test('changes with the days for which the table keeps calls', () => {
    const [prices, figures] = [readPrices(), readMeasured()]
    const usdOf = (ledgerDays: number) =>
      computeAllInUsd(computeBill({ ...DEFAULT_MIX, ledgerDays }, prices, figures))
    expect(usdOf(90) - usdOf(14)).toBeCloseTo(0.9, 2)
  })
})

describe('the usage function and archive of a month', () => {
  const prices = {
    usd: { ...PRICES.usd, getPerMillion: 0.4, putPerMillion: 5, storedPerGbMonth: 0.02 },
    assumptions: { usageBatchMs: 100, tableShards: 4 },
  }
  const monthOf = (calls: number) => computeUsageMonth({ calls, users: 100 }, prices)
  const batchesOf = (calls: number) => /: (.*) batches/.exec(monthOf(calls)[0]?.item ?? '')?.[1]

  test('each call is a batch where calls are rare, and a batch has a thousand at most', () => {
    expect([1, 175_200, 175_201, 175_200_000, 175_200_001].map(batchesOf)).toEqual([
      '1',
      '175,200',
      '175,200',
      '175,200',
      '175,201',
    ])
  })

  test('a million calls in waiting batches of four shards cost their batches, pages, PUTs, merges and lines', () => {
    expect(monthOf(1_000_000).map(({ usd }) => usd)).toEqual([
      // 175,200 requests; 8,760 GB-seconds.
      expect.closeTo(0.03504 + 0.0876, 6),
      // A unit a batch, and six for each of 730 hours.
      expect.closeTo((175_200 + 4_380) * 0.5e-6, 9),
      expect.closeTo(0.876, 9),
      // 175,200 GETs and 100 PUTs.
      expect.closeTo(0.07008 + 0.0005, 9),
      // A year of merged objects, and three months of those that they replaced.
      expect.closeTo(((12 * (60e6 + 24_000) + 3 * (60e6 + 175_200 * 240)) * 0.02) / 1e9, 9),
    ])
  })

  test('an archive with a bound is priced for its days', () => {
    const storedUsd = (archiveDays: number | undefined) =>
      computeUsageMonth({ calls: 1e6, users: 100, archiveDays }, prices).at(-1)?.usd ?? 0
    expect(storedUsd(30.4)).toBeCloseTo(
      ((60e6 + 24_000 + 3 * (60e6 + 175_200 * 240)) * 0.02) / 1e9,
      9,
    )
    expect(storedUsd(364.8)).toBeCloseTo(storedUsd(undefined), 9)
  })

  test('the sums of an hour cost six units for each hundred users', () => {
    const usdOf = (users: number) => computeUsageMonth({ calls: 1e6, users }, prices)[1]?.usd ?? 0
    expect(usdOf(101) - usdOf(100)).toBeCloseTo(4_380 * 0.5e-6, 9)
  })

  test('full batches have pages of 22 units', () => {
    const pages = monthOf(1_000_000_000)[1]?.usd
    expect(pages).toBeCloseTo((1_000_000 * 22 + 4_380) * 0.5e-6, 6)
  })

  test('a new user costs six units once', () => {
    expect(computeNewUsersUsd(1_000, prices)).toBeCloseTo(0.003, 9)
  })
})

describe('a million tasks of 60 s', () => {
  const { job, task } = computeTaskBill(60, COSTING)
  const usdOf = (items: typeof job, item: string) =>
    items.find((one) => one.item === item)?.usdPerMillion

  test('are polled and asked about as the gateway says', () => {
    expect([POLL_SEC * 1_000, QUESTION_SEC]).toEqual([TASK_POLL_MS, JOB_POLL_SEC_DEFAULT])
  })

  test('keep their memory for all their time in one invocation, and none as jobs', () => {
    expect(usdOf(task, 'Lambda time behind the answer')).toBeCloseTo(300, 6)
    expect(usdOf(job, 'Lambda time behind the answer')).toBe(0)
  })

  test('write their records, two renewals in one invocation, and the record of a job', () => {
    expect(usdOf(task, 'its records')).toBeCloseTo(3, 9)
    expect(usdOf(job, 'its records')).toBeCloseTo(4.7, 9)
  })

  test('are polled 30 times, and a job reads a unit more for each poll', () => {
    const [one = 0, other = 0] = [task, job].map((items) => usdOf(items, 'polls, one each 2 s'))
    expect(other - one).toBeCloseTo(3, 9)
    expect(one).toBeGreaterThan(30 * 0.3)
  })

  test('ask the upstream of a job six times, for 300 ms each', () => {
    const asked = usdOf(job, 'questions to the upstream, one each 10 s')
    expect(asked).toBeCloseTo(7.8 + 9, 9)
  })
})
