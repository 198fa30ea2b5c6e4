/**
 * The gateway of the week: a twin in memory whose clock stands at the moment of each step, so that
 * days pass in seconds, and a folder in which people work. Commands run as on a terminal of 80
 * columns with colours.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'shell-quote'
import { VERSION } from '../../adapters/config/version.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine } from '../cli/test-shell.ts'

export const WEEK_COLUMNS = 80

export type WeekWorld = {
  /** Moves the clock to this moment. It never goes back. */
  moveTo(instant: string): void
  /** Writes a file of the folder that people work in. */
  write(path: string, text: string): void
  /** Runs a line, with the variables before it and `$NAME` of kept values as in a shell. */
  run(line: string, input?: RunInput): Promise<Outcome>
  /** Keeps a value, such as a key that was printed, as a variable of later lines. */
  keep(name: string, value: string): void
  /** Replaces what differs from run to run by words of the same length. */
  blank(text: string): string
  readonly upstream: Upstream
  stop(): Promise<void>
}

export type RunInput = {
  readonly stdin?: string | undefined
  readonly realClock?: boolean | undefined
  readonly signal?: AbortSignal
  readonly onOut?: (text: string) => void
}

/** `shown` has both streams as they came. */
export type Outcome = { readonly code: number; readonly out: string; readonly shown: string }

/** The HTTP API of the week. Its answers are those of the last assignment. */
export type Upstream = { readonly origin: string; fails: boolean }

export async function openWeek(startsAt: string): Promise<WeekWorld> {
  const home = mkdtempSync(join(tmpdir(), 'skillgate-week-'))
  const folder = join(home, 'shop')
  mkdirSync(folder)
  const clock = makeClock(Date.parse(startsAt))
  const { server, upstream } = await startUpstream(clock)
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: home,
    memory: true,
    outboundAllow: [new URL(upstream.origin).host],
    creditPrice: '0.20 EUR',
  }
  const quiet = { call: () => {}, note: () => {} }
  const twin = await startTwin(options, quiet, { clock: { ...systemClock(), nowMs: clock.nowMs } })
  const kept: { [name: string]: string } = {}
  const names = nameIds()
  const blank = (text: string) => names(blankText(text, { home, twin, upstream }))
  const env = {
    HOME: home,
    SHELL: '/bin/bash',
    PATH: '/nowhere',
    SKILLGATE_URL: twin.origin,
    SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
    SKILLGATE_KEY: twin.credentials.key,
  }
  return {
    upstream,
    blank,
    keep: (name, value) => {
      kept[name] = value
    },
    moveTo: (instant) => clock.moveTo(Date.parse(instant)),
    write: (path, text) => {
      const file = resolve(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text.replaceAll('UPSTREAM', upstream.origin))
    },
    run: async (line, { onOut, realClock = false, signal, stdin } = {}) => {
      const { variables, words } = splitLine(line.replaceAll('UPSTREAM', upstream.origin), kept)
      const shown: string[] = []
      const { code, out } = await runLine(words, {
        ...(signal === undefined ? {} : { signal }),
        onOut: (text) => {
          shown.push(text)
          onOut?.(text)
        },
        onErr: (text) => void shown.push(text),
        home,
        cwd: folder,
        columns: WEEK_COLUMNS,
        nowMs: realClock ? Date.now() : clock.nowMs(),
        env: { ...env, ...variables },
        ...(stdin === undefined ? {} : { stdin }),
      })
      return { code, out, shown: shown.join('') }
    },
    stop: async () => {
      await twin.stop()
      server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Stands still but for the time that an upstream takes, so that times are the same in each run. */
function makeClock(startMs: number) {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
    moveTo: (ms: number) => {
      if (ms < nowMs) throw new Error(`the clock is past ${new Date(ms).toISOString()}`)
      nowMs = ms
    },
  }
}

/** Splits a line as a shell does: variables, quotes, and nothing else of a shell. */
function splitLine(line: string, kept: { readonly [name: string]: string }) {
  const all = parse(line, { ...kept }).map((word) => {
    if (typeof word === 'string') return word
    if ('pattern' in word) return word.pattern
    throw new Error(`${line}: has shell syntax beyond words and quotes`)
  })
  const start = all.indexOf('skillgate')
  const variables = all.slice(0, start).map((word) => word.split(/=(.*)/s, 2))
  return { variables: Object.fromEntries(variables), words: all.slice(start + 1) }
}

/**
 * Gives each random id a name of the same length, the same one wherever the id is shown. A table may
 * cut ids, so their beginnings have names of their own.
 */
function nameIds() {
  const names = new Map<string, string>()
  const nameId = (id: string) => {
    const name = names.get(id) ?? drawName(names.size, id.length)
    names.set(id, name)
    return name
  }
  const nameParts = (...parts: readonly (string | undefined)[]) =>
    parts.map((part) => (part === undefined ? '' : nameId(part))).join('')
  return (text: string) =>
    text
      .replace(KEY, (_, start: string, rest: string | undefined) => `sgk_${nameParts(start, rest)}`)
      .replace(CALL_ID, (_, time: string, rest: string | undefined) =>
        rest === undefined ? nameId(time) : `${nameId(time)}-${nameId(rest)}`,
      )
      .replace(
        UUID,
        (_, start: string, rest: string | undefined) =>
          `${nameId(start).toLowerCase()}-5d3a-4e07${rest === undefined ? '' : '-9b1c-2f60a8c47d15'}`,
      )
      .replace(HASH, (_, start: string, rest: string) =>
        rest.endsWith('…')
          ? `${nameId(start)}${rest.replaceAll(/[^…]/g, 'x')}`
          : nameParts(start, rest),
      )
      .replace(GRANT_ID, (id) => nameId(id).toLowerCase())
      .replace(RANDOM_ID, (id) => (isRandom(id) ? nameId(id) : id))
}

const isRandom = (id: string) => /\d/.test(id) && /[A-Z]/.test(id)

const KEY = /sgk_([\w-]{4})([\w-]{39})?(?![\w-])/g
/** The time of a call, which begins its id, and the rest if it is there. */
const CALL_ID = /(?<![\w-])(1k[0-9a-z]{7})(?:-([\w-]{22}))?(?![\w-])/g
const UUID = /([0-9a-f]{8})-[0-9a-f]{4}-4[0-9a-f]{3}(-[89ab][0-9a-f]{3}-[0-9a-f]{12})?/g
const HASH = /(?<![\w-])(?=[\w-]*[A-Z])([\w-]{16})([\w-]{27}(?![\w-])|[\w-]{0,11}…)/g
/** Of 22 characters, or the 16 that a list shows of a longer one. */
const RANDOM_ID = /(?<![\w-])[\w-]{16}(?:[\w-]{6})?(?![\w-])/g
const GRANT_ID = /(?<![\w-])[0-9a-f]{16}(?![\w-])/g

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

function drawName(number: number, length: number): string {
  let state = number + 1
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647
    return LETTERS[state % LETTERS.length]
  }).join('')
}

