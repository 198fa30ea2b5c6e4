/**
 * Starts the whole gateway in this process and returns when it is ready: data folder, port, store,
 * demo users and skills, doors. After a failure, all opened parts are closed in reverse order.
 * Throws a StartFault if a person can repair the failure. Bound by docs/service.md, Laptop twin.
 */
import type { Server } from 'node:http'
import { folderArchive } from '../adapters/archive/folder-archive.ts'
import { VERSION } from '../adapters/config/version.ts'
import { nodeDigests } from '../adapters/crypto/node-digests.ts'
import { nodeIds } from '../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../adapters/crypto/node-seals.ts'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import { schemas } from '../adapters/formats/json-schema.ts'
import { openApiDocuments } from '../adapters/formats/openapi-text.ts'
import { skillMarkdown } from '../adapters/formats/skill-markdown.ts'
import { hooks } from '../adapters/hooks/registry.ts'
import { makeRunning, type RunningWork } from '../adapters/http/running.ts'
import { httpUpstream } from '../adapters/upstream/http-upstream.ts'
import { upstreamPreviews } from '../adapters/upstream/upstream-previews.ts'
import { deliverEvents } from '../core/flow/events/deliver-events.ts'
import type { Clock, Log } from '../core/ports/outside.ts'
import type { Ports } from '../core/ports/ports.ts'
import type { Settings } from '../core/settings.ts'
import { sweepDoor } from '../lambdas/sweep/door.ts'
import { eventTargetFor, startEventSender } from './event-sender.ts'
import { makeDoors } from './http/doors.ts'
import { serve } from './http/host.ts'
import { originOf } from './http/host-guard.ts'
import { close, listen } from './http/listen.ts'
import { makeServer } from './http/starting-server.ts'
import { logsOfTwin } from './log/logs-of-twin.ts'
import { type OpenedParts, openedParts } from './opened-parts.ts'
import { seedSkills } from './seed/seed-skills.ts'
import { DEMO_USER, SECOND_USER, seedSweep, seedUser } from './seed/seed-users.ts'
import {
  CREDENTIALS_FILE,
  type Credentials,
  keepCredentials,
  makeCredentials,
} from './settings/credentials.ts'
import { type DataFolder, openDataFolder } from './settings/data-folder.ts'
import type { Options } from './settings/option-table.ts'
import { fileSecretSeals } from './settings/secret-key.ts'
import { hotMsOf, twinSettings } from './settings/twin-settings.ts'
import { archiveFolder, openStore } from './store/store.ts'
import { startSweeper } from './sweeper.ts'
import { logLine } from './terminal/json-line.ts'
import { type ListedTool, listedTools } from './terminal/listed-tools.ts'
import type { TwinPrint } from './terminal/twin-log.ts'
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
  /** Ends streams, gives calls a moment, and closes everything; within 2 s. */
  stop(): Promise<void>
}

/**
 * For tests of the whole process: replaces the clock and wraps the ports, for example by ports that
 * crash. `npm start` passes nothing.
 */
export type TwinSeam = {
  readonly clock?: Clock
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
  const opened = openedParts()
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
  const credentials = folder === undefined ? makeCredentials() : keepCredentials(folder.path)
  const secretSeals = fileSecretSeals(folder?.path)
  const server = makeServer()
  const origin = originOf(options.host, await listen(server, options))
  opened.add(() => close(server))
  const clock = seam.clock ?? systemClock()
  const { json } = options
  const { close: closeLog, log } = logsOfTwin({ folder: folder?.path, json, print, clock })
  opened.add(closeLog)
  if (folder !== undefined) noteClosed(folder, json, print)
  const store = openStore({ folder: folder?.path, hotMs: hotMsOf(options), clock, log })
  opened.add(() => store.close())
  const settings = twinSettings(options, origin)
  const upstream = httpUpstream({ outboundAllow: settings.outboundAllow })
  opened.add(() => upstream.close())
  const all = { ...store.ports, ...outsidePorts(clock, log, settings), secretSeals, upstream }
  const ports = seam.wrapPorts?.(all) ?? all
  const credits = await seed(ports, settings, { origin, options, credentials, folder })
  const running = makeRunning()
  openDoors({ server, origin, options, running, log }, ports, settings, credentials)
  const { events } = settings
  const target = eventTargetFor({ options, credentials, clock, upstream })
  const delivery =
    events === undefined || target === undefined ? undefined : { settings: events, target }
  const sweeper = startSweeper(sweepDoor(ports, delivery), log)
  opened.add(() => sweeper.stop())
  if (delivery !== undefined) {
    const sender = startEventSender(() => deliverEvents(ports, delivery.target), log)
    opened.add(() => sender.stop())
  }
  const archive = folder === undefined ? undefined : folderArchive(archiveFolder(folder.path))
  const { ledgerNews } = store
  const feed = startFeedLoop({ ports: { ...ports, archive, ledgerNews }, log })
  opened.add(() => feed.stop())
  opened.add(() => stopServing(server, running))
  const tools = await listedTools(ports, settings)
  const { uid } = DEMO_USER
  const stop = () => opened.close()
  return { origin, credentials, uid, username: uid, credits, tools, stop }
}

/** Prints a note about files that others could read, because their content may be known. */
function noteClosed({ closed, path }: DataFolder, json: boolean, { note }: TwinPrint): void {
  if (closed.length === 0) return
  const keys = closed.includes(CREDENTIALS_FILE)
    ? ` If others use this machine, delete ${CREDENTIALS_FILE} to get new keys.`
    : ''
  const message = `Others could read ${closed.join(', ')} in ${path}; now only you can.${keys}`
  note(json ? logLine('warn', 'files-closed', { message }) : message)
}

export type TwinPorts = Omit<Ports, 'adminSecrets' | 'dryRuns' | 'execute' | 'messages'>

function outsidePorts(clock: Clock, log: Log, { outboundAllow }: Settings) {
  return {
    clock,
    ids: nodeIds(),
    digests: nodeDigests(),
    seals: nodeSeals(),
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
    openApiDocuments: openApiDocuments(),
    hooks: hooks({ clock, outboundAllow }),
    upstreamPreviews: upstreamPreviews({ outboundAllow }),
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
  },
  ports: TwinPorts,
  settings: Settings,
  credentials: Credentials,
): void {
  const { log, options, origin, running, server } = at
  const doors = makeDoors(ports, settings, credentials, running)
  const { holdLastChunk, host } = options
  const hostOptions = { listenHost: host, origin, version: VERSION, holdLastChunk }
  serve(server, { options: hostOptions, doors, running, log })
}

async function stopServing(server: Server, running: RunningWork): Promise<void> {
  server.close()
  await running.stop(STOP_GRACE)
}
