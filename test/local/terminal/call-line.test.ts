import { describe, expect, test } from 'vitest'
import type { CallLine } from '../../../core/ports/outside.ts'
import { formatCall } from '../../../local/terminal/call-line.ts'

const AT = new Date(2026, 10, 21, 12, 4, 7)

function line(change: Partial<CallLine>): CallLine {
  return {
    callId: 'c1',
    uid: 'demo',
    username: 'demo',
    skillId: 'sg_weather',
    source: 'official',
    outcome: 'settled',
    code: undefined,
    upstreamStatus: 200,
    upstreamMs: 36,
    durationMs: 38.4,
    held: 500_000,
    charged: 500_000,
    refunded: 0,
    remaining: 99_500_000,
    ...change,
  }
}

describe('the line of a call', () => {
  test.each<[string, Partial<CallLine>, string]>([
    ['a paid one', {}, '12:04:07 demo sg_weather 200 38 ms −0.5 → 99.5 c1'],
    [
      'a free one',
      { skillId: 'sg_echo', outcome: 'free', charged: 0 },
      '12:04:07 demo sg_echo 200 38 ms free → 99.5 c1',
    ],
    [
      'one that was cut',
      {
        skillId: 'sg_slow',
        outcome: 'refunded',
        code: 'timed_out',
        upstreamStatus: undefined,
        durationMs: 15_012,
        charged: 1_000_000,
        refunded: 1_000_000,
      },
      '12:04:07 demo sg_slow cut 15.0 s refunded 1 → 99.5 (deadline passed) c1',
    ],
    [
      'one whose upstream failed',
      { outcome: 'refunded', code: 'upstream_failed', upstreamStatus: 500, refunded: 500_000 },
      '12:04:07 demo sg_weather upstream 500 38 ms refunded 0.5 → 99.5 (upstream failed) c1',
    ],
    [
      'one whose upstream could not be reached',
      { outcome: 'refunded', code: 'upstream_failed', upstreamStatus: undefined, refunded: 1 },
      '12:04:07 demo sg_weather failed 38 ms refunded 0.000001 → 99.5 (upstream failed) c1',
    ],
    [
      'one that was refused',
      { outcome: 'refused', code: 'insufficient_credits', upstreamStatus: undefined },
      '12:04:07 demo sg_weather refused (not enough credits) c1',
    ],
    [
      'one of a stranger',
      { username: '', outcome: 'refused', code: 'unauthenticated' },
      '12:04:07 unknown sg_weather refused (unknown or missing credential) c1',
    ],
    [
      'a free one that failed',
      { outcome: 'free', code: 'upstream_failed', upstreamStatus: 503 },
      '12:04:07 demo sg_weather upstream 503 38 ms free → 99.5 (upstream failed) c1',
    ],
  ])('the line of %s shows its outcome', (_what, change, text) => {
    expect(formatCall(line(change), AT)).toBe(text)
  })

  test('is not forged or broken by a name: it has no control characters, and 64 characters of the name at most', () => {
    const skillId = `a\n12:00:00 b\u001b[2J${'x'.repeat(80)}`
    expect(formatCall(line({ skillId }), AT)).toBe(
      `12:04:07 demo a?12:00:00?b?[2J${'x'.repeat(48)} 200 38 ms −0.5 → 99.5 c1`,
    )
  })

  test('is in columns on a terminal, with the call id behind them', () => {
    const style = { columns: true, colour: false }
    const lines = [
      line({}),
      line({ skillId: 'sg_slow', outcome: 'refunded', code: 'timed_out', durationMs: 14_200 }),
      line({ outcome: 'refused', code: 'insufficient_credits' }),
    ]
    expect(lines.map((one) => formatCall(one, AT, style))).toEqual([
      '12:04:07 demo     sg_weather       200          38 ms   −0.5 → 99.5          c1',
      '12:04:07 demo     sg_slow          cut          14.2 s  refunded 0 → 99.5   (deadline passed) c1',
      '12:04:07 demo     sg_weather       refused                                  (not enough credits) c1',
    ])
  })

  test('is green when paid, red when it failed, yellow when it was refused', () => {
    const style = { columns: true, colour: true }
    const colours = [{}, { code: 'upstream_failed' }, { outcome: 'refused' } as const].map(
      (one) => /\[(3\d)m/.exec(formatCall(line(one), AT, style))?.[1],
    )
    expect(colours).toEqual(['32', '31', '33'])
  })
})