/** How long the API of the week takes for an answer. */
const ANSWER_MS = 240

async function startUpstream(clock: {
  advance(ms: number): void
}): Promise<{ server: Server; upstream: Upstream }> {
  const upstream = { origin: '', fails: false }
  const server = createServer((request, response) => {
    request.resume()
    clock.advance(ANSWER_MS)
    response.setHeader('Content-Type', 'application/json')
    if (upstream.fails) {
      response.statusCode = 503
      response.end('{"message":"The warehouse is closed for maintenance."}')
      return
    }
    const { pathname } = new URL(request.url ?? '/', upstream.origin)
    response.end(JSON.stringify({ id: pathname.split('/').at(-1), state: 'shipped', items: 3 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  upstream.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { server, upstream }
}

function blankText(
  text: string,
  { home, twin, upstream }: { home: string; twin: Twin; upstream: Upstream },
): string {
  return text
    .replaceAll(home, '/home/kim')
    .replaceAll(VERSION, VERSION.replace(/\d+/g, '0'))
    .replaceAll(twin.origin, 'http://127.0.0.1:8787')
    .replaceAll(new URL(upstream.origin).host, '127.0.0.1:9000')
    .replaceAll('UPSTREAM', 'http://127.0.0.1:9000')
    .replace(/\b\d+ ms\b/g, '12 ms')
    .replace(/\b[0-9a-f]{32}\b/g, '6c1b4f0d92e7a83552c9d10f7be64a38')
}
