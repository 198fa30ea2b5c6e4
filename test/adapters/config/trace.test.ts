import { describe, expect, test } from 'vitest'
import {
  currentTraceId,
  currentTraceparent,
  readIncomingTrace,
  runWithTrace,
} from '../../../adapters/config/trace.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`
const X_RAY = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'
const VALID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/

function traceparentIn(incoming: string | undefined): string {
  return runWithTrace(incoming, () => currentTraceparent() ?? '')
}

test('an incoming trace continues under its id, with a span of our own', () => {
  const next = traceparentIn(TRACEPARENT)
  expect(next).toMatch(VALID)
  expect(next.slice(0, 36)).toBe(`00-${TRACE_ID}-`)
  expect(next).not.toContain(SPAN_ID)
  expect(runWithTrace(TRACEPARENT, currentTraceId)).toBe(TRACE_ID)
})

test('each hop of a request has a span of its own', () => {
  const spans = new Set([...Array(1_000)].map(() => traceparentIn(TRACEPARENT).slice(36, 52)))
  expect(spans.size).toBe(1_000)
})

test('a request without an incoming trace begins a new one, which is to be recorded', () => {
  const [one, other] = [traceparentIn(undefined), traceparentIn(undefined)]
  expect(one).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(other.slice(3, 35)).not.toBe(one.slice(3, 35))
})

test.each([
  ['00', '00'],
  ['01', '01'],
  ['02', '00'],
  ['03', '01'],
  ['ff', '01'],
])('the flags %s are passed on as %s: "sampled" alone stays', (flags, passedOn) => {
  const next = traceparentIn(`00-${TRACE_ID}-${SPAN_ID}-${flags}`)
  expect(next.slice(-3)).toBe(`-${passedOn}`)
  expect(next).toContain(TRACE_ID)
})

describe('an invalid traceparent', () => {
  test.each([
    ['nothing', ''],
    ['another version', `01-${TRACE_ID}-${SPAN_ID}-01`],
    ['the forbidden version', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['upper-case digits', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
    ['an upper-case span', `00-${TRACE_ID}-${SPAN_ID.toUpperCase()}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['a span id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
    ['a long trace id', `00-${TRACE_ID}0-${SPAN_ID}-01`],
    ['a short span id', `00-${TRACE_ID}-${SPAN_ID.slice(1)}-01`],
    ['no flags', `00-${TRACE_ID}-${SPAN_ID}`],
    ['one digit of flags', `00-${TRACE_ID}-${SPAN_ID}-1`],
    ['a digit that is none', `00-${TRACE_ID.slice(0, 31)}g-${SPAN_ID}-01`],
    ['something behind it', `${TRACEPARENT}-more`],
    ['a space before it', ` ${TRACEPARENT}`],
    ['a line break behind it', `${TRACEPARENT}\n`],
    ['two of them, joined as a proxy does', `${TRACEPARENT}, ${TRACEPARENT}`],
  ])('(%s) begins a new trace', (_what, incoming) => {
    const next = traceparentIn(incoming)
    expect(next).toMatch(VALID)
    expect(next.toLowerCase()).not.toContain(TRACE_ID.slice(0, 31))
    expect(next).not.toContain('0'.repeat(16))
  })
})

describe('the trace of a request', () => {
  test('is its traceparent, even where X-Ray has an id', () => {
    const headers = { traceparent: TRACEPARENT, 'x-amzn-trace-id': X_RAY }
    expect(runWithTrace(readIncomingTrace(headers), currentTraceId)).toBe(TRACE_ID)
  })

  test.each([
    ['without one', undefined],
    ['with one that is none', 'mine'],
  ])('from X-Ray %s is the id under which X-Ray keeps it', (_what, traceparent) => {
    const headers = { traceparent, 'x-amzn-trace-id': X_RAY }
    expect(traceparentIn(readIncomingTrace(headers))).toMatch(
      /^00-5759e988bd862e3fe1be46a994272793-[0-9a-f]{16}-01$/,
    )
  })

  test.each([
    ['Root=1-5759e988-bd862e3fe1be46a994272793', true],
    ['Self=1-67891234-12456789abcdef012345678;Root=1-5759e988-bd862e3fe1be46a994272793', true],
    ['Root=1-00000000-000000000000000000000000;Sampled=1', false],
    ['Root=2-5759e988-bd862e3fe1be46a994272793', false],
    ['Root=1-5759E988-bd862e3fe1be46a994272793', false],
    ['MyRoot=1-5759e988-bd862e3fe1be46a994272793', false],
  ])('the header %j of X-Ray is accepted as a trace: %j', (header, isTaken) => {
    const traceId = runWithTrace(readIncomingTrace({ 'x-amzn-trace-id': header }), currentTraceId)
    expect(traceId === '5759e988bd862e3fe1be46a994272793').toBe(isTaken)
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
  })
})

test('code outside a trace has no trace', () => {
  expect([currentTraceparent(), currentTraceId()]).toEqual([undefined, undefined])
})

test('work that waits keeps its own trace while other traces run', async () => {
  const ids = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
  const traces = ids.map((id) =>
    runWithTrace(`00-${id}-${SPAN_ID}-01`, async () => {
      const all = [currentTraceId()]
      for (let turn = 0; turn < 5; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, turn % 2))
        all.push(currentTraceId())
      }
      return new Set(all)
    }),
  )
  expect(await Promise.all(traces)).toEqual(ids.map((id) => new Set([id])))
})
