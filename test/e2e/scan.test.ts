/**
 * After a day on a twin with its store on disk: no key, secret, session id or argument is found in
 * its output, its files, its tables or an answer that must not contain it, whole, by half or in
 * another spelling.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { readJsonObject, stringOf } from './fields.ts'
import { type Mirror, startMirror } from './mirror.ts'
import { scanCanaries } from './scan-canaries.ts'
import { liveThrough } from './scan-scenario.ts'
import type { ScanWorld } from './scan-world.ts'
import { type Canary, canary, filesOf, found, knownCanary } from './scanner.ts'
import { startTwin, type Twin } from './twin.ts'

/** Both have mode 0600 and contain keys on purpose: of the demo users, and of the secrets. */
const KEY_FILES = ['credentials.json', 'secrets.key']
const PRINTED = ['key', 'secondKey', 'internalApiSecret', 'adminKey'] as const

const FILE = 'items.sqlite'

/** One call of each tool, then those of the scenario in their order. */
const CALLS = `
  sg_all 200, sg_fails 502, sg_spelled 200, sg_page 200, sg_oauth 200, sg_no_token 502, sg_signed 200,
  sg_lacks 422, sg_unfit 422, sg_hangs 504, sg_gone 502, sg_strict 422,
  sg_shared 200, sg_rotated 502, ada_sg_mine 200,
  sg_all 200, sg_all 200, sg_all 409, sg_fails 502, sg_fails 502, sg_nothing 404,
  sg_spelled 200, sg_all 422, sg_all 401, sg_page 200, sg_page 401`

