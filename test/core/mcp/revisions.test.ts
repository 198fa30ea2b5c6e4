import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findRevision,
  HEADERLESS_REVISION,
  LATEST_LEGACY,
  LATEST_MODERN,
  MODERN_VERSIONS,
  negotiate,
  SERVED_VERSIONS,
  SSE_REVISION,
  STREAMABLE_REVISIONS,
} from '../../../core/mcp/revisions.ts'

const CORE = join(import.meta.dirname, '../../../core')

test('five revisions are served, each by its own table', () => {
  const tables = STREAMABLE_REVISIONS.map(({ version, era, batches, requests, serverRequests }) => [
    version,
    era,
    batches,
    [...requests.keys()].join(' '),
    [...serverRequests].join(' '),
  ])
  const reading =
    'resources/list resources/templates/list resources/read prompts/list prompts/get skills/list skills/get resources/directory/read'
  const handshake = `initialize ping tools/list tools/call ${reading}`
  const asks = 'sampling/createMessage roots/list'
  expect(tables).toEqual([
    ['2024-11-05', 'legacy', false, handshake, asks],
    ['2025-03-26', 'legacy', true, handshake, asks],
    ['2025-06-18', 'legacy', false, handshake, `elicitation/create ${asks}`],
    ['2025-11-25', 'legacy', false, handshake, `elicitation/create ${asks}`],
    [
      '2026-07-28',
      'modern',
      false,
      `server/discover tools/list tools/call subscriptions/listen tasks/get tasks/update tasks/cancel ${reading}`,
      '',
    ],
  ])
})

test('a revision lacks the features that it does not define', () => {
  const kinds = STREAMABLE_REVISIONS.map(({ results, notifications }) => [
    results.inputRequired !== undefined,
    notifications.log !== undefined,
    notifications.listenAcknowledged !== undefined,
  ])
  const none = [false, false, false]
  expect(kinds).toEqual([none, none, none, none, [true, true, true]])
})

test('versions are found by name, newest first where they are listed', () => {
  expect(findRevision('2025-06-18')?.version).toBe('2025-06-18')
  for (const version of ['', '2024-10-07', '2099-01-01', '__proto__']) {
    expect(findRevision(version)).toBeUndefined()
  }
  expect(MODERN_VERSIONS).toEqual(['2026-07-28'])
  expect(SERVED_VERSIONS).toEqual([
    '2026-07-28',
    '2025-11-25',
    '2025-06-18',
    '2025-03-26',
    '2024-11-05',
  ])
})

test('the table names the revisions with special roles', () => {
  expect(SSE_REVISION.version).toBe('2024-11-05')
  expect(HEADERLESS_REVISION.version).toBe('2025-03-26')
  expect(LATEST_LEGACY.version).toBe('2025-11-25')
  expect(LATEST_MODERN.version).toBe('2026-07-28')
})

test('initialize negotiates a legacy revision, never a modern one', () => {
  expect(negotiate('2024-11-05').version).toBe('2024-11-05')
  expect(negotiate('2025-06-18').version).toBe('2025-06-18')
  for (const version of ['2026-07-28', '2099-01-01', '', undefined]) {
    expect(negotiate(version).version).toBe('2025-11-25')
  }
})

/** Comments and texts for people may name a version; code that decides by one has it as a literal. */
const VERSION_LITERAL = /'20\d\d-\d\d-\d\d'/

test('no code outside a revision’s folder asks for the version', () => {
  const files = readdirSync(CORE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => VERSION_LITERAL.test(readFileSync(join(CORE, file), 'utf8')))
  expect(files.length).toBeGreaterThan(0)
  // The day of a price list is no revision.
  expect(files.filter((file) => !/^mcp\/rev[^/]+\/|^usage\/aws-estimate\.ts$/.test(file))).toEqual(
    [],
  )
})
