/**
 * The program of `npm start`: reads options, starts the twin, prints its address, stops it on
 * Ctrl-C. Each failure that a person can repair is one line on stderr and exit code 1.
 */
import { join } from 'node:path'
import { VERSION as version } from '../adapters/config/version.ts'
import { findHome, NO_HOME } from '../adapters/profiles/home.ts'
import { findProgramName } from '../adapters/profiles/program-name.ts'
import { Fault } from '../core/errors.ts'
import { type WrittenProfile, writeProfile } from './settings/cli-profile.ts'
import { CREDENTIALS_FILE } from './settings/credentials.ts'
import { DEFAULT_OPTIONS, formatHelp, type Options } from './settings/option-table.ts'
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
/** The published package is bundled. There is no clone around it, so `npm start` starts nothing. */
const isPacked = !import.meta.filename.endsWith('.ts')
/** The data folder of the package, which may be made in any folder. */
const PACKED_DATA = '.skillgate'
const program = findProgramName({
  folder: import.meta.dirname,
  path: environment['PATH'],
  platform: process.platform,
})

const command = readOptions(readArguments(), environment)
if (!command.ok) fail(command.error)
else if (command.value.kind === 'help') console.log(nameStart(formatHelp(version)))
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

function readArguments(): readonly string[] {
  const given = process.argv.slice(2)
  return isPacked && !environment['SKILLGATE_DATA'] ? ['--data', PACKED_DATA, ...given] : given
}

/** Puts the command that starts the package into a text, and its data folder. */
function nameStart(text: string): string {
  if (!isPacked) return text
  const named = text.replaceAll('npm start', `${program} dev`)
  return named.replaceAll(`(${DEFAULT_OPTIONS.data})`, `(${PACKED_DATA})`)
}

function announce(options: Options, twin: Twin, print: TwinPrint): void {
  const { consoleUrl, credentials, origin, tools, uid, username } = twin
  const readySec = performance.now() / 1000
  if (options.json) {
    const { outboundAllow } = options
    if (isAfterBanner()) print.note(formatLogLine('warn', 'banner-of-npm', { message: NPM_BANNER }))
    const state = { version, readyMs: Math.round(readySec * 1_000), outboundAllow }
    print.note(formatLogLine('info', 'ready', { ...state, data: describeData(options) }))
    print.call(
      formatReadyLine({
        origin,
        credentials,
        uid,
        username,
        tools: tools.map(({ name }) => name),
        consoleUrl,
      }),
    )
    return
  }
  // Scripts use the line of JSON instead, and must not change the person's next command.
  const profile = options.noProfile ? undefined : keepProfile(options, twin)
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
        consoleUrl,
        prefix: options.prefix,
        outboundAllow: options.outboundAllow,
        tools,
        loginOrigin: findLoginOrigin(options, origin),
        program,
        isPacked,
        profileOptions: profile?.kind === 'written' ? profile.options : undefined,
        keysFile: options.memory ? undefined : join(options.data, CREDENTIALS_FILE),
      }),
    ),
  )
  if (profile?.kind === 'failed') {
    process.stderr.write(toShownText(process.stderr, `${profile.warning}\n`))
  }
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
function keepProfile(options: Options, { credentials, origin }: Twin): WrittenProfile {
  const home = findHome()
  if (home === undefined && !environment['XDG_CONFIG_HOME']) {
    return { kind: 'failed', warning: `The command line has no profile of this twin: ${NO_HOME}` }
  }
  return writeProfile(
    { origin, credentials, data: options.memory ? undefined : options.data },
    { env: environment, home: home ?? '', platform: process.platform },
  )
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
  process.stderr.write(toShownText(process.stderr, `${nameStart(line)}\n`))
  process.exit(1)
}