describe('a day of a twin', () => {
  const canaries = scanCanaries()
  const planted = canaries.planted.all
  const data = mkdtempSync(join(tmpdir(), 'skillgate-scan-'))
  const file = join(data, FILE)
  const logFile = findTwinLogFiles(data).current
  let mirror: Mirror
  let twin: Twin
  let day: Pick<ScanWorld, 'heard' | 'made'>
  let items: string
  let all: readonly Canary[]

  beforeAll(async () => {
    mirror = await startMirror(canaries.token.value)
    twin = await startTwin(['--data', data, '--outbound-allow', `${mirror.host},127.0.0.1:1`])
    day = await liveThrough(twin, mirror.url, canaries)
    await twin.stop()
    items = rowsIn(file)
    const { args, secrets, shared, planted: _, ...others } = canaries
    all = [
      ...Object.values(args),
      ...Object.values(shared),
      ...secrets.map(({ value }) => value),
      ...Object.values(others),
      ...day.made,
      ...PRINTED.map((name) => knownCanary(name, twin[name])),
      knownCanary('key of the secrets', readFileSync(join(data, 'secrets.key'), 'utf8').trim()),
    ]
  })

  afterAll(async () => {
    await twin?.stop()
    await mirror?.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('the day goes as planned: each step succeeds or fails as it should', () => {
    const calls = day.heard.map(({ what }) => /^call of (\w+): (\d+)$/.exec(what) ?? [])
    const shown = calls
      .filter(([call]) => call !== undefined)
      .map(([, tool, status]) => `${tool} ${status}`)
    expect(shown).toEqual(CALLS.trim().split(/,\s+/))
    expect(twin.said()).not.toContain('"level":"ERROR"')
  })

  describe('a secret or token', () => {
    test('no secret is in the output of the twin', () => {
      expect(twin.said()).toContain('"username":"ada","skillId":"sg_all"')
      expect(found(twin.said(), all)).toEqual([])
      const [ready = '', ...behind] = twin.printed().split('\n')
      expect(found(ready, all)).toEqual(PRINTED)
      expect(behind).toEqual([''])
    })

    test("no secret is in the files of the twin's data folder", () => {
      const files = filesOf(data, KEY_FILES)
      expect([...files.keys()].join()).toContain(FILE)
      const leaks = [...files].map(([file, bytes]) => ({ file, names: found(bytes, all) }))
      expect(leaks.filter(({ names }) => names.length > 0)).toEqual([])
      expect(String(files.get(logFile))).toContain('"username":"ada","skillId":"sg_all"')
    })

    test('no secret is in the tables of the twin', () => {
      expect(items).toContain('MIRROR_KEY')
      expect(found(items, all)).toEqual([])
    })

    test('no secret is in an answer or an event that is not meant to hold it', () => {
      const leaks = day.heard.map(({ may, text, what }) => ({
        what,
        names: found(text, all).filter((name) => !may.includes(name)),
      }))
      expect(leaks.filter(({ names }) => names.length > 0)).toEqual([])
    })
  })

  describe('a request to an upstream', () => {
    const ARGS = ['argument of a REST call', 'argument of a tools/call']
    test.each([
      ['/json/all', [...ARGS, 'MIRROR_KEY of ada', 'Q_SECRET', 'BODY_SECRET', 'PASSWORD']],
      ['/fails', [...ARGS, 'MIRROR_KEY of ada', 'BODY_SECRET', 'PASSWORD']],
      [
        '/spelled',
        [
          ...ARGS,
          'shared secret for all skills',
          'MIRROR_KEY of ada for one skill',
          'MIRROR_KEY of bob',
        ],
      ],
      ['/refuses', [...ARGS, 'shared secret before its rotation', 'shared secret']],
      ['/page', [...ARGS, 'MIRROR_KEY of ada']],
      ['/json/oauth', [...ARGS, 'access token']],
      ['/token', ['CLIENT_ID', 'CLIENT_SECRET']],
      ['/no-token', ['CLIENT_ID', 'CLIENT_SECRET']],
      ['/json/signed', ARGS],
      ['/hangs', [...ARGS, 'MIRROR_KEY of ada']],
      ['/json/no-token', []],
      ['/json/lacks', []],
      ['/json/unfit', []],
      ['/json/strict', []],
    ])('the upstream gets at %s the values of its skill, and no key or session', (path, names) => {
      const sent = mirror.received.filter((request) => pathOf(request) === path)
      expect(found(sent.join('\n'), all)).toEqual(names)
    })
  })

  describe('the scan itself', () => {
    test('the scan finds a planted value in the output of the twin', () => {
      expect(found(twin.said(), planted)).toEqual(['username'])
    })

    test('the scan finds a planted value in the files and in the tables', () => {
      const bytes = filesOf(data, KEY_FILES).get(file)
      expect(found(bytes ?? '', planted)).toEqual(['as it is', 'as base64', 'as hex', 'username'])
      expect(found(readFileSync(logFile), planted)).toEqual(['username'])
      expect(found(items, planted)).toEqual(['as it is', 'as base64', 'as hex', 'username'])
    })

    test('the scan finds a planted value in answers and events', () => {
      const [stream] = day.heard.filter(({ what }) => what === 'a stream')
      expect(found(stream?.text ?? '', planted)).toEqual(['as it is', 'as base64', 'as hex'])
    })

    const one = canary('one', '"ä')
    const text = `before ${one.value} after`
    const packed = gzipSync(text)
    test.each<[string, string | Buffer]>([
      ['as JSON in JSON', JSON.stringify(JSON.stringify(text))],
      ['in a URL', encodeURIComponent(text)],
      ['cut in its middle', text.slice(0, 25)],
      ['without its beginning', text.slice(20)],
      ['as base64', Buffer.from(text).toString('base64')],
      ['as base64, a byte on', Buffer.from(`x${text}`).toString('base64')],
      ['as base64url, two bytes on', Buffer.from(`xy${text}`).toString('base64url')],
      ['as hex', Buffer.from(text).toString('hex')],
      ['as hex in capitals', Buffer.from(text).toString('hex').toUpperCase()],
      ['packed', packed],
      [
        'packed amid other bytes',
        Buffer.concat([Buffer.from('junk'), packed, Buffer.from('junk')]),
      ],
      ['packed and as base64', `{"B":"${packed.toString('base64')}"}`],
    ])('the scan finds a planted value %s', (_how, haystack) => {
      expect(found(haystack, [one])).toEqual(['one'])
      expect(found(haystack, [canary('another')])).toEqual([])
    })
  })
})

function pathOf(request: string): string | undefined {
  return stringOf(readJsonObject(request), 'url').split('?')[0]
}

/** All that the store holds, once the twin has stopped. */
function rowsIn(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${name}`).all()])
    return JSON.stringify(rows, inBase64)
  } finally {
    database.close()
  }
}

/** Bytes as base64, as the wire has them. */
function inBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
