/**
 * Starts the whole gateway in this process and returns when it is ready: data folder, port, store,
 * demo users and skills, doors. After a failure, all opened parts are closed in reverse order.
 * Throws a StartFault if a person can repair the failure. Bound by docs/service.md, Laptop twin.
 */
import type { Server } from 'node:http'
import { makeFolderArchive } from '../adapters/archive/folder-archive.ts'
import { VERSION } from '../adapters/config/version.ts'
import { nodeDigests } from '../adapters/crypto/node-digests.ts'
import { nodeIds } from '../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../adapters/crypto/node-seals.ts'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import { makeSchemasWithPatterns } from '../adapters/formats/json-schema.ts'
import { makeOpenApiDocuments } from '../adapters/formats/openapi-text.ts'
import { makeSkillMarkdown } from '../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../adapters/hooks/registry.ts'
import { makeRunningWork, type RunningWork } from '../adapters/http/running.ts'
import { makeLateTokenVerifier } from '../adapters/issuers/late-verifier.ts'
import { makeOAuthClient } from '../adapters/oauth-client/oauth-client.ts'
import { isLoopbackHost } from '../core/access/origin.ts'
import { makeLatePort } from '../core/cache/late-port.ts'
import { deliverEvents } from '../core/flow/events/deliver-events.ts'
import { makeExecuteCaches } from '../core/flow/execute/execute-caches.ts'
import { refreshUpstreams } from '../core/flow/upstreams/refresh-due.ts'
import { findLoginOrigin } from '../core/login/paths.ts'
import type { Clock, Log } from '../core/ports/outside.ts'
import type { Settings } from '../core/settings.ts'
import { visitsHere } from '../lambdas/call/answer-call.ts'
import { listingsHere } from '../lambdas/execute/listing.ts'
import { createSweepDoor, type UpstreamRefresh } from '../lambdas/sweep/door.ts'
import { openEventTargets, startEventSender } from './event-sender.ts'
import { makeDoors, type TwinPorts } from './http/doors.ts'
import { connectDoors } from './http/host.ts'
import { isWildcard, toOrigin } from './http/host-guard.ts'
import { closePort, openPort } from './http/listen.ts'
import { createTwinServer } from './http/starting-server.ts'
import { openWelcome, type Welcome } from './http/welcome.ts'
import { openTwinLogs } from './log/logs-of-twin.ts'
import { collectParts, type OpenedParts } from './opened-parts.ts'
import { seedSkills } from './seed/seed-skills.ts'
import { DEMO_USER, SECOND_USER, seedSweep, seedUser } from './seed/seed-users.ts'
import {
  CREDENTIALS_FILE,
  type Credentials,
  createCredentials,
  loadCredentials,
} from './settings/credentials.ts'
import { type DataFolder, openDataFolder } from './settings/data-folder.ts'
import type { Options } from './settings/option-table.ts'
import { openSecretSeals } from './settings/secret-key.ts'
import { toHotMs, toTwinSettings } from './settings/twin-settings.ts'
import { openKeptResults } from './store/kept-results.ts'
import { openStore, toArchiveFolder } from './store/store.ts'
import { startSweeper } from './sweeper.ts'
import { formatLogLine } from './terminal/json-line.ts'
import { type ListedTool, listTools } from './terminal/listed-tools.ts'
import type { TwinPrint } from './terminal/twin-log.ts'
import { openUpstreams } from './upstreams.ts'
import { startFeedLoop } from './usage/feed-loop.ts'

export type TwinOptions = Options

export type Twin = {
  readonly origin: string
  readonly credentials: Credentials
  readonly uid: string
  readonly username: string
  /** The credits that the demo user has left. */
  readonly credits: number
  readonly tools: readonly ListedTool[]
  /** Opens the console; in a twin for this machine alone, with its first-run sheet. */
  readonly consoleUrl: string
  /** Ends streams, gives calls a moment, and closes everything; within 2 s. */
  stop(): Promise<void>
}

/**
 * For tests of the whole process: replaces the clock, wraps the ports, for example by ports that
 * crash, and puts a host in front of the twin that renames a header. `npm start` passes nothing.
 */
