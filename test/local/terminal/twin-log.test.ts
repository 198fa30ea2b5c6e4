import { describe, expect, test } from 'vitest'
import { detectStyle, formatRow } from '../../../local/terminal/style.ts'
import { createTwinLog, formatEvent } from '../../../local/terminal/twin-log.ts'

const AT = new Date(2026, 10, 21, 12, 4, 7)

describe('the line of an event', () => {
  test.each<[string, string, Parameters<typeof formatEvent>[1], string | undefined]>([
    [
      'a refused key',
      'key-refused',
      { keyStart: 'sgk_Ab-9', reason: 'unknown' },
      '12:04:07 sgk_Ab-9… key refused (not a key of this gateway)',
    ],
    [
      'an expired sub-key',
      'key-refused',
      { keyStart: 'sgs_Ab-9', reason: 'expired' },
      '12:04:07 sgs_Ab-9… key refused (expired)',
    ],
    [
      'another text',
      'key-refused',
      { reason: 'malformed' },
      '12:04:07 unknown key refused (not written as a key)',
    ],
    [
      'an agent',
      'agent-connected',
      { uid: 'demo', version: '2025-11-25' },
      '12:04:07 demo connected MCP 2025-11-25',
    ],
    [
      'an agent without a key',
      'agent-connected',
      { version: '2024-11-05' },
      '12:04:07 anonymous connected MCP 2024-11-05',
    ],
    [
      'a change',
      'admin-changed',
      { operation: 'syncSkill', status: 201, tool: 'sg_joke' },
      '12:04:07 admin syncSkill sg_joke',
    ],
    [
      'a change of a user',
      'admin-changed',
      { operation: 'patchUser', status: 200, uid: 'ada' },
      '12:04:07 admin patchUser ada',
    ],
    [
      'a stranger',
      'admin-refused',
      { code: 'unauthenticated' },
      '12:04:07 admin refused (unknown or missing credential)',
    ],
    [
      'a stranger who tries again and again',
      'admin-refused',
      { code: 'unauthenticated', address: '127.0.0.1', count: 8 },
      '12:04:07 admin refused (unknown or missing credential) from 127.0.0.1, 8 times',
    ],
    [
      'a change by a named administrator',
      'admin-changed',
      { admin: 'grace', operation: 'patchUser', status: 200, uid: 'ada' },
      '12:04:07 grace patchUser ada',
    ],
    [
      'a role that is not enough',
      'admin-forbidden',
      { admin: 'grace', operation: 'migrate', role: 'viewer' },
      '12:04:07 grace migrate (the role viewer may not)',
    ],
    ['any other note', 'stream-ended', { why: 'client' }, undefined],
  ])('the line of %s is written', (_what, event, fields, text) => {
    expect(formatEvent(event, fields, AT)).toBe(text)
  })

  test('is not forged by a field with control characters', () => {
    const uid = 'a\n12:00:00 admin\u001b[2J'
    expect(formatEvent('admin-changed', { operation: 'patchUser', uid }, AT)).toBe(
      '12:04:07 admin patchUser a?12:00:00?admin?[2J',
    )
  })
})

test('events are written beside the calls, and warnings to the other stream, each in its style', () => {
  const [calls, notes]: [string[], string[]] = [[], []]
  const print = {
    call: (line: string) => calls.push(line),
    note: (line: string) => notes.push(line),
    noteStyle: { columns: true, colour: true },
  }
  const log = createTwinLog(print, () => AT)
  log.note('info', 'agent-connected', { version: '2025-11-25' })
  log.note('info', 'sweep-done', { minutes: 1 })
  log.note('error', 'door-failed', { code: 'internal' }, new Error('why'))
  expect(calls).toEqual(['12:04:07 anonymous connected MCP 2025-11-25'])
  expect(notes).toEqual([
    '12:04:07 \u001b[31merror: door-failed\u001b[0m code=internal (Error: why)',
  ])
})

describe('the style', () => {
  test.each([
    [true, undefined, { columns: true, colour: true }],
    [true, '', { columns: true, colour: true }],
    [true, '1', { columns: true, colour: false }],
    [undefined, undefined, { columns: false, colour: false }],
    [false, '1', { columns: false, colour: false }],
  ])('of a stream with isTTY %s and NO_COLOR %o', (isTTY, noColour, style) => {
    expect(detectStyle({ isTTY }, noColour)).toEqual(style)
  })

  test('leaves no gap for an empty cell in a pipe, and keeps its columns on a terminal', () => {
    const cells = [{ text: 'a', width: 3 }, { text: '', width: 2 }, { text: 'b' }]
    expect(formatRow({ columns: false, colour: false }, cells)).toBe('a b')
    expect(formatRow({ columns: true, colour: false }, cells)).toBe('a      b')
  })
})
