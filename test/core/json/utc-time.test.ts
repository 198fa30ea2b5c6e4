import { describe, expect, test } from 'vitest'
import { parseDayStart, readUtcTime, toUtcDay } from '../../../core/json/utc-time.ts'

describe('a time in a request', () => {
  test.each([
    ['2026-11-22', 1_795_305_600_000],
    ['2026-11-22T21:30:00Z', 1_795_383_000_000],
    ['2026-11-22T21:30:00.5Z', 1_795_383_000_500],
    ['2024-02-29', 1_709_164_800_000],
  ])('the time %s is read', (text, atMs) => {
    expect(readUtcTime(text)).toBe(atMs)
  })

  test.each([
    '',
    '2026',
    '2026-11',
    '2026-02-30',
    '2026-13-01',
    '2026-11-22T24:30:00Z',
    '2026-11-22T21:30:00',
    '2026-11-22T21:30:00+01:00',
    '1795305600000',
    '2026-11-22\n',
  ])('the text %j is no time', (text) => {
    expect(readUtcTime(text)).toBeUndefined()
  })

  test('that is a day begins at midnight in UTC', () => {
    expect(toUtcDay(1_795_305_599_999)).toBe('2026-11-21')
    expect(toUtcDay(1_795_305_600_000)).toBe('2026-11-22')
    expect(parseDayStart('2026-11-22')).toBe(1_795_305_600_000)
  })
})