export type TwinSeam = {
  readonly clock?: Clock
  /** True if clients do not see WWW-Authenticate, as behind a function URL. */
  readonly renamesChallenge?: boolean
  /** Receives all ports; doors, seeds and the sweeper use the returned ones. */
  readonly wrapPorts?: (ports: TwinPorts) => TwinPorts
}

/** How long running calls may take to end; then they are ended and refunded. Below 2 s together. */
const STOP_GRACE = { callMs: 800, refundMs: 500 }

export async function startTwin(
  options: TwinOptions,
  print: TwinPrint,
  seam: TwinSeam = {},
): Promise<Twin> {
  const opened = collectParts()
  try {
    return await startParts(opened, options, print, seam)
  } catch (cause) {
    await opened.close()
    throw cause
  }
}

async function startParts(
  opened: OpenedParts,
  options: TwinOptions,
  print: TwinPrint,
  seam: TwinSeam,
): Promise<Twin> {
  const folder = options.memory ? undefined : openDataFolder(options.data)
  opened.add(() => folder?.release())
  const credentials = folder === undefined ? createCredentials() : loadCredentials(folder.path)
  const secretSeals = openSecretSeals(folder?.path)
  const server = createTwinServer()
  const origin = toOrigin(options.host, await openPort(server, options))
  opened.add(() => closePort(server))
  const clock = seam.clock ?? systemClock()
  const { json } = options
  const { close: closeLog, log } = openTwinLogs({ folder: folder?.path, json, print, clock })
  opened.add(closeLog)
  if (folder !== undefined) noteClosed(folder, json, print)
  const store = openStore({ folder: folder?.path, hotMs: toHotMs(options), clock, log })
  opened.add(() => store.close())
  const kept = openKeptResults({ folder: folder?.path, clock, log })
  opened.add(() => kept.close())
  const { renamesChallenge = false } = seam
  const settings = { ...toTwinSettings(options, origin), renamesChallenge }
  const { mcpServers, upstream, upstreamPreviews } = openUpstreams(opened, {
    clock,
    log,
    settings,
    upstreamSessions: store.ports.upstreamSessions,
  })
  const outside = { ...outsidePorts(clock, log, settings), mcpServers, upstreamPreviews }
  const tokenVerifier = makeLateTokenVerifier({
    ...outside,
    issuers: settings.issuers,
    // The file of issuers has the secret itself.
    readClientSecret: async ({ clientSecret }) => clientSecret,
    stored: store.ports.issuerKeys,
    upstream,
  })
  const { keptResults } = kept
  const { outboundAllow } = settings
  const oauthClient = makeOAuthClient({ clock, outboundAllow, upstream })
  const own = { keptResults, oauthClient, secretSeals, tokenVerifier, upstream }
  const all = { ...store.ports, ...outside, ...own }
  const ports = seam.wrapPorts?.(all) ?? all
  const credits = await seed(ports, settings, { origin, options, credentials, folder })
  const running = makeRunningWork()
  const welcome = openSheet(options, origin, credentials, clock)
  openDoors({ server, origin, options, running, log, welcome }, ports, settings, credentials)
  const { events } = settings
  const targets = openEventTargets({ options, credentials, clock, upstream })
  const delivery =
    events === undefined || targets.length === 0 ? undefined : { settings: events, targets }
  openSweeper(opened, { ports, settings, log }, delivery)
  if (delivery !== undefined) {
    const sender = startEventSender(() => deliverEvents(ports, delivery.targets), log)
    opened.add(() => sender.stop())
  }
  const archive = folder === undefined ? undefined : makeFolderArchive(toArchiveFolder(folder.path))
  const { ledgerNews } = store
  const feed = startFeedLoop({ ports: { ...ports, archive, ledgerNews }, log })
  opened.add(() => feed.stop())
  opened.add(() => stopServing(server, running))
  const tools = await listTools(ports, settings)
  const { uid } = DEMO_USER
  const consoleUrl = `${origin}/v1/console/${welcome?.fragment ?? ''}`
  const stop = () => opened.close()
  return { origin, credentials, uid, username: uid, credits, tools, consoleUrl, stop }
}

