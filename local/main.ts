/**
 * The program of `npm start`: reads options, starts the twin, prints its address, stops it on
 * Ctrl-C. Each failure that a person can repair is one line on stderr and exit code 1.
 */
import { homedir } from 'node:os'
import { VERSION as version } from '../adapters/config/version.ts'
import { Fault } from '../core/errors.ts'
import { writeProfile } from './settings/cli-profile.ts'
import { formatHelp, type Options } from './settings/option-table.ts'
import { readOptions } from './settings/options.ts'
import { StartFault } from './start-fault.ts'
import { startTwin, type Twin } from './start-twin.ts'
import { formatBanner } from './terminal/banner.ts'
import { formatLogLine, formatReadyLine } from './terminal/json-line.ts'
import { createTurnPrinter } from './terminal/lines-of-turn.ts'
import { detectStyle, toShownJson, toShownText } from './terminal/style.ts'
import type { TwinPrint } from './terminal/twin-log.ts'

/**
 * Longest stop. After this time the process ends, even if work still runs, because a person waits
 * for the prompt.
 */
const STOP_MAX_MS = 1_900
/** The umask: files that the twin and its programs create are for their owner only. */
const OTHERS_BITS = 0o077
const NPM_BANNER =
  'npm printed lines of its own on stdout before the line of JSON: npm --silent start -- --json does not.'

// biome-ignore lint/style/noProcessEnv: the twin's options are its own; adapters/config reads a door's.
const environment = process.env
const command = readOptions(process.argv.slice(2), environment)
if (!command.ok) fail(command.error)
else if (command.value.kind === 'help') console.log(formatHelp(version))
else if (command.value.kind === 'version') console.log(`Skillgate ${version}`)
else await run(command.value.options)

async function run(options: Options): Promise<void> {
  process.umask(OTHERS_BITS)
  const noColour = environment['NO_COLOR']
  const toShown = options.json ? toShownJson : toShownText
  const print: TwinPrint = {
    call: createTurnPrinter(process.stdout, toShown),
    note: createTurnPrinter(process.stderr, toShown),
    callStyle: detectStyle(process.stdout, noColour),
    noteStyle: detectStyle(process.stderr, noColour),
  }
  const stopping = waitForSignal()
  try {
    const twin = await startTwin(options, print)
    stopping.then(() => stop(options, twin, print))
    announce(options, twin, print)
    // Scripts use the line of JSON instead, and must not change the person's next command.
    if (!options.json && !options.noProfile) keepProfile(options, twin)
  } catch (cause) {
    const remedy = findRemedy(cause)
    if (remedy === undefined) throw cause
    fail(options.json ? formatLogLine('error', 'start-failed', { message: remedy }) : remedy)
  }
}

/** Returns the line for a person who can repair the failure; undefined for a bug. */
function findRemedy(cause: unknown): string | undefined {
  if (cause instanceof StartFault) return cause.message
  if (!(cause instanceof Fault)) return undefined
  return `${cause.message}. Start again, or with another --data FOLDER.`
}

function announce(options: Options, twin: Twin, print: TwinPrint): void {
  const { credentials, origin, tools, uid, username } = twin
  const readySec = performance.now() / 1000
  if (options.json) {
    const { outboundAllow } = options
    if (isAfterBanner()) print.note(formatLogLine('warn', 'banner-of-npm', { message: NPM_BANNER }))
    const state = { version, readyMs: Math.round(readySec * 1_000), outboundAllow }
    print.note(formatLogLine('info', 'ready', { ...state, data: describeData(options) }))
    print.call(
      formatReadyLine({ origin, credentials, uid, username, tools: tools.map(({ name }) => name) }),
    )
    return
  }
  // console.log would add a line feed, one row too many for a small terminal.
  process.stdout.write(
    toShownText(
      process.stdout,
      formatBanner({
        version,
        readySec,
        data: describeData(options),
        kept: !options.memory,
        origin,
        key: credentials.key,
        username,
        credits: twin.credits,
        adminKey: credentials.adminKey,
        prefix: options.prefix,
        outboundAllow: options.outboundAllow,
        tools,
        loginOrigin: findLoginOrigin(options, origin),
      }),
    ),
  )
}

function findLoginOrigin(
  { issuers, login, publicOrigin }: Options,
  origin: string,
): string | undefined {
  return login || issuers.length > 0 ? (publicOrigin ?? origin) : undefined
}

/**
 * Tells whether npm printed a banner: it prints the name and text of a script on stdout before it
 * runs, unless it is silent.
 */
function isAfterBanner(): boolean {
  const isNpmStart = environment['npm_lifecycle_event'] === 'start'
  return isNpmStart && environment['npm_config_loglevel'] !== 'silent'
}

/** Writes the profile of the command line. A home that cannot be written does not stop the twin. */
function keepProfile(options: Options, { credentials, origin }: Twin): void {
  const place = { env: environment, home: homedir(), platform: process.platform }
  const warning = writeProfile(
    { origin, credentials, data: options.memory ? undefined : options.data },
    place,
  )
  if (warning !== undefined) process.stderr.write(toShownText(process.stderr, `${warning}\n`))
}

function describeData(options: Options): string {
  return options.memory ? 'data in memory only' : `data ${options.data} (kept)`
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP. Later signals are ignored: a Ctrl-C under npm
 * arrives twice, from the terminal and from npm.
 */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        setTimeout(() => process.exit(0), STOP_MAX_MS).unref()
        resolve()
      })
    }
  })
}

async function stop(options: Options, twin: Twin, print: TwinPrint): Promise<void> {
  await twin.stop()
  if (options.json) print.note(formatLogLine('info', 'stopped'))
  // The terminal has echoed ^C on the last line, so the word starts a new line.
  else print.call(`${process.stdout.isTTY ? '\n' : ''}stopped`)
  process.exit(0)
}

function fail(line: string): never {
  process.stderr.write(toShownText(process.stderr, `${line}\n`))
  process.exit(1)
}
