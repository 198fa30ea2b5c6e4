/**
 * The gateway of the week: a twin in memory whose clock stands at the moment of each step, so that
 * days pass in seconds, and a folder in which people work. Commands run as on a terminal of 80
 * columns with colours.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'shell-quote'
import { VERSION } from '../../adapters/config/version.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { type CommandOutcome, runLine } from '../cli/test-shell.ts'
import { toPlainText } from './draw-terminal.ts'

export const WEEK_COLUMNS = 80

export type WeekWorld = {
  /** Moves the clock to this moment. It never goes back. */
  moveTo(instant: string): void
  /** Writes a file of the folder that people work in. */
  write(path: string, text: string): void
  run(line: string, input?: { readonly stdin?: string | undefined }): Promise<CommandOutcome>
  /** Replaces what differs from run to run by words of the same length. */
  blank(text: string): string
  readonly upstream: Upstream
  stop(): Promise<void>
}

/** The HTTP API of the week. Its answers are those of the last assignment. */
export type Upstream = { readonly origin: string; fails: boolean }

export async function openWeek(startsAt: string): Promise<WeekWorld> {
  const home = mkdtempSync(join(tmpdir(), 'skillgate-week-'))
  const clock = tickingClock(Date.parse(startsAt))
  const { server, upstream } = await startUpstream()
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: home,
    memory: true,
    outboundAllow: [new URL(upstream.origin).host],
  }
  const quiet = { call: () => {}, note: () => {} }
  const twin = await startTwin(options, quiet, { clock: { ...systemClock(), nowMs: clock.nowMs } })
  const blank = (text: string) => blankText(text, { home, twin, upstream })
  return {
    upstream,
    moveTo: (instant) => clock.moveTo(Date.parse(instant)),
    write: (path, text) => {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text.replaceAll('UPSTREAM', upstream.origin))
    },
    run: (line, { stdin } = {}) =>
      runLine(splitLine(line.replaceAll('UPSTREAM', upstream.origin)), {
        home,
        cwd: home,
        columns: WEEK_COLUMNS,
        nowMs: clock.nowMs(),
        env: {
          HOME: home,
          SHELL: '/bin/bash',
          PATH: '/nowhere',
          SKILLGATE_URL: twin.origin,
          SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
          SKILLGATE_KEY: twin.credentials.key,
        },
        ...(stdin === undefined ? {} : { stdin }),
      }),
    blank,
    stop: async () => {
      await twin.stop()
      server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Each reading is a millisecond after the one before, so that equal steps take equal times. */
function tickingClock(startMs: number) {
  let nowMs = startMs
  return {
    nowMs: () => {
      nowMs += 1
      return nowMs
    },
    moveTo: (ms: number) => {
      if (ms < nowMs) throw new Error(`the clock is past ${new Date(ms).toISOString()}`)
      nowMs = ms
    },
  }
}

/** Splits a line as a shell does: quotes, and nothing else of a shell. */
function splitLine(line: string): readonly string[] {
  return parse(line).map((word) => {
    if (typeof word === 'string') return word
    if ('pattern' in word) return word.pattern
    throw new Error(`${line}: has shell syntax beyond words and quotes`)
  })
}

async function startUpstream(): Promise<{ server: Server; upstream: Upstream }> {
  const upstream = { origin: '', fails: false }
  const server = createServer((request, response) => {
    request.resume()
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
    .replaceAll(home, '/home/ada')
    .replaceAll(VERSION, VERSION.replace(/\d+/g, '0'))
    .replaceAll(twin.origin, 'http://127.0.0.1:8787')
    .replaceAll(upstream.origin, 'http://127.0.0.1:9000')
    .replace(/\b\d+ ms\b/g, '12 ms')
    .replace(/sgk_[\w-]{4}…/g, 'sgk_3fR9…')
    .replace(/sgk_[\w-]{20,}/g, 'sgk_3fR9kQ2mX7cV5bN8wL4tY6uJ1pA0sD3gH9eZ2xK7rBq')
}

/** Returns what the person saw, stdout before stderr, without control sequences. */
export function toCapture({ err, out }: CommandOutcome): string {
  return toPlainText(`${out}${err}`).trimEnd()
}