/** A twin that other machines reach sends no keys, because its connections are in clear text. */
function openSheet(
  { host }: TwinOptions,
  origin: string,
  { adminKey, key }: Credentials,
  clock: Clock,
): Welcome | undefined {
  if (!isLoopbackHost(new URL(toOrigin(host, 1)).host) || isWildcard(host)) return undefined
  const mcpUrl = `${origin}/mcp`
  const sheet = { origin, mcpUrl, username: DEMO_USER.uid, key, adminKey }
  return openWelcome(sheet, () => clock.nowMs())
}

type SweeperNeeds = {
  readonly ports: TwinPorts
  readonly settings: Settings
  readonly log: Log
}

function openSweeper(
  opened: OpenedParts,
  { log, ports, settings }: SweeperNeeds,
  delivery: Parameters<typeof createSweepDoor>[1],
): void {
  const host = { ports, settings, caches: makeExecuteCaches() }
  const visits = { jobVisits: visitsHere(host), mcpListings: listingsHere(host) }
  const upstreams: UpstreamRefresh = {
    mcpUpstreams: ports.mcpUpstreams,
    refresh: (due, untilMs) => refreshUpstreams({ ...ports, ...visits }, settings, due, untilMs),
  }
  const sweeper = startSweeper(createSweepDoor({ ...ports, ...visits }, delivery, upstreams), log)
  opened.add(() => sweeper.stop())
}

/** Prints a note about files that others could read, because their content may be known. */
function noteClosed({ closed, path }: DataFolder, json: boolean, { note }: TwinPrint): void {
  if (closed.length === 0) return
  const keys = closed.includes(CREDENTIALS_FILE)
    ? ` If others use this machine, delete ${CREDENTIALS_FILE} to get new keys.`
    : ''
  const message = `Others could read ${closed.join(', ')} in ${path}; now only you can.${keys}`
  note(json ? formatLogLine('warn', 'files-closed', { message }) : message)
}

function outsidePorts(clock: Clock, log: Log, { outboundAllow }: Settings) {
  return {
    clock,
    ids: nodeIds(),
    digests: nodeDigests(),
    seals: nodeSeals(),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    openApiDocuments: makeOpenApiDocuments(),
    taggedFunctions: makeLatePort(async () => {
      const { createTaggedFunctions } = await import('../adapters/functions/late-functions.ts')
      return createTaggedFunctions()
    }),
    hooks: makeHooks({ clock, outboundAllow }),
    log,
  }
}

/** Creates the demo data. Returns the credits that the demo user has left. */
async function seed(
  ports: TwinPorts,
  settings: Settings,
  twin: {
    readonly origin: string
    readonly options: TwinOptions
    readonly credentials: Credentials
    readonly folder: DataFolder | undefined
  },
): Promise<number> {
  const { credentials, folder, options, origin } = twin
  const credits = await seedUser(ports, { ...DEMO_USER, key: credentials.key })
  if (options.json) await seedUser(ports, { ...SECOND_USER, key: credentials.secondKey })
  await seedSweep(ports)
  await seedSkills(ports, settings, { now: origin, before: folder?.lastOrigin() })
  folder?.keepOrigin(origin)
  return credits
}

function openDoors(
  at: {
    readonly server: Server
    readonly origin: string
    readonly options: TwinOptions
    readonly running: RunningWork
    readonly log: Log
    readonly welcome: Welcome | undefined
  },
  ports: TwinPorts,
  settings: Settings,
  credentials: Credentials,
): void {
  const { log, options, origin, running, server, welcome } = at
  const doors = makeDoors(ports, settings, credentials, running)
  const { holdLastChunk, host } = options
  const loginOrigin = findLoginOrigin(settings)
  const hostOptions = { listenHost: host, origin, version: VERSION, holdLastChunk, loginOrigin }
  connectDoors(server, { options: hostOptions, doors, running, log, welcome })
}

async function stopServing(server: Server, running: RunningWork): Promise<void> {
  server.close()
  await running.stop(STOP_GRACE)
}
