/**
 * The deployed doors, connected to each other inside one process: sse passes messages to messages;
 * messages and mcp make calls as execute does. As on AWS, but without HTTP between them, and with one
 * set of caches.
 */
import type { RunningWork } from '../../adapters/http/running.ts'
import { makeFixedAdminSecrets } from '../../adapters/secrets/given-admin-secrets.ts'
import type { DryRunOrder } from '../../core/call/dry-run.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { createAdminDoor } from '../../lambdas/admin/door.ts'
import { callsHere, visitsHere } from '../../lambdas/call/answer-call.ts'
import { readingsHere } from '../../lambdas/call/readings-here.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { dryRunOrSend } from '../../lambdas/execute/dry-run.ts'
import { listingsHere } from '../../lambdas/execute/listing.ts'
import { createMcpDoorOver } from '../../lambdas/mcp/door.ts'
import { createDirectMessages } from '../../lambdas/messages/direct-messages.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { openConsoleFiles } from '../console-files.ts'
import type { Credentials } from '../settings/credentials.ts'
import type { Doors } from './host.ts'

/** What the twin opens; the doors make the others of each other. */
export type TwinPorts = Omit<
  Ports,
  'adminSecrets' | 'dryRuns' | 'execute' | 'jobVisits' | 'mcpListings' | 'mcpReadings' | 'messages'
>

/** Builds the doors of the twin. */
export function makeDoors(
  ports: TwinPorts,
  settings: Settings,
  credentials: Credentials,
  running: RunningWork,
): Doors {
  const caches = makeExecuteCaches()
  const { track } = running
  const execute = createExecuteDoor(ports, settings, caches)
  const logins = { ...ports.logins, readSecret: () => ports.logins.secret() }
  const lists = makeToolListCache()
  const direct = callsHere({
    ports: { ...ports, logins },
    settings,
    caches,
    lists,
  })
  const dryRuns = { run: (order: DryRunOrder) => dryRunOrSend({ ports, settings, caches }, order) }
  const jobVisits = visitsHere({ ports, settings, caches })
  const mcpListings = listingsHere({ ports, settings, caches })
  const mcpReadings = readingsHere({ ports, settings, caches })
  const here = { dryRuns, jobVisits, mcpListings, mcpReadings }
  const withExecute = { ...ports, ...here, execute: direct }
  const all = {
    ...withExecute,
    messages: createDirectMessages({ ports: withExecute, settings, track }),
  }
  const adminSecrets = makeFixedAdminSecrets({
    internalApiSecrets: [credentials.internalApiSecret],
    adminKeys: [credentials.adminKey],
  })
  return {
    sse: createSseDoor(all, settings),
    mcp: createMcpDoorOver(withExecute, settings),
    execute,
    admin: createAdminDoor({ ...all, adminSecrets }, settings, {
      readConsole: openConsoleFiles(),
      upstream: ports.upstream,
    }),
  }
}
